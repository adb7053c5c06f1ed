# SPDX-License-Identifier: GPL-3.0-or-later
"""What later releases of KServe did with InferenceServices is what we do under these releases: children, status, pods, refusals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.compile import (
    compile as compile_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.observe import (
    observe,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.pods.mutation.mutate import (
    mutated,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.pods.mutation.subject import (
    Subject,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.pods.storage.errors import (
    StorageRefused,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.read_system_config import (
    read_system_config,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kube.intent import Intent
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import (
    InputError,
    Problem,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.unit.kinds.refusals import api_refusals

from .compare import Key, by_key, differences, key_of, reduced
from .differences_page import has_row
from .recorded_inference_services import (
    LATER,
    SETTINGS,
    later_cases,
    read_all,
    read_given,
    read_one,
    recorded_cluster,
)
from .recorded_llm_services import Recorded
from .test_llm_inference_service_status import bare

Json = dict[str, Any]
POD: Key = ("v1", "Pod", "", "")
_ROUNDS = 4
#: The controller takes a predictor on several nodes for ready by chance or never, and only then something leads to it from outside.
SEVERAL_NODES = {
    "later-several-nodes-mp",
    "multinode-basic",
    "multinode-gpus",
    "multinode-oci-worker-labels",
}
#: What Knative said before, when all requests went to the first revision, is not recorded.
PROMOTED = {"kn-canary-first-create"}
#: Admitted by the webhook and refused by us before any write: case → rule, row of docs/differences.md.
REFUSED = {"later-images-in-one-folder": ("storage-uris", "I110")}
CASES = {f"{release}/{folder.name}": folder for release in LATER for folder in later_cases(release)}
PODS = [
    (name, number)
    for name, folder in CASES.items()
    for number in range(len(read_all(folder / "pod-in.yaml")))
]


def status_of(folder: Path) -> Json:
    status: Json = read_one(folder / "status.yaml")
    return status


DENIED = sorted(name for name, folder in CASES.items() if "refusal" in status_of(folder))
BUILT = sorted(
    name for name, folder in CASES.items() if name not in DENIED and folder.name not in REFUSED
)


def settings_of(folder: Path) -> Settings:
    return replace(SETTINGS, release=next(one for one in LATER if LATER[one] == folder.parent))


def problems(folder: Path) -> list[Problem]:
    loaded = load(read_given(folder, "input.yaml"), settings_of(folder))
    if loaded.service is None:
        return [problem for problem in loaded.problems if problem.severity == "error"]
    try:
        return api_refusals(loaded.service, settings_of(folder), recorded_cluster(folder))
    except InputError as error:
        return [problem for complaint in error.complaints for problem in complaint.problems]


def compiled(folder: Path, reader: Recorded) -> Intent:
    service = load(read_given(folder, "input.yaml"), settings_of(folder)).service
    assert service is not None
    return compile_service(service, settings_of(folder), reader)


@pytest.mark.parametrize("name", BUILT)
def test_children_are_what_the_controller_sent(name: str) -> None:
    folder = CASES[name]
    intent = compiled(folder, recorded_cluster(folder))
    ours = [child.manifest.to_dict() for child in intent.children]
    recorded = list(read_all(folder / "intent.yaml"))
    if folder.name in SEVERAL_NODES:
        ours, recorded = _unreached(ours), _unreached(recorded)
        assert has_row("I9", folder.name)
    assert differences(by_key(ours), by_key(recorded)) == []
    assert _order(ours) == _order(recorded)


def _unreached(manifests: list[Json]) -> list[Json]:
    """Return objects without those that bring requests from outside."""
    return [one for one in manifests if one["kind"] not in ("Ingress", "HTTPRoute")]


def _order(manifests: list[Json]) -> list[Key]:
    """Return who comes after whom.

    The controller makes a route when its component is ready, so that chance orders them. Services come before workloads from 0.20 on; here
    they are applied in a stage before them under every release.
    """
    keys = sorted(map(key_of, manifests), key=lambda key: key[:2] != ("v1", "Service"))
    routes = iter(sorted(key for key in keys if key[1] == "HTTPRoute"))
    return [next(routes) if key[1] == "HTTPRoute" else key for key in keys]


@pytest.mark.parametrize(
    "name", [one for one in BUILT if CASES[one].name not in SEVERAL_NODES | PROMOTED]
)
def test_status_is_what_the_controller_reported(name: str) -> None:
    folder = CASES[name]
    recorded, known = status_of(folder), recorded_cluster(folder).objects()
    status: Json = {}
    for phase, reported in (("initial", ()), ("ready", read_all(folder / "ready.yaml"))):
        said = {Reference.of(each): each["status"] for each in reported}
        for dummy in range(_ROUNDS):
            parent = {**read_given(folder, "input.yaml"), "status": status}
            basis = compiled(folder, Recorded([*known, parent]))
            made = [
                _seen(child.manifest.to_dict(), said.get(child.manifest.reference))
                for child in basis.children
            ]
            status = observe(basis.basis, Recorded([*known, *made, parent]), ()).status
        assert bare(status) == bare(recorded[phase])


def _seen(manifest: Json, status: Json | None) -> Json:
    found = {**manifest, "metadata": {**manifest["metadata"], "generation": 1}}
    return found if status is None else {**found, "status": status}


@pytest.mark.parametrize(("name", "number"), PODS)
def test_pods_come_out_as_the_webhook_made_them(name: str, number: int) -> None:
    folder = CASES[name]
    before, after = (read_all(folder / f"pod-{when}.yaml")[number] for when in ("in", "out"))
    subject = _subject(folder, before)
    if "error" in after:
        with pytest.raises(StorageRefused) as caught:
            mutated(subject)
        assert caught.value.message in after["error"]["message"]
        return
    made = mutated(subject)
    metadata = {**before["metadata"], "annotations": dict(made.annotations)}
    ours = {**before, "metadata": metadata, "spec": made.spec}
    assert differences({POD: reduced(ours)}, {POD: reduced(after)}) == []


def _subject(folder: Path, pod: Json) -> Subject:
    reader, settings = recorded_cluster(folder), settings_of(folder)
    return Subject(
        name="",
        namespace=pod["metadata"]["namespace"],
        labels=pod["metadata"].get("labels") or {},
        annotations=pod["metadata"].get("annotations") or {},
        spec=pod["spec"],
        config=read_system_config(settings.kserve_namespace, reader),
        kserve_namespace=settings.kserve_namespace,
        reader=reader,
        release=settings.release,
        logger=read_given(folder, "input.yaml")["spec"]["predictor"].get("logger"),
    )


@pytest.mark.parametrize("name", DENIED)
def test_what_the_webhook_refuses_is_refused(name: str) -> None:
    assert problems(CASES[name])


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].name in REFUSED])
def test_what_we_refuse_is_refused_by_its_rule(name: str) -> None:
    rule, row = REFUSED[CASES[name].name]
    assert rule in {problem.rule for problem in problems(CASES[name])}
    assert has_row(row, CASES[name].name)


def test_every_recorded_case_is_looked_at() -> None:
    assert {release: len(later_cases(release)) for release in LATER} == {KServe.V0_20: 110}
