# SPDX-License-Identifier: GPL-3.0-or-later
"""From a place in a child of a service to where its author, a preset or a runtime says it.

A kind lists the origins of each child, strongest first; the map follows a path of the child through what is written there. Items of a list are
told apart by their key, as in a merge, or by what they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ..kube.manifest import Json
from ..kube.reference import Reference
from ..kube.schema_check import child_path

_TOKEN = re.compile(r'\["(?P<quoted>[^"]*)"\]|\[(?P<item>[^\]"]*)\]|(?P<field>[^.\[\]]+)')
#: What tells the items of a list apart. Source: struct tags of k8s.io/api v0.36.3.
_KEYS: Mapping[str, str] = {
    "containers": "name",
    "initContainers": "name",
    "volumes": "name",
    "env": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "ports": "containerPort",
    "imagePullSecrets": "name",
    "resourceClaims": "name",
    "topologySpreadConstraints": "topologyKey",
    "hostAliases": "ip",
}
_NOTHING = object()


class Place(NamedTuple):
    """Where something is mended. field: as it is written there. object: the preset or runtime that says it, empty for the service itself.

    exact: it is there; else nobody wrote it, and it follows from the field.
    """

    field: str
    object: str = ""
    exact: bool = True

    @property
    def is_authors(self) -> bool:
        """Whether the service itself has it there: neither a preset or runtime nor a controller brings it."""
        return self.exact and not self.object


class Origin(NamedTuple):
    """Something that parts of a child come from.

    child: the part, for example `spec.template.spec.containers[vllm].env`: an item of a list by its key, a word by itself; empty for the
    whole child.
    field: where it is written. value: what is there. object: as in `Place`.
    """

    child: str
    field: str
    value: Any = None
    object: str = ""


class _Step(NamedTuple):
    """One step into a manifest: a field, or an item of the list `field`."""

    field: str
    number: int | None = None


class FieldMap:
    """The map of one service. origins: of each child, strongest first; asked for only where something is looked up."""

    def __init__(
        self, origins: Callable[[Reference], Sequence[Origin]], manifests: Sequence[Json]
    ) -> None:
        self._origins = origins
        self._manifests = manifests

    @cached_property
    def _children(self) -> Mapping[Reference, Json]:
        return {Reference.of(manifest): manifest for manifest in self._manifests}

    def at(self, reference: Reference, path: str) -> Place:
        """Return where a part of a child comes from. reference: the child. path: in it, for example `spec.template.spec.containers[0].image`."""
        child = self._children.get(reference, {})
        steps, values = _walk(child, path)
        found = [
            match
            for origin in self._origins(reference)
            if (match := _match(origin, steps, values)) is not None
        ]
        if not found:
            return Place(f"{reference}: {path}")
        best = max(found, key=lambda match: match.rank)
        return best.place

    def beneath(self, reference: Reference, path: str) -> Iterator[tuple[str, Any]]:
        """Yield what presets and runtimes write at a place of a child where it has something else: who does, and what."""
        steps, values = _walk(self._children.get(reference, {}), path)
        for origin in self._origins(reference):
            match = _match(origin, steps, values) if origin.object else None
            if match is not None and match.complete and match.value != values[-1]:
                yield origin.object, match.value

    def of_pod(self, reference: Reference, template: str) -> Callable[[str], Place]:
        """Return the map of the pods of a workload: from a place in the pod, for example `containers[0].args[3]`. template: where they are."""
        return lambda path: self.at(reference, f"{template}.spec.{path}")


#: Of what comes from nowhere.
NOWHERE = FieldMap(lambda dummy: (), ())


class _Match(NamedTuple):
    """How far an origin leads towards a part of a child. rank: the higher, the surer. value: what is written there, of a complete one."""

    rank: tuple[bool, bool, int]
    place: Place
    value: Any = None

    @property
    def complete(self) -> bool:
        """Whether something is written at the part itself."""
        return self.rank[1]


def _walk(child: Json, path: str) -> tuple[list[_Step], list[Any]]:
    """Return the steps of a path, and the child's values at each of them and before the first."""
    steps: list[_Step] = []
    values: list[Any] = [child]
    for token in _TOKEN.finditer(path):
        item = token["item"]
        last = steps[-1].field if steps else ""
        step = _Step(last, int(item)) if item is not None else _Step(_name(token))
        steps.append(step)
        values.append(_next(values[-1], step))
    return steps, values


