# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefill and decode in separate pods: whether the work gets there and the cache comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import DECODE, PREFILL, SERVING, ServiceView, Workload
from ..kube.command_line import flags, is_in_quotes, written, written_object
from ..kube.containers import running_in
from ..kube.manifest import Json
from ..kube.problem import Problem
from .devices import size_of
from .engines import model_of, told_to

_TRANSFER = "--kv-transfer-config"
#: Flags of engines that hand the cache over in another way, and files in which more flags are.
_OTHER_WAYS = ("--disaggregation-", "--config", "--enable-disaggregation")
#: Flags of the proxy that say how the cache travels, and connectors of vLLM that travel otherwise, by their value.
#: Source: llm-d-routing-sidecar README; vLLM docs/features/disagg_prefill.md.
_PROXY_FLAGS = ("--connector", "--kv-connector")
_NIXL, _SHARED = "NixlConnector", ("SharedStorageConnector", "ExampleConnector")
_OTHER_CONNECTORS = {
    "nixlv2": _SHARED,
    "shared-storage": (_NIXL,),
    "sglang": (_NIXL, *_SHARED),
}
#: What prefill and decode have to say alike, where both say it; what an engine takes where it does not say it.
_ALIKE = (
    *("--block-size", "--kv-cache-dtype", "--dtype"),
    *("--page-size", "--disaggregation-transfer-backend"),
)
_UNSAID = {"--kv-cache-dtype": "auto"}
#: Variables that decide in which form a cache is kept.
_FORM_VARIABLES = ("VLLM_ATTENTION_BACKEND", "VLLM_KV_CACHE_LAYOUT")
#: What decides which numbers a cache holds: the model, its weights, and how prompts become tokens.
_OF_MODELS = ("--quantization", "--tokenizer", "--revision")
#: How long a request may be, prompt and answer.
_LENGTH = "--max-model-len"
#: The address at which the other engines ask for a cache, and those at which only an engine's own pod finds it.
_SIDE_CHANNEL = "VLLM_NIXL_SIDE_CHANNEL_HOST"
_OWN_POD = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - compared, not listened at

KV_TRANSFER = Check(
    "kv-transfer",
    WARNING,
    finds=f"no {_TRANSFER} is given, so prefill pods hand nothing over and decode pods compute the cache again",
    fix=f"give the engine {_TRANSFER}",
)
PREFILL_TENSOR = Check(
    "prefill-tensor",
    WARNING,
    finds="{prefill} is larger than that of decode, {decode} ({field}); most models cannot hand their KV cache over that way",
    fix="use at most the decode size",
)
CONNECTORS = Check(
    "kv-connector",
    WARNING,
    finds="{ours} of prefill is {mine}, but that of decode is {theirs} ({field}): the cache does not get from one to the other",
    fix="use the same for both",
)
MODELS = Check(
    "kv-connector",
    WARNING,
    finds="{ours} of prefill is {mine}, but that of decode is {theirs} ({field}): decode pods continue with what another model computed",
    fix="use the same for both",
)
PROXY = Check(
    "kv-connector",
    WARNING,
    finds="the proxy has connector {ours}, and the engine {theirs}: the cache does not get from prefill to decode",
    fix="set the proxy's connector to {wanted}",
)
ROLE = Check(
    "kv-role",
    WARNING,
    finds="{role} pods have kv_role {given} and only {what}, so the cache does not get from prefill to decode",
    fix="use kv_both, or {wanted} for {role} pods",
)
UNREAD = Check(
    "kv-transfer",
    WARNING,
    finds=f"{_TRANSFER} is no JSON object, and the engine will not start",
    fix="write it as one word in JSON, with names and texts in double quotes, and in quotes of its own where a shell splits the line",
)
SHORTER = Check(
    "kv-connector",
    WARNING,
    finds=f"{_LENGTH} of prefill is {{mine}}, and that of decode {{theirs}} ({{field}}): decode pods refuse the prompts that are longer",
    fix="give decode at least as much",
)
SIDE_CHANNEL = Check(
    "kv-connector",
    WARNING,
    finds=f"{_SIDE_CHANNEL} is {{value}}, where no other pod finds this one, so the cache does not get from prefill to decode",
    fix="take the pod's address, with valueFrom.fieldRef.fieldPath: status.podIP",
)
NO_SENDER = Check(
    "prefill-without-proxy",
    WARNING,
    finds="prefill pods get no work without {field}, since nobody follows the picker's hints",
    fix="give it, or leave prefill out",
)


