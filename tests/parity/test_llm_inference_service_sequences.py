# SPDX-License-Identifier: GPL-3.0-or-later
"""After each step of a recorded sequence the children that we want are those that KServe's controller has left in the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.compile import (
    compile as compile_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.spec import (
    KIND,
)

from .compare import Key, by_key, differences, key_of, reduced, shortfalls
from .differences_page import has_row
from .recorded_llm_services import (
    RECORDINGS,
    Recorded,
    read_all,
    recorded_cluster,
    recorded_settings,
)
from .world import merged

Json = dict[str, Any]
#: What the recordings leave out of the certificate's Secret.
KEYS = {"tls.crt": "eA==", "tls.key": "eA=="}

#: Refused before any write: step → `Problem.rule`, which is the row of docs/differences.md.
REFUSED = {
    "SEQ-baseref-change/step-1": "preset",
    "SEQ-baseref-change/step-4": "preset",
    "SEQ-config-error-after-ready/step-2": "preset",
    "SEQ-config-error-after-ready/step-3": "preset",
    "SEQ-delete-own-scheduler-sa/step-2": "service-account",
    "SEQ-service-account-late/step-1": "service-account",
}
#: The API server refuses what the controller wants, for a selector cannot change; only an engine shows what happens then (L3).
STUCK = [
    "SEQ-add-prefill-then-delete-deployment/step-2",
    "SEQ-add-prefill-then-delete-deployment/step-5",
    "SEQ-labels-immutable/step-2",
    "SEQ-labels-immutable/step-3",
    "SEQ-prefill/step-2",
    "SEQ-prefill/step-3",
]
#: Access that the controller leaves behind (L4).
STAYS = [
    "SEQ-add-prefill-then-delete-deployment/step-6",
    "SEQ-lws-status/step-8",
    "SEQ-pool-managed-to-ref/step-2",
    "SEQ-pool-managed-to-ref/step-3",
    "SEQ-stop-start-mn-pd/step-2",
]
#: The picker keeps the configuration that it was first given (L18).
KEPT = [
    "SEQ-add-prefill-then-delete-deployment/step-3",
    "SEQ-add-prefill-then-delete-deployment/step-4",
]
#: Nothing of the router is made while a gateway is missing (L61).
LATE = ["SEQ-late-gateway-and-route/step-1", "SEQ-late-gateway-and-route/step-2"]
ROWS = {
    **REFUSED,
    **dict.fromkeys(STUCK, "L3"),
    **dict.fromkeys(STAYS, "L4"),
    **dict.fromkeys(KEPT, "L18"),
    **dict.fromkeys(LATE, "L61"),
}


@dataclass
class LlmWorld:
    """What a sequence has brought about: the service, the other objects, and each child as the controller last sent it.

    updated: children last sent as updates, which carry the server's defaults and what others wrote. edited: children that
    somebody changed after that. left: children of a service that is gone, which wait for the garbage collector.
    """

    objects: dict[Key, Json]
    service: Json | None = None
    sent: dict[Key, Json] = field(default_factory=dict)
    updated: set[Key] = field(default_factory=set)
    edited: set[Key] = field(default_factory=set)
    left: set[Key] = field(default_factory=set)

    @classmethod
    def after(cls, steps: list[Path]) -> LlmWorld:
        """Return what the first steps of a sequence have brought about."""
        shared = recorded_cluster(steps[0].parent).objects()
        world = cls({key_of(each): each for each in shared})
        for step in steps:
            world._take(step)
        return world

    def _take(self, step: Path) -> None:
        (recorded,) = read_all(step / "action.yaml")
        statuses = []
        for action in recorded["actions"]:
            if "setStatus" in action:
                statuses.append(action)
            else:
                self._act(step, action)
        for name in ("created", "updated"):
            for manifest in read_all(step / f"{name}.yaml"):
                self._send(manifest, updated=name == "updated")
        created = {key_of(each) for each in read_all(step / "created.yaml")}
        for deleted in _listed(step / "deleted.yaml"):
            if key_of(deleted) not in created:
                self._drop(key_of(deleted))
        for action in statuses:
            self._change(action["setStatus"], {"status": action["body"]})

    def _act(self, step: Path, action: Json) -> None:
        if action.get("error"):
            return
        if action.get("apply") == "input.yaml":
            (self.service,) = read_all(step / "input.yaml")
        elif "apply" in action:
            self.objects[key_of(action["apply"])] = action["apply"]
        elif "mergePatch" in action:
            self._patch(action["mergePatch"], action["body"])
        elif action["delete"]["kind"] == KIND:
            self.service, self.left = None, set(self.sent)
        else:
            self._drop(key_of(action["delete"]))

    def _patch(self, target: Json, body: Json) -> None:
        if target["kind"] == KIND:
            # What is written to a service that is being deleted brings nothing back.
            self.service = self.service and merged(self.service, body)
        else:
            self.edited.add(key_of(target))
            self._change(target, body)

    def _change(self, target: Json, body: Json) -> None:
        key = key_of(target)
        if key in self.objects:
            self.objects[key] = merged(self.objects[key], body)

    def _send(self, manifest: Json, *, updated: bool) -> None:
        key = key_of(manifest)
        status = self.objects.get(key, {}).get("status")
        keys = {"data": KEYS} if manifest["kind"] == "Secret" else {}
        self.objects[key] = {**manifest, **keys, **({"status": status} if status else {})}
        self.sent[key] = manifest
        self.edited.discard(key)
        self.left.discard(key)
        (self.updated.add if updated else self.updated.discard)(key)

    def _drop(self, key: Key) -> None:
        self.objects.pop(key, None)
        self.sent.pop(key, None)

    def ours(self) -> dict[Key, Json]:
        """Return the children that we want now. Raises InputError."""
        if self.service is None:
            return {}
        settings = recorded_settings(Path("none"))
        service = load(self.service, settings).service
        assert service is not None
        intent = compile_service(service, settings, Recorded(self.objects.values()))
        return by_key(child.manifest.to_dict() for child in intent.children)

    def differences(self) -> list[str]:
        """Return where our children differ from those that the controller has left."""
        try:
            ours = self.ours()
        except InputError as error:
            rules = [one.rule for each in error.complaints for one in each.problems]
            return [f"refused: {', '.join(rules)}"]
        lines = [
            f"{_shown(key)}: not wanted by us" for key in self.sent.keys() - ours.keys() - self.left
        ]
        lines += [
            f"{_shown(key)}: not made by the controller" for key in ours.keys() - self.sent.keys()
        ]
        for key in ours.keys() & self.sent.keys() - self.edited:
            lines += self._child_differences(key, ours[key])
        return sorted(lines)

    def _child_differences(self, key: Key, ours: Json) -> Iterator[str]:
        recorded = reduced(self.sent[key])
        if key in self.updated:
            yield from (f"{_shown(key)}: {line}" for line in shortfalls(ours, recorded))
        else:
            yield from differences({key: ours}, {key: recorded})


def _listed(path: Path) -> list[Json]:
    return [
        each for found in read_all(path) for each in (found if isinstance(found, list) else [found])
    ]


def _shown(key: Key) -> str:
    return str(Reference(*key))


@cache
def sequences() -> dict[str, list[Path]]:
    """Return each step with those before it: `SEQ-x/step-2` → its folders in order."""
    found: dict[str, list[Path]] = {}
    for folder in sorted(RECORDINGS.glob("SEQ-*")):
        steps = sorted(folder.glob("step-*"), key=lambda path: int(path.name[5:]))
        for number, step in enumerate(steps, 1):
            found[f"{folder.name}/{step.name}"] = steps[:number]
    return found


PLACES = sequences()
EQUAL = sorted(PLACES.keys() - ROWS.keys())


def found(place: str) -> list[str]:
    return LlmWorld.after(PLACES[place]).differences()


@pytest.mark.parametrize("place", EQUAL)
def test_children_after_a_step_are_the_controllers(place: str) -> None:
    assert found(place) == []


@pytest.mark.parametrize("place", REFUSED)
def test_what_cannot_be_built_is_refused(place: str) -> None:
    assert found(place) == [f"refused: {REFUSED[place]}"]


@pytest.mark.parametrize("place", STUCK)
def test_a_selector_that_cannot_change_is_what_we_want_changed(place: str) -> None:
    (rejected, *dummy) = _listed(PLACES[place][-1] / "rejected.yaml")
    deployment = rejected["path"].rpartition("/")[2]
    assert any(f"/{deployment}: .spec.selector." in line for line in found(place))


@pytest.mark.parametrize("place", STAYS)
def test_access_goes_with_what_needs_it(place: str) -> None:
    lines = found(place)
    assert lines
    for line in lines:
        assert line.endswith(": not wanted by us")
        assert line.partition(" ")[0] in ("Role", "RoleBinding", "ClusterRoleBinding")


@pytest.mark.parametrize("place", KEPT)
def test_the_pickers_configuration_follows_the_service(place: str) -> None:
    (line,) = found(place)
    assert "demo-kserve-router-scheduler: .spec.template.spec.containers[0].args[" in line
    assert "prefill-filter" in line.partition("ours ")[2]


@pytest.mark.parametrize("place", LATE)
def test_a_missing_gateway_keeps_nothing_from_being_made(place: str) -> None:
    lines = found(place)
    assert lines
    assert all(line.endswith(": not made by the controller") for line in lines)


@pytest.mark.parametrize("place", ROWS)
def test_every_difference_has_its_row(place: str) -> None:
    assert has_row(ROWS[place], place.partition("/")[0])


def test_every_step_of_every_sequence_is_looked_at() -> None:
    assert len({place.partition("/")[0] for place in PLACES}) == 18
    assert len(PLACES) == 78
    assert len(EQUAL) == 57