def _name(token: re.Match[str]) -> str:
    """Return the field of a token, which may be an empty text in quotes."""
    quoted, field = token["quoted"], token["field"]
    return str(field if quoted is None else quoted)


def _next(value: Any, step: _Step) -> Any:
    if step.number is not None:
        inside = isinstance(value, Sequence) and step.number < len(value)
        return value[step.number] if inside else _NOTHING
    return value.get(step.field, _NOTHING) if isinstance(value, Mapping) else _NOTHING


def _match(origin: Origin, steps: Sequence[_Step], values: Sequence[Any]) -> _Match | None:
    """Return how far an origin leads, None where it is about another part."""
    begin = _depth(origin.child, steps, values)
    if begin is None:
        return None
    value, field, depth = origin.value, origin.field, begin
    while depth < len(steps):
        step = steps[depth]
        here, value_there = _taken(value, step, values[depth], values[depth + 1])
        if value_there is _NOTHING:
            break
        field = f"{field}[{here}]" if step.number is not None else _joined(field, step.field)
        value, depth = value_there, depth + 1
    complete = depth == len(steps) and value is not None
    if complete:
        equal = value == values[-1]
        return _Match((equal, True, depth), Place(field, origin.object), value)
    rest = steps[depth:]
    if depth > begin and all(step.number is None for step in rest):
        # What holds it is written there, so it belongs there, too.
        return _Match((False, False, depth), Place(_with_rest(field, rest), origin.object))
    # Nobody wrote it: it follows from what the author says of the whole.
    return _Match((False, False, begin), Place(origin.field, origin.object, exact=False))


def _depth(child: str, steps: Sequence[_Step], values: Sequence[Any]) -> int | None:
    """Return how many steps lead to the part of an origin, None where the path leads elsewhere."""
    depth = 0
    for token in _TOKEN.finditer(child):
        if depth >= len(steps):
            return None
        item, step = token["item"], steps[depth]
        if item is None:
            fits = step.number is None and step.field == (_name(token))
        else:
            key = _KEYS.get(step.field, "name")
            there = values[depth + 1]
            named = there.get(key) if isinstance(there, Mapping) else there
            fits = step.number is not None and str(named) == item
        if not fits:
            return None
        depth += 1
    return depth


def _taken(value: Any, step: _Step, siblings: Any, wanted: Any) -> tuple[int, Any]:
    """Return the part of a value that a step leads to, and of a list its number there."""
    if step.number is None:
        return 0, _next(value, step)
    if not isinstance(value, Sequence) or isinstance(value, str) or wanted is _NOTHING:
        return 0, _NOTHING
    numbers = list(_alike(value, step.field, wanted))
    if not numbers:
        return 0, _NOTHING
    # Of several that are alike, the one that is as far from the end: lists grow in front, where something is computed.
    behind = sum(1 for dummy in _alike(siblings[step.number + 1 :], step.field, wanted))
    number = numbers[max(len(numbers) - 1 - behind, 0)]
    return number, value[number]


def _alike(items: Sequence[Any], field: str, wanted: Any) -> Iterator[int]:
    """Yield the numbers of the items that are the wanted one."""
    key = _KEYS.get(field)
    named = wanted.get(key) if key and isinstance(wanted, Mapping) else None
    for number, item in enumerate(items):
        if named is not None and isinstance(item, Mapping):
            if item.get(key) == named:
                yield number
        elif item == wanted:
            yield number


def _joined(field: str, name: str) -> str:
    return child_path(field, name) if field else name


def _with_rest(field: str, steps: Sequence[_Step]) -> str:
    for step in steps:
        field = _joined(field, step.field)
    return field
