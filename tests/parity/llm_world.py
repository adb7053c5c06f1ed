# SPDX-License-Identifier: GPL-3.0-or-later
"""What a recorded sequence of an LLMInferenceService has brought about after a number of steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from module_utils.kinds.llm_inference_service.compile import compile as compile_service
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.spec import KIND
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError
from module_utils.kube.reference import Reference

from .compare import Key, by_key, differences, key_of, reduced, shortfalls
from .recorded_llm_services import (
    RECORDINGS,
    Recorded,
    read_all,
    recorded_cluster,
    recorded_settings,
)
from .world import merged

#: What the recordings leave out of the certificate's Secret.
KEYS = {"tls.crt": "eA==", "tls.key": "eA=="}


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
            world.take(step)
        return world

    def take(self, step: Path) -> None:
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
        for deleted in listed(step / "deleted.yaml"):
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
        metadata = {**manifest["metadata"], "generation": self._generation(key, manifest)}
        made = {**manifest, "metadata": metadata, **keys}
        self.objects[key] = {**made, "status": status} if status else made
        self.sent[key] = manifest
        self.edited.discard(key)
        self.left.discard(key)
        (self.updated.add if updated else self.updated.discard)(key)

    def _generation(self, key: Key, manifest: Json) -> int:
        """Return the generation after a write: it rises where the spec becomes another, which the server's defaults do not make it."""
        before = self.objects.get(key)
        if before is None or key not in self.sent:
            return 1
        known: int = before["metadata"].get("generation", 1)
        return known if holds(manifest.get("spec"), before.get("spec")) else known + 1

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


def listed(path: Path) -> list[Json]:
    return [
        each for found in read_all(path) for each in (found if isinstance(found, list) else [found])
    ]


def holds(later: Any, before: Any) -> bool:
    """Tell whether a value says all that an earlier one has said, with nothing in its lists that was not there."""
    if isinstance(before, dict):
        return isinstance(later, dict) and all(holds(later.get(key), before[key]) for key in before)
    if isinstance(before, list):
        same = isinstance(later, list) and len(later) == len(before)
        return same and all(map(holds, later, before))
    return bool(later == before)


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
