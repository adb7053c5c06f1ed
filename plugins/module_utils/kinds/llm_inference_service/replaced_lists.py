# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of a baseRef that a later layer replaces as a whole: Kubernetes merges containers by name, but no arguments, and no tolerations.

Source: KServe pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from ...kube.command_line import placed_flags, words
from ...kube.containers import containers_of
from ...kube.manifest import Json, value_at
from ...kube.problem import Problem
from ...kube.redact import redact
from ...kube.text import few
from ..check import WARNING, Check, check
from ..kserve.pod import container_of
from ..view import ServiceView
from .resolved import Resolved

#: Where pods stand in a spec.
_PODS = (
    *(("template",), ("worker",), ("prefill", "template"), ("prefill", "worker")),
    *(("router", "scheduler", "template"), ("router", "scheduler", "tokenizer", "template")),
)
_ARGUMENTS = ("command", "args")
_TOLERATIONS = "tolerations"
_SHOWN = 6

REPLACED = Check(
    "list-replaced",
    WARNING,
    finds="{name}: this list replaces that of {base} as a whole, so {lost} {verb} lost",
    fix="repeat what you want to keep",
)


class _List(NamedTuple):
    """A list of a layer. pod: where its pod stands in a spec. container: its list and its name, empty for a list of the pod. path: in a spec."""

    pod: tuple[str, ...]
    container: tuple[str, str]
    name: str
    path: str
    items: Sequence[Any]


class _Layer(NamedTuple):
    """A baseRef, or the service itself. named: where the author names it, empty for the service."""

    name: str
    spec: Json
    named: str = ""


@check(REPLACED, costly=True)
def replaced(view: ServiceView) -> Iterator[Problem]:
    """Yield lists that replace those of a baseRef, where something of the baseRef gets lost."""
    resolved: Resolved = view.basis
    below: dict[Any, tuple[_Layer, _List]] = {}
    for layer in _layers(resolved):
        for found in _lists(layer.spec):
            key = (found.pod, found.container, found.name)
            lower = below.get(key)
            below[key] = layer, found
            lost = _lost(lower[1], resolved.spec) if lower else []
            if lower and lost:
                yield REPLACED.at(
                    layer.named or f"spec.{found.path}",
                    name=found.name,
                    base=lower[0].name,
                    lost=few(lost, _SHOWN),
                    verb="is" if len(lost) == 1 else "are",
                )


def _layers(resolved: Resolved) -> Iterator[_Layer]:
    """Yield the author's baseRefs and the service itself, the weakest first."""
    own = resolved.service.spec
    count = len(own.get("baseRefs") or ())
    bases = resolved.presets[len(resolved.presets) - count :] if count else ()
    for number, preset in enumerate(bases):
        yield _Layer(preset.name, preset.spec, f"spec.baseRefs[{number}].name")
    yield _Layer("", own)


def _lists(spec: Json) -> Iterator[_List]:
    """Yield the lists of a layer that are replaced as a whole."""
    for steps in _PODS:
        pod, path = value_at(spec, steps) or {}, ".".join(steps)
        if pod.get(_TOLERATIONS):
            yield _List(steps, ("", ""), _TOLERATIONS, f"{path}.{_TOLERATIONS}", pod[_TOLERATIONS])
        for container, place in containers_of(pod):
            of = (place.partition("[")[0], str(container.get("name")))
            for name in _ARGUMENTS:
                if container.get(name):
                    yield _List(steps, of, name, f"{path}.{place}.{name}", container[name])


def _lost(lower: _List, spec: Json) -> list[str]:
    """Return what of a list is nowhere in a merged spec, as messages show it."""
    pod = value_at(spec, lower.pod) or {}
    if lower.name == _TOLERATIONS:
        kept = pod.get(_TOLERATIONS) or ()
        return [_toleration(each) for each in lower.items if each not in kept]
    field, name = lower.container
    container = container_of(pod, name, field) or {}
    flags = {flag.name for flag in placed_flags(container)}
    shown: list[str] = [str(each) for each in redact({"args": list(lower.items)})["args"]]
    # The program that a command starts is replaced on purpose.
    first = takewhile(lambda word: not word.startswith("-"), shown)
    lost = [word for word in first if lower.name == "args" and word not in words(container)]
    for flag in placed_flags({"args": shown}):
        if flag.name.startswith("--") and flag.name != "--" and flag.name not in flags:
            value = "" if flag.value.startswith("-") else flag.value
            lost.append(f"{flag.name}={value}" if value else flag.name)
    return list(dict.fromkeys(lost))


def _toleration(each: Json) -> str:
    return f"the toleration of {each.get('key') or 'every taint'}"
