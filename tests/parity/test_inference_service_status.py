# SPDX-License-Identifier: GPL-3.0-or-later
"""Each recorded InferenceService has the status that KServe gave it: at first, when all children are ready, and when pods are."""

from __future__ import annotations

from pathlib import Path

import pytest

from module_utils.kube.manifest import Json

from .differences_page import has_row
from .isvc_world import World
from .recorded_inference_services import read_one, stored_cases
from .recorded_llm_services import read_all

CASES = {folder.name: folder for folder in stored_cases() if (folder / "status.yaml").exists()}
#: Where the controller takes a predictor on several nodes for unready for ever, and we do not (I9).
SEVERAL_NODES = {"multinode-basic", "multinode-gpus", "multinode-oci-worker-labels"}
#: Whoever played Knative there made a second revision of one template, which Knative does not.
SECOND_REVISION = {"kn-canary-first-create"}
#: KServe does nothing for them, and we refuse them (docs/differences.md).
REFUSED = {"mode-modelmesh-annotation"}
OBSERVED = sorted(CASES.keys() - REFUSED)


def statuses(folder: Path) -> dict[str, Json]:
    """Return the status that we give a service in each of the recorded phases."""
    world = World.of(folder, read_one(folder / "input.yaml"))
    world.run()
    found = {"first": world.status}
    world.drive()
    found["ready"] = world.status
    if not any("error" in pod for pod in read_all(folder / "pod-out.yaml")):
        world.add_ready_pods()
        world.run()
    found["readyWithPods"] = world.status
    return found


@pytest.mark.parametrize("name", OBSERVED)
def test_status_is_what_the_controller_reported(name: str) -> None:
    recorded = read_one(CASES[name] / "status.yaml")
    phases = ["first"] if name in SEVERAL_NODES | SECOND_REVISION else list(recorded)
    found = statuses(CASES[name])
    assert {phase: found[phase] for phase in phases} == {phase: recorded[phase] for phase in phases}


@pytest.mark.parametrize("name", sorted(SEVERAL_NODES))
def test_a_predictor_on_several_nodes_gets_ready(name: str) -> None:
    found = statuses(CASES[name])["readyWithPods"]
    assert {one["type"]: one["status"] for one in found["conditions"]}["Ready"] == "True"
    assert has_row("I9", name)


def test_every_recorded_status_is_looked_at() -> None:
    assert len(CASES) == 109
    assert CASES.keys() >= REFUSED | SEVERAL_NODES | SECOND_REVISION
