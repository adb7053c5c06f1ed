# SPDX-License-Identifier: GPL-3.0-or-later
"""After each step of a recorded sequence our children are those that the operator has left in the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kube.reader import GivenObjects
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from ansible_collections.modelops.inference.plugins.module_utils.services.model_service.kind import (
    MODEL_SERVICE,
)

from .compare import Key, by_key, differences, key_of, reduced, shortfalls
from .recorded_services import settings_of
from .replay import (
    ApplyService,
    Create,
    Delete,
    DeploymentStatus,
    Patch,
    SetCrd,
    StartControllers,
    StartOperator,
    Step,
    StopOperator,
    Wait,
    sequences,
)

Json = dict[str, Any]

#: Kinds whose `spec` the operator replaces as a whole; of others it sends the live object with its parts set.
REPLACED = {"Deployment", "InferencePool", "HTTPRoute", "PodMonitor", "ServiceMonitor"}

PICKER = "Deployment seq/maps-epp: .spec.template.spec.containers[0].resources"

#: Steps after which ours differ on purpose: row of docs/differences.md, and each difference.
DIFFERENT = {
    # Empty maps count as absent at any time, as they do for the operator when a service is created.
    "SEQ-empty-maps-later/step-2": (
        "empty-values",
        [
            f"{PICKER}: recorded None, ours {{'requests': {{'cpu': '4', 'memory': '8Gi'}}, "
            "'limits': {'memory': '16Gi'}}"
        ],
    ),
}


@dataclass
class World:
    """What a sequence has brought about so far.

    services: the ModelServices as last given. sent: each child as the operator last sent it, True where that was an update.
    edited: children that somebody else changed after that. left_behind: children of services that are gone.
    """

    settings: Json
    running: bool = True
    services: dict[Reference, Json] = field(default_factory=dict)
    sent: dict[Key, tuple[Json, bool]] = field(default_factory=dict)
    edited: set[Key] = field(default_factory=set)
    left_behind: set[Key] = field(default_factory=set)

    def after(self, step: Step) -> None:
        """Let a step happen."""
        for operation in step.operations:
            self._act(operation)
        for manifest in step.created:
            self._send(manifest, updated=False)
        for manifest in step.updated:
            self._send(manifest, updated=True)
        recreated = {key_of(manifest) for manifest in step.created}
        for reference in step.deleted:
            key = _key(reference)
            if key not in recreated:
                self.sent.pop(key, None)
                self.edited.discard(key)

    def _send(self, manifest: Json, *, updated: bool) -> None:
        key = key_of(manifest)
        self.sent[key] = (manifest, updated)
        self.edited.discard(key)
        self.left_behind.discard(key)

    def _act(self, operation: object) -> None:
        match operation:
            case ApplyService(document):
                self.services[Reference.of(document)] = document
            case Patch(target, patch) if target in self.services:
                self.services[target] = merged(self.services[target], patch)
            case Patch(target):
                self.edited.add(_key(target))
            case Create(manifest):
                self.edited.add(key_of(manifest))
            case Delete(target) if target in self.services:
                document = self.services.pop(target)
                self.left_behind |= _children([document], self.settings).keys() if self.running else set()
            case StartOperator(settings):
                self.settings, self.running = settings, True
            case StopOperator():
                self.running = False
            case Delete() | DeploymentStatus() | StartControllers() | Wait() | SetCrd():
                pass
            case _:
                raise AssertionError(f"{operation} is not understood")

    def refused(self) -> bool:
        """Tell whether we would refuse one of the services, or all of them together."""
        settings = settings_of(self.settings)
        loaded = [MODEL_SERVICE.load(document, settings).service for document in self.services.values()]
        known = [service for service in loaded if service is not None]
        return len(known) < len(loaded) or bool(MODEL_SERVICE.conflicts(known, settings))

    def differences(self) -> list[str]:
        """Return where our children differ from those that the operator has sent."""
        ours = _children(list(self.services.values()), self.settings)
        lines = [f"{key}: not wanted by us" for key in self.sent.keys() - ours.keys() - self.left_behind]
        for key, manifest in ours.items():
            lines += list(self._child_differences(key, manifest))
        return lines

    def _child_differences(self, key: Key, ours: Json) -> Iterator[str]:
        if key in self.edited:
            return
        if key not in self.sent:
            yield f"{key}: not made by the operator"
            return
        manifest, updated = self.sent[key]
        recorded = reduced(manifest)
        if updated:
            # Annotations of others stay in what the operator sends.
            recorded["metadata"].pop("annotations", None)
            ours = {**ours, "metadata": {k: v for k, v in ours["metadata"].items() if k != "annotations"}}
        if updated and key[1] not in REPLACED:
            yield from (f"{key[1]} {key[2]}/{key[3]}: {line}" for line in shortfalls(ours, recorded))
        else:
            yield from differences({key: ours}, {key: recorded})


def merged(document: Json, patch: Json) -> Json:
    """Return a document with a JSON merge patch applied."""
    result = deepcopy(document)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            given = result.get(key)
            result[key] = merged(given if isinstance(given, dict) else {}, value)
        else:
            result[key] = value
    return result


def _key(reference: Reference) -> Key:
    return (reference.api_version, reference.kind, reference.namespace, reference.name)


def _children(documents: list[Json], recorded_settings: Json) -> dict[Key, Json]:
    settings = settings_of(recorded_settings)
    found: dict[Key, Json] = {}
    for document in documents:
        service = MODEL_SERVICE.load(document, settings).service
        if service is not None:
            intent = MODEL_SERVICE.compile(service, settings, GivenObjects())
            found |= by_key(child.manifest.to_dict() for child in intent.children)
    return found


def stopped_by_an_error(step: Step) -> bool:
    """Tell whether the operator got stuck at a child; it makes none of those that come after it."""
    conditions = [
        condition
        for entry in step.status
        if isinstance(entry["status"], dict)
        for condition in entry["status"].get("conditions", ())
    ]
    return any(condition["reason"] == "ReconcileError" for condition in conditions)


SEQUENCES = sequences()


def test_every_sequence_is_read() -> None:
    assert len(SEQUENCES) == 24
    assert sum(len(steps) for steps in SEQUENCES.values()) == 111
    for steps in SEQUENCES.values():
        assert [step.number for step in steps] == list(range(1, len(steps) + 1))
        assert all(step.operations and step.description for step in steps)


@pytest.mark.parametrize("name", SEQUENCES)
def test_children_follow_every_step(name: str) -> None:
    steps = SEQUENCES[name]
    world = World(steps[0].settings)
    for step in steps:
        world.after(step)
        print(name, step.number, 'refused' if world.refused() else 'error' if stopped_by_an_error(step) else '')
        if world.refused() or stopped_by_an_error(step) or not world.running:
            continue
        place = f"{name}/{step.folder.name}"
        _row, expected = DIFFERENT.get(place, ("", []))
        assert world.differences() == expected, place
