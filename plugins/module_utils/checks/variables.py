# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of engines that nothing reads: names that the hub's library does not have, and what a flag or another variable says instead.

Source: the page Environment variables of huggingface_hub; vLLM vllm/envs.py and vllm/entrypoints/openai/api_server.py; the page
Text-generation-launcher arguments of TGI.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..kinds.check import WARNING, Check, check
from ..kinds.engine_flags import MEANINGS
from ..kinds.field_map import Place
from ..kinds.view import ServiceView, Workload
from ..kube.containers import running_in
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json
from ..kube.problem import Problem
from .engines import TGI, VLLM, engine_of
from .other_engines import authored_variables
from .ports import listens

#: One letter may differ, and not a word: HF_HUB_CACHE and HF_XET_CACHE are two things.
_LIKENESS = 0.9
_OF_HUB = frozenset(
    {
        "HF_ASSETS_CACHE",
        "HF_DATASETS_CACHE",
        "HF_DATASETS_OFFLINE",
        "HF_DEBUG",
        "HF_ENDPOINT",
        "HF_HOME",
        "HF_HUB_CACHE",
        "HF_HUB_DISABLE_EXPERIMENTAL_WARNING",
        "HF_HUB_DISABLE_IMPLICIT_TOKEN",
        "HF_HUB_DISABLE_PROGRESS_BARS",
        "HF_HUB_DISABLE_SYMLINKS_WARNING",
        "HF_HUB_DISABLE_TELEMETRY",
        "HF_HUB_DISABLE_XET",
        "HF_HUB_DOWNLOAD_TIMEOUT",
        "HF_HUB_ENABLE_HF_TRANSFER",
        "HF_HUB_ETAG_TIMEOUT",
        "HF_HUB_OFFLINE",
        "HF_HUB_USER_AGENT_ORIGIN",
        "HF_HUB_VERBOSITY",
        "HF_INFERENCE_ENDPOINT",
        "HF_MODULES_CACHE",
        "HF_STORED_TOKENS_PATH",
        "HF_TOKEN",
        "HF_TOKEN_PATH",
        "HF_XET_CACHE",
        "HF_XET_CHUNK_CACHE_SIZE_BYTES",
        "HF_XET_HIGH_PERFORMANCE",
        "HF_XET_NUM_CONCURRENT_RANGE_GETS",
        "HUGGINGFACE_HUB_CACHE",
        "HUGGING_FACE_HUB_TOKEN",
    }
)
_HUB_PREFIXES = ("HF_", "HUGGING")
#: Names under which people give the token, and which the library does not read.
_TOKENS = frozenset(
    {
        "HF_ACCESS_TOKEN",
        "HF_API_KEY",
        "HF_API_TOKEN",
        "HF_HUB_TOKEN",
        "HUGGINGFACEHUB_API_TOKEN",
        "HUGGINGFACE_API_KEY",
        "HUGGINGFACE_HUB_TOKEN",
        "HUGGINGFACE_TOKEN",
        "HUGGING_FACE_TOKEN",
    }
)
#: Variable → the flag of vLLM that counts where both are given.
_FLAGS: Mapping[str, str] = {
    "VLLM_API_KEY": "--api-key",
    "HF_TOKEN": "--hf-token",
    "HF_HUB_CACHE": "--download-dir",
    "HUGGINGFACE_HUB_CACHE": "--download-dir",
}
#: Variable → the other one that counts where both are given.
_STRONGER: Mapping[str, str] = {
    "HUGGINGFACE_HUB_CACHE": "HF_HUB_CACHE",
    "HUGGING_FACE_HUB_TOKEN": "HF_TOKEN",
}

#: The port at which an engine offers its cache to others.
_HANDS_OVER = "VLLM_NIXL_SIDE_CHANNEL_PORT"

UNKNOWN = Check(
    "engine-variable",
    WARNING,
    finds="the library of the Hugging Face hub reads no variable {name}",
    fix="write {near} if that is what you mean",
)
OVERRIDDEN = Check(
    "no-effect",
    WARNING,
    finds="{name} has no effect beside {other}, which {engine} follows",
    fix="keep one of them",
)
TAKEN = Check(
    "port-taken",
    WARNING,
    finds="{name} is {port}, where the pod already answers requests: the engine finds the port taken and does not start",
    fix="leave it out for the usual 5600, or choose another port",
)
NOT_THE_PORT = Check(
    "engine-variable",
    WARNING,
    finds="VLLM_PORT is {port}, where vLLM answers requests; but the variable sets the first port on which its processes find each other",
    fix="leave it out; --port sets the port for requests",
)


@check(UNKNOWN, costly=True)
def unknown(view: ServiceView) -> Iterator[Problem]:
    """Yield variables that resemble one of the Hugging Face library, but that it does not read."""
    for dummy, variable, place in _variables(view):
        name = str(variable.get("name"))
        if not name.startswith(_HUB_PREFIXES) or name in _OF_HUB:
            continue
        near = "HF_TOKEN" if name in _TOKENS else nearest(name, _OF_HUB, _LIKENESS)
        if near:
            yield UNKNOWN.at(place, name=name, near=near)


@check(OVERRIDDEN, costly=True)
def overridden(view: ServiceView) -> Iterator[Problem]:
    """Yield variables that a flag or another variable overrides."""
    for workload, variable, place in _variables(view):
        name = str(variable.get("name"))
        engine = engine_of(workload)
        env = {str(each.get("name")) for each in workload.engine_container.get("env") or ()}
        flag = {VLLM: _FLAGS.get(name), TGI: f"--{name.lower().replace('_', '-')}"}.get(engine)
        other = _STRONGER.get(name)
        if flag in workload.flag_names:
            yield OVERRIDDEN.at(place, name=name, other=flag, engine=engine)
        elif other in env:
            yield OVERRIDDEN.at(place, name=name, other=other, engine=engine or "the hub's library")


@check(TAKEN, costly=True)
def taken(view: ServiceView) -> Iterator[Problem]:
    """Yield the port at which engines hand their caches over where something of their pod answers requests."""
    for workload, variable, place in _variables(view):
        value = str(variable.get("value") or "")
        if variable.get("name") == _HANDS_OVER and value in _ports(workload):
            yield TAKEN.at(place, name=_HANDS_OVER, port=value)


def _ports(workload: Workload) -> set[str]:
    """Return where the containers of a pod answer requests; what the engine declares may be the other port."""
    engine, said = workload.engine_container, workload.said.get("port")
    beside = [each for each, dummy in running_in(workload.pod) if each is not engine]
    known = {str(port) for each in beside for dummy, port in listens(workload, each)}
    flagged = {flag.value for flag in workload.flags if MEANINGS.get(flag.name) == "port"}
    return known | flagged | ({said.value} if said else set())


@check(NOT_THE_PORT, costly=True)
def not_the_port(view: ServiceView) -> Iterator[Problem]:
    """Yield VLLM_PORT with the port of the API, which it does not set."""
    for workload, variable, place in _variables(view):
        if variable.get("name") != "VLLM_PORT" or engine_of(workload) != VLLM:
            continue
        value = variable.get("value")
        ports = {flag.value for flag in workload.flags if flag.name == "--port"}
        said = workload.said.get("port")
        if value and value in {*ports, said.value if said else ""}:
            yield NOT_THE_PORT.at(place, port=value)


def _variables(view: ServiceView) -> Iterator[tuple[Workload, Json, Place]]:
    """Yield the variables that authors give to engines."""
    for workload in view.serving:
        for variable, place in authored_variables(workload):
            yield workload, variable, place
