# SPDX-License-Identifier: GPL-3.0-or-later
"""What a recorded sequence has brought about after a number of steps, and how far our children agree with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field

from module_utils.fleet.compile import compile_fleet, paired
from module_utils.fleet.service import Service
from module_utils.kinds.model_service.kind import MODEL_SERVICE
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError
from module_utils.kube.reader import GivenObjects
from module_utils.kube.reference import Reference
from module_utils.kube.release import ChosenRelease

from .compare import Key, by_key, differences, key_of, reduced, shortfalls
from .recorded_services import settings_of
from .replay import (
    ApplyService,
    Create,
    Delete,
    DeploymentStatus,
    Operation,
    Patch,
    SetCrd,
    StartControllers,
    StartOperator,
    Step,
    StopOperator,
    Wait,
)

#: Kinds whose `spec` the operator replaces as a whole; of others it sends the live object with its parts set.
REPLACED = {"Deployment", "InferencePool", "HTTPRoute", "PodMonitor", "ServiceMonitor"}


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

    @classmethod
    def after(cls, steps: Iterable[Step]) -> World:
        """Return what the first steps of a sequence have brought about."""
        world = cls({})
        for step in steps:
            world.settings = world.settings or step.settings
            world._take(step)
        return world

    def _take(self, step: Step) -> None:
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

    def _act(self, operation: Operation) -> None:
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
                self.left_behind |= _children([self.services.pop(target)], self.settings).keys()
            case StartOperator(settings):
                self.settings, self.running = settings, True
            case StopOperator():
                self.running = False
            case Delete() | DeploymentStatus() | StartControllers() | Wait() | SetCrd():
                pass

    def refusals(self) -> set[str]:
        """Return the rules by which we would refuse a service, or all of them together."""
        settings = settings_of(self.settings)
        loaded = [MODEL_SERVICE.load(document, settings) for document in self.services.values()]
        rules = {
            each.rule for found in loaded for each in found.problems if each.severity == "error"
        }
        services = [
            Service(
                str(each.service.reference),
                MODEL_SERVICE,
                each.service.reference,
                each.service,
                settings,
                ChosenRelease(settings.release, "option", ""),
            )
            for each in loaded
            if each.service is not None
        ]
        try:
            compile_fleet(services, GivenObjects(), paired)
        except InputError as error:
            rules |= {each.rule for found in error.complaints for each in found.problems}
        return rules

    def differences(self) -> list[str]:
        """Return where our children differ from those that the operator has sent."""
        ours = _children(list(self.services.values()), self.settings)
        surplus = self.sent.keys() - ours.keys() - self.left_behind
        lines = [f"{_shown(key)}: not wanted by us" for key in sorted(surplus)]
        for key, manifest in sorted(ours.items()):
            lines += list(self._child_differences(key, manifest))
        return lines

    def _child_differences(self, key: Key, ours: Json) -> Iterator[str]:
        if key in self.edited:
            return
        if key not in self.sent:
            yield f"{_shown(key)}: not made by the operator"
            return
        manifest, updated = self.sent[key]
        recorded = reduced(manifest)
        if updated:
            # Annotations of others stay in what the operator sends.
            recorded["metadata"].pop("annotations", None)
            metadata = {k: v for k, v in ours["metadata"].items() if k != "annotations"}
            ours = {**ours, "metadata": metadata}
        if updated and key[1] not in REPLACED:
            yield from (f"{_shown(key)}: {line}" for line in shortfalls(ours, recorded))
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


def _shown(key: Key) -> str:
    return str(Reference(*key))


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
