# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of a baseRef that a later layer replaces as a whole: Kubernetes merges containers by name, but no arguments, tolerations or adapters.

Source: KServe pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from ...kube.command_line import placed_flags, words
from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.redact import redact
from ...kube.strategic_merge import PLAIN, Shape
from ...kube.text import few
from ..check import WARNING, Check, check
from ..view import ServiceView
from .presets.merge import SPEC
from .resolved import Resolved

_ARGUMENTS = ("command", "args")
#: Other lists that a later layer replaces, and that people expect to grow.
_OTHERS = frozenset(
    {
        *("adapters", "hostnames", "nodeSelectorTerms", "parentRefs", "refs", "tolerations"),
        "preferredDuringSchedulingIgnoredDuringExecution",
        "requiredDuringSchedulingIgnoredDuringExecution",
    }
)
_SHOWN = 6

REPLACED = Check(
    "list-replaced",
    WARNING,
    finds="{name}: this list replaces that of {base} as a whole, so {lost} {verb} lost",
    fix="repeat what you want to keep",
)


class _List(NamedTuple):
    """A list of a layer. key: what it is in every layer. path: where it is in a spec. container: that it belongs to, empty for none."""

    key: tuple[str, ...]
    path: str
    items: Sequence[Any]
    container: Json


class Layer(NamedTuple):
    """A baseRef, or the service itself. named: where the author names it, empty for the service."""

    name: str
    spec: Json
    named: str = ""


@check(REPLACED, costly=True)
def replaced(view: ServiceView) -> Iterator[Problem]:
    """Yield lists that replace those of a baseRef, where something of the baseRef gets lost."""
    resolved: Resolved = view.basis
    kept = {each.key: each for each in _lists(resolved.spec, SPEC)}
    below: dict[tuple[str, ...], tuple[Layer, _List]] = {}
    for layer in layers(resolved):
        for found in _lists(layer.spec, SPEC):
            lower = below.get(found.key)
            below[found.key] = layer, found
            lost = _lost(lower[1], kept.get(found.key)) if lower else []
            if lower and lost:
                yield REPLACED.at(
                    layer.named or f"spec.{found.path}",
                    name=found.key[-1],
                    base=lower[0].name,
                    lost=few(lost, _SHOWN),
                    verb="is" if len(lost) == 1 else "are",
                )


def layers(resolved: Resolved) -> Iterator[Layer]:
    """Yield the author's baseRefs and the service itself, the weakest first."""
    own = resolved.service.spec
    count = len(own.get("baseRefs") or ())
    bases = resolved.presets[len(resolved.presets) - count :] if count else ()
    for number, preset in enumerate(bases):
        yield Layer(preset.name, preset.spec, f"spec.baseRefs[{number}].name")
    yield Layer("", own)


def _lists(part: Json, shape: Shape, key: tuple[str, ...] = (), path: str = "") -> Iterator[_List]:
    """Yield the lists below a part of a spec that are replaced as a whole. Items of lists that are merged are told apart by their key."""
    for name, value in part.items():
        where = f"{path}.{name}" if path else name
        if isinstance(value, dict):
            inner = shape.inner.get(name, PLAIN)
            yield from () if inner.raw else _lists(value, inner, (*key, name), where)
        elif isinstance(value, list) and name in shape.keyed:
            known_by, inner = shape.keyed[name]
            for number, item in enumerate(value):
                item_key = (*key, name, str(item.get(known_by)))
                yield from _lists(item, inner, item_key, f"{where}[{number}]")
        elif isinstance(value, list) and (name in _OTHERS or name in _ARGUMENTS):
            yield _List((*key, name), where, value, part)


def _lost(lower: _List, kept: _List | None) -> list[str]:
    """Return what of a list is not in the merged one, as messages show it."""
    if kept is None:
        return []
    name = lower.key[-1]
    if name not in _ARGUMENTS:
        return [
            _named(each, f"{name}[{number}]")
            for number, each in enumerate(lower.items)
            if each not in kept.items
        ]
    flags = {flag.name for flag in placed_flags(kept.container)}
    shown: list[str] = [str(each) for each in redact({"args": list(lower.items)})["args"]]
    # The program that a command starts is replaced on purpose.
    first = takewhile(lambda word: not word.startswith("-"), shown)
    lost = [word for word in first if name == "args" and word not in words(kept.container)]
    for flag in placed_flags({"args": shown}):
        if flag.name.startswith("--") and flag.name != "--" and flag.name not in flags:
            value = "" if flag.value.startswith("-") else flag.value
            lost.append(f"{flag.name}={value}" if value else flag.name)
    return list(dict.fromkeys(lost))


def _named(item: Any, place: str) -> str:
    """Return how messages call an item. place: in its list, for what has no name."""
    if not isinstance(item, dict):
        return str(item)
    return str(item.get("name") or item.get("key") or place)
