# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines of engines as people mistype them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from module_utils.kube.schema import Object

from .places import Place, Spoilt, put
from .registry import Service, mistake


def engines(service: Service) -> Iterator[Place]:
    """Yield what has the arguments of an engine."""
    for place in service.places:
        fields = place.schema.fields if isinstance(place.schema, Object) else {}
        main = isinstance(place.value, dict) and place.value.get("name") in (
            "main",
            "kserve-container",
        )
        picker = ".scheduler." in place.path or "nitContainers" in place.path
        engine = main or place.path in ("spec.engine", "spec.predictor.model")
        if "args" in fields and engine and not picker:
            yield place


def runs_vllm(service: Service, place: Place) -> bool:
    """Tell whether an engine is vLLM: predictive servers have none of its flags."""
    if service.kind != "InferenceService":
        return True
    words = (place.value.get("modelFormat"), place.value.get("image"), place.value.get("command"))
    return any(name in str(words).lower() for name in ("huggingface", "vllm"))


def _flag_of_vllm(service: Service, item: str) -> Iterator[Spoilt]:
    for place in engines(service):
        if runs_vllm(service, place):
            yield _with_argument(service, place, item)


def _argument(service: Service, item: Any) -> Iterator[Spoilt]:
    for place in engines(service):
        yield _with_argument(service, place, item)


def _with_argument(service: Service, place: Place, item: Any) -> Spoilt:
    there = list(place.value.get("args") or ())
    document = put(service.document, (*place.steps, "args"), [*there, item])
    return Spoilt(document, (f"{place.path}.args[{len(there)}]",))


@mistake
def argument_with_a_blank(service: Service) -> Iterator[Spoilt]:
    yield from _argument(service, "--max-model-len 8192")


@mistake
def argument_as_number(service: Service) -> Iterator[Spoilt]:
    yield from _argument(service, 8192)


@mistake
def argument_as_map(service: Service) -> Iterator[Spoilt]:
    yield from _argument(service, {"--max-model-len": 8192})


@mistake
def argument_with_a_dash_of_typography(service: Service) -> Iterator[Spoilt]:
    yield from _argument(service, "\N{EN DASH}\N{EN DASH}max-model-len=8192")


@mistake
def argument_with_quotes_of_typography(service: Service) -> Iterator[Spoilt]:
    quoted = "\N{LEFT DOUBLE QUOTATION MARK}auto\N{RIGHT DOUBLE QUOTATION MARK}"
    yield from _argument(service, f"--dtype={quoted}")


@mistake
def parser_with_dashes(service: Service) -> Iterator[Spoilt]:
    yield from _flag_of_vllm(service, "--reasoning-parser=deepseek-r1")


@mistake
def flag_with_one_dash(service: Service) -> Iterator[Spoilt]:
    yield from _flag_of_vllm(service, "-max-model-len=8192")


@mistake
def argument_with_its_quotes(service: Service) -> Iterator[Spoilt]:
    yield from _argument(service, "--dtype='bfloat16'")


@mistake
def template_in_no_volume(service: Service) -> Iterator[Spoilt]:
    yield from _flag_of_vllm(service, "--chat-template=/templates/chat.jinja")


@mistake
def engine_that_listens_to_itself(service: Service) -> Iterator[Spoilt]:
    yield from _argument(service, "--host=127.0.0.1")


@mistake
def engine_at_a_socket(service: Service) -> Iterator[Spoilt]:
    yield from _flag_of_vllm(service, "--uds=/tmp/engine.sock")


@mistake
def arguments_in_one_text(service: Service) -> Iterator[Spoilt]:
    for place in engines(service):
        document = put(service.document, (*place.steps, "args"), "--max-model-len 8192")
        yield Spoilt(document, (f"{place.path}.args",))


@mistake
def variable_of_a_shell_in_arguments(service: Service) -> Iterator[Spoilt]:
    yield from _argument(service, "--max-model-len=${MAX_LEN}")


@mistake
def port_of_another(service: Service) -> Iterator[Spoilt]:
    # What a runtime's server takes, only its author knows.
    if service.kind != "InferenceService":
        yield from _argument(service, "--port=9999")
