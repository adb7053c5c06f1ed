# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded counters of the Deployments give the recorded status, but where we tell more on purpose.

Compared are phase, counters and the condition Ready. The counters of the recordings say nothing about rollouts and pods;
what those add is in tests/unit/kinds/model_service/test_observe.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from module_utils.kinds.model_service.normalise import load
from module_utils.kinds.model_service.observe import observe
from module_utils.kinds.model_service.spec import ModelService
from module_utils.kube.manifest import Json
from tests.unit.kinds.model_service.live import deployment, live

from .recorded_services import folders, name_of, read, recorded_settings

COUNTERS = ("decodeReady", "decodeReplicas", "prefillReady", "prefillReplicas")

# Not refused by the API server, but by us: test_model_service_refusals.py.
REFUSED_ON_PURPOSE = {"flags-provider-unknown", "schema-unknown-fields"}
# Here a child was edited that the operator no longer watches, so that its status tells an old number: W22.
TRUE_COUNTERS = {"SEQ-edit-watched-children/step-7": {"decodeReplicas": 4}}


def input_of(folder: Path, entry: Json) -> Json:
    """Return the custom resource as it was last given before a step: a patch in between changes nothing that counts."""
    number = int(folder.name.removeprefix("step-")) if folder.name.startswith("step-") else 0
    places = [folder.parent / f"step-{n}" for n in range(number, 0, -1)] if number else [folder]
    for place in places:
        given = read(place / "input.yaml") if (place / "input.yaml").exists() else None
        if given and entry.get("modelService") in (
            None,
            f"{given['metadata']['namespace']}/{given['metadata']['name']}",
        ):
            return given
    raise AssertionError(f"no input for {name_of(folder)}")


def stages() -> list[tuple[Path, int]]:
    """Return every recorded status of a service that is there and has no reconcile error."""
    found = []
    for folder in folders("status.yaml"):
        if name_of(folder) in REFUSED_ON_PURPOSE:
            continue
        for number, entry in enumerate(read(folder / "status.yaml")):
            status = entry.get("status")
            if isinstance(status, dict) and status and ready(status)["reason"] != "ReconcileError":
                found.append((folder, number))
    return found


def ready(status: Json) -> Json:
    (condition,) = [item for item in status["conditions"] if item["type"] == "Ready"]
    return {key: condition[key] for key in ("status", "reason", "message")}


def service_of(folder: Path, entry: Json) -> ModelService:
    loaded = load(input_of(folder, entry), recorded_settings(folder))
    assert loaded.service is not None, [str(problem) for problem in loaded.problems]
    return loaded.service


STAGES = stages()


@pytest.mark.parametrize(
    ("folder", "number"), STAGES, ids=[f"{name_of(folder)}-{number}" for folder, number in STAGES]
)
def test_status_is_the_recorded_one(folder: Path, number: int) -> None:
    entry = read(folder / "status.yaml")[number]
    service = service_of(folder, entry)
    objects = [
        deployment(
            f"{service.name}-{role}",
            counts["specReplicas"],
            counts["readyReplicas"],
            namespace=service.namespace,
        )
        for role, counts in entry["deployments"].items()
    ]
    seen = observe(service, live(*objects), []).status
    assert seen["phase"] == entry["status"]["phase"]
    assert ready(seen) == ready(entry["status"])
    # A counter that is zero is left out by the operator, and written by us: W31.
    wanted = {**entry["status"], **TRUE_COUNTERS.get(name_of(folder), {})}
    assert {key: seen.get(key, 0) for key in COUNTERS} == {
        key: wanted.get(key, 0) for key in COUNTERS
    }


def test_recordings_show_every_phase_and_reason() -> None:
    seen = {
        ready(read(folder / "status.yaml")[number]["status"])["reason"] for folder, number in STAGES
    }
    assert seen == {"AllReplicasReady", "PartiallyReady", "PodsStarting"}
    assert len(STAGES) > 250
