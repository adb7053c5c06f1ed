# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags of vLLM with values that it does not take, or without what they need; probes that nobody answers; devices that nobody has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .command_lines import engines, runs_vllm
from .places import Place, Spoilt, put
from .registry import Service, mistake

_SERVER = ["vllm", "serve", "/mnt/models"]


def _of_vllm(service: Service, *words: str, at: int = 0) -> Iterator[Spoilt]:
    """Yield the service with words behind the arguments of an engine that is vLLM. at: the word that is wrong."""
    for place in engines(service):
        if place.path == "spec.predictor.model" and not runs_vllm(service, place):
            continue
        document, there = _started(service, place)
        document = put(document, (*place.steps, "args"), [*there, *words])
        yield Spoilt(document, (f"{place.path}.args[{len(there) + at}]",))


def _started(service: Service, place: Place) -> tuple[Any, list[Any]]:
    """Return the service with the command of vLLM, where its author gives commands, and the arguments that are there."""
    if place.path == "spec.engine":
        return service.document, list(place.value.get("args") or ())
    named = ["--served-model-name", "chat"]
    return put(service.document, (*place.steps, "command"), _SERVER), named


@mistake
def switch_with_an_answer(service: Service) -> Iterator[Spoilt]:
    yield from _of_vllm(service, "--enable-prefix-caching=true")


@mistake
def share_in_percent(service: Service) -> Iterator[Spoilt]:
    yield from _of_vllm(service, "--gpu-memory-utilization=90")


@mistake
def number_type_that_is_none(service: Service) -> Iterator[Spoilt]:
    yield from _of_vllm(service, "--dtype=fp8")


@mistake
def flag_without_its_value(service: Service) -> Iterator[Spoilt]:
    yield from _of_vllm(service, "--max-model-len")


@mistake
def adapters_that_are_not_switched_on(service: Service) -> Iterator[Spoilt]:
    yield from _of_vllm(service, "--lora-modules", "a=b")


@mistake
def tools_without_a_parser(service: Service) -> Iterator[Spoilt]:
    yield from _of_vllm(service, "--enable-auto-tool-choice")


@mistake
def fewer_tokens_than_requests(service: Service) -> Iterator[Spoilt]:
    yield from _of_vllm(service, "--max-num-batched-tokens=8", "--max-num-seqs=64")


@mistake
def flag_given_twice(service: Service) -> Iterator[Spoilt]:
    yield from _of_vllm(service, "--max-model-len=4096", "--max-model-len=8192", at=1)


@mistake
def device_in_the_plural(service: Service) -> Iterator[Spoilt]:
    for place in service.containers():
        amounts = {"limits": {"nvidia.com/gpus": "1"}}
        document = put(service.document, (*place.steps, "resources"), amounts)
        yield Spoilt(document, (f'{place.path}.resources.limits["nvidia.com/gpus"]',))


@mistake
def devices_of_the_whole_node(service: Service) -> Iterator[Spoilt]:
    for place in engines(service):
        there = list(place.value.get("env") or ())
        env = [*there, {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]
        document = put(service.document, (*place.steps, "env"), env)
        yield Spoilt(document, (f"{place.path}.env[{len(there)}]", f"{place.path}.env"))


@mistake
def probe_of_a_port_without_name(service: Service) -> Iterator[Spoilt]:
    for place in service.containers():
        if "nitContainers" not in place.path:
            probe = {"httpGet": {"path": "/", "port": "nowhere"}}
            document = put(service.document, (*place.steps, "livenessProbe"), probe)
            yield Spoilt(document, (f"{place.path}.livenessProbe",))


@mistake
def flag_of_another_engine(service: Service) -> Iterator[Spoilt]:
    yield from _of_vllm(service, "--mem-fraction-static=0.8")


@mistake
def variable_that_is_a_flag(service: Service) -> Iterator[Spoilt]:
    for place in engines(service):
        document, dummy = _started(service, place)
        there = list(place.value.get("env") or ())
        env = [*there, {"name": "VLLM_MAX_MODEL_LEN", "value": "8192"}]
        document = put(document, (*place.steps, "env"), env)
        yield Spoilt(document, (f"{place.path}.env[{len(there)}]",))


@mistake
def argument_beside_a_script(service: Service) -> Iterator[Spoilt]:
    for place in engines(service):
        if place.path != "spec.engine":
            document = put(service.document, (*place.steps, "command"), ["sh", "-c", "run"])
            document = put(document, (*place.steps, "args"), ["--max-model-len=8192"])
            yield Spoilt(document, (f"{place.path}.args[0]",))