@check(NO_SENDER)
def without_sender(view: ServiceView) -> Iterator[Problem]:
    """Yield prefill pods that get no work."""
    if view.splits and not view.sender.value:
        (prefill, *dummy) = view.of(PREFILL)
        yield NO_SENDER.at(prefill.origin, field=view.sender.field)


@check(PREFILL_TENSOR)
def prefill_tensor(view: ServiceView) -> Iterator[Problem]:
    """Yield prefill with more tensor ranks than decode, which the NIXL connector supports for few models only."""
    if not view.splits:
        return
    decode, prefill = next(view.of(DECODE), None), next(view.of(PREFILL), None)
    if decode is None or prefill is None:
        return
    wide, narrow = size_of(prefill, "tensor"), size_of(decode, "tensor")
    if wide > narrow:
        field = _tensor_field(decode)
        yield PREFILL_TENSOR.at(_tensor_field(prefill), prefill=wide, decode=narrow, field=field)


@check(KV_TRANSFER)
def kv_transfer(view: ServiceView) -> Iterator[Problem]:
    """Yield engines without the flag that hands the KV cache over."""
    if not (view.splits and view.sender.value):
        return
    for workload in view.of(*SERVING):
        if workload.engine_container and not _hands_over(workload):
            yield KV_TRANSFER.at(workload.in_engine("args"))


@check(UNREAD)
def unread(view: ServiceView) -> Iterator[Problem]:
    """Yield transfer configurations that cannot be parsed."""
    for workload in view.serving:
        text = written(workload.engine_container, _TRANSFER).strip()
        if not text or "$" in text or _transfer(workload) is not None:
            continue
        flag = next((each for each in workload.flags if each.name == _TRANSFER), None)
        place = workload.in_engine(flag.place if flag else "args")
        # Of quotes around an argument of the author is told by itself.
        if not (is_in_quotes(text) and place.is_authors):
            yield UNREAD.at(place)


@check(ROLE)
def roles(view: ServiceView) -> Iterator[Problem]:
    """Yield engines with the wrong role in the transfer of the KV cache."""
    wrong = {PREFILL: "kv_consumer", DECODE: "kv_producer"}
    for workload in view.of(*SERVING) if view.splits else ():
        given = (_transfer(workload) or {}).get("kv_role")
        if given == wrong[workload.role]:
            wanted = wrong[DECODE if workload.role == PREFILL else PREFILL]
            what = "take it in" if given == "kv_consumer" else "hand it over"
            yield ROLE.at(
                workload.in_engine("args"),
                role=workload.role,
                given=given,
                what=what,
                wanted=wanted,
            )


@check(PROXY)
def proxies(view: ServiceView) -> Iterator[Problem]:
    """Yield proxies with another KV connector than the engine's."""
    for workload in view.of(DECODE) if view.splits else ():
        sidecar, path = _sidecar(workload)
        ours = next((value for name, value in flags(sidecar) if name in _PROXY_FLAGS), "")
        theirs = str((_transfer(workload) or {}).get("kv_connector") or "")
        if theirs in _OTHER_CONNECTORS.get(ours, ()):
            wanted = "nixlv2" if theirs == _NIXL else "shared-storage"
            place = workload.fields(f"{path}.args")
            yield PROXY.at(place, ours=ours, theirs=theirs, wanted=wanted)


def _sidecar(workload: Workload) -> tuple[Json, str]:
    """Return the proxy in front of the engine with its place, empty where there is none."""
    found = (
        (container, path)
        for container, path in running_in(workload.pod)
        if workload.sidecar and container.get("name") == workload.sidecar
    )
    return next(found, ({}, ""))


