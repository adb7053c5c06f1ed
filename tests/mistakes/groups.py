# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of a group that do not run one engine, and lists that take the place of those of a baseRef."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .command_lines import engines
from .places import Json, Place, Spoilt, put
from .registry import Service, mistake

_LEADER = ["vllm", "serve", "/mnt/models", "--served-model-name", "chat"]


def _groups(service: Service) -> Iterator[tuple[Place, Place]]:
    """Yield the engines of leaders and of their workers, of decode and of prefill."""
    if service.kind != "LLMInferenceService":
        return
    found = {place.path: place for place in engines(service)}
    for path, leader in found.items():
        worker = found.get(path.replace(".template.", ".worker.", 1))
        if worker is not None and worker is not leader:
            yield leader, worker


def _both(service: Service, leader: Place, worker: Place, **parts: tuple[Any, Any]) -> Json:
    """Return the service with fields of leader and worker."""
    document = service.document
    for name, values in parts.items():
        for place, value in zip((leader, worker), values, strict=True):
            document = put(document, (*place.steps, name), value)
    return document


@mistake
def group_told_differently(service: Service) -> Iterator[Spoilt]:
    for leader, worker in _groups(service):
        arguments = (["--max-model-len=8192"], ["--max-model-len=4096"])
        document = _both(service, leader, worker, command=(_LEADER, _LEADER), args=arguments)
        yield Spoilt(document, (f"{worker.path}.args", worker.path))


@mistake
def group_with_other_devices(service: Service) -> Iterator[Spoilt]:
    for leader, worker in _groups(service):
        devices = tuple({"limits": {name: "1"}} for name in ("nvidia.com/gpu", "amd.com/gpu"))
        document = _both(service, leader, worker, resources=(devices[0], devices[1]))
        yield Spoilt(document, (f"{worker.path}.resources", worker.path, leader.path))


@mistake
def list_of_a_base_replaced(service: Service) -> Iterator[Spoilt]:
    named = [each.get("name") for each in service.document["spec"].get("baseRefs") or ()]
    bases = [
        each["spec"]
        for each in service.source.objects
        if each.get("kind") == "LLMInferenceServiceConfig" and each["metadata"]["name"] in named
    ]
    if any(_arguments(spec) for spec in bases):
        for place in engines(service):
            if place.path.startswith("spec.template."):
                document = put(service.document, (*place.steps, "args"), ["--seed=7"])
                yield Spoilt(document, (f"{place.path}.args",))


def _arguments(spec: Mapping[str, Any]) -> list[Any]:
    """Return the arguments of the engine in a base."""
    containers = (spec.get("template") or {}).get("containers") or ()
    return [
        item for each in containers if each["name"] == "main" for item in each.get("args") or ()
    ]