@check(CONNECTORS)
def connectors(view: ServiceView) -> Iterator[Problem]:
    """Yield settings that must be the same for prefill and decode, but differ."""
    for place, difference in _differences(view, _in_common):
        yield CONNECTORS.at(place, **difference)


@check(MODELS)
def other_models(view: ServiceView) -> Iterator[Problem]:
    """Yield prefill pods with another model than decode pods."""
    for place, difference in _differences(view, _of_model):
        yield MODELS.at(place, **difference)


def _differences(
    view: ServiceView, said: Callable[[Workload], Mapping[str, str]]
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield what prefill and decode both say, and not alike: where prefill says it, and what each of them says."""
    prefill, decode = (next(view.of(role), None) for role in (PREFILL, DECODE))
    if prefill is None or decode is None:
        return
    here, there, field = said(prefill), said(decode), decode.in_engine("args").field
    for name in sorted(here.keys() & there.keys()):
        if here[name] != there[name]:
            difference = {"ours": name, "mine": here[name], "theirs": there[name], "field": field}
            yield prefill.in_engine("args"), difference


@check(SHORTER)
def shorter(view: ServiceView) -> Iterator[Problem]:
    """Yield decode pods that accept shorter requests than prefill pods."""
    prefill, decode = (next(view.of(role), None) for role in (PREFILL, DECODE))
    if prefill is None or decode is None:
        return
    mine, theirs = (_length(each) for each in (prefill, decode))
    if mine > theirs > 0:
        yield SHORTER.at(
            prefill.in_engine("args"),
            mine=mine,
            theirs=theirs,
            field=decode.in_engine("args").field,
        )


@check(SIDE_CHANNEL)
def side_channel(view: ServiceView) -> Iterator[Problem]:
    """Yield engines that announce an address at which no other pod reaches their cache."""
    for workload in view.serving if view.splits else ():
        for number, variable in enumerate(workload.engine_container.get("env") or ()):
            if variable.get("name") == _SIDE_CHANNEL and variable.get("value") in _OWN_POD:
                place = workload.in_engine(f"env[{number}]")
                yield SIDE_CHANNEL.at(place, value=variable["value"])


def _length(workload: Workload) -> int:
    """Return how long a request may be, 0 where that is not said in figures."""
    given = next((flag.value for flag in workload.flags if flag.name == _LENGTH), "")
    return int(given) if given.isdecimal() else 0


def _in_common(workload: Workload) -> dict[str, str]:
    """Return what an engine says about the form in which caches are handed over."""
    said = told_to(workload, _ALIKE, _FORM_VARIABLES)
    # The model's own configuration says which type that is.
    if said.get("--dtype") == "auto":
        del said["--dtype"]
    connector = (_transfer(workload) or {}).get("kv_connector")
    found = _UNSAID | {name: value for name, value in said.items() if value}
    return {**found, "kv_connector": str(connector)} if connector else found


def _of_model(workload: Workload) -> dict[str, str]:
    """Return what an engine says about the model that it runs, as far as no variable says it."""
    said = {flag.name: flag.value for flag in workload.flags if flag.name in _OF_MODELS}
    found = {**said, "the model": model_of(workload.engine_container)}
    return {name: value for name, value in found.items() if value and "$" not in value}


def _transfer(workload: Workload) -> Json | None:
    """Return how an engine hands over its cache, None where nothing that can be read says it."""
    return written_object(workload.engine_container, _TRANSFER)


def _tensor_field(workload: Workload) -> str:
    said = workload.said.get("tensor")
    return said.field if said else workload.in_engine("args").field


def _hands_over(workload: Workload) -> bool:
    names = [flag.name for flag in workload.flags]
    given = [str(each.get("value") or "") for each in workload.engine_container.get("env") or ()]
    return any(name == _TRANSFER or name.startswith(_OTHER_WAYS) for name in names) or any(
        _TRANSFER in value for value in given
    )
