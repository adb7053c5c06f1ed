# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags and variables of one engine given to another: the names for the same idea differ, and the engine ends with one that it does not know.

Source: vLLM vllm/engine/arg_utils.py; the pages Server Arguments of SGLang and Text-generation-launcher arguments of TGI; `tritonserver --help`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..accelerators.vendors import VENDORS, Vendor, is_device, vendor_of
from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import Flag
from ..kube.manifest import Json
from ..kube.problem import Problem
from .engines import KSERVE, SGLANG, TGI, TRITON, VLLM, by_command, by_image, engine_of
from .vllm_names import flags

#: The same idea in each engine's words.
_IDEAS: Sequence[Mapping[str, str]] = (
    {
        VLLM: "--gpu-memory-utilization",
        SGLANG: "--mem-fraction-static",
        TGI: "--cuda-memory-fraction",
    },
    {VLLM: "--max-model-len", SGLANG: "--context-length", TGI: "--max-total-tokens"},
    {
        VLLM: "--max-num-seqs",
        SGLANG: "--max-running-requests",
        TGI: "--max-concurrent-requests",
    },
    {
        VLLM: "--max-num-batched-tokens",
        SGLANG: "--max-prefill-tokens",
        TGI: "--max-batch-prefill-tokens",
    },
    {VLLM: "--tensor-parallel-size", SGLANG: "--tp-size", TGI: "--num-shard"},
    {VLLM: "--model", SGLANG: "--model-path", TGI: "--model-id", TRITON: "--model-repository"},
    {VLLM: "--quantization", SGLANG: "--quantization", TGI: "--quantize"},
    {VLLM: "--enforce-eager", SGLANG: "--disable-cuda-graph", TGI: "--cuda-graphs"},
    {VLLM: "--no-enable-prefix-caching", SGLANG: "--disable-radix-cache"},
    {VLLM: "--block-size", SGLANG: "--page-size"},
)
#: Flags that one engine alone has, beside those above, each by its first words.
_OWN: Mapping[str, Sequence[str]] = {
    VLLM: (
        "--enable-prefix-caching",
        "--enable-chunked-prefill",
        "--kv-transfer-config",
        "--swap-space",
        "--enable-auto-tool-choice",
        "--distributed-executor-backend",
    ),
    SGLANG: (
        "--chunked-prefill-size",
        "--schedule-policy",
        "--schedule-conservativeness",
        "--dist-init-addr",
        "--enable-dp-attention",
        "--disaggregation-mode",
        "--enable-torch-compile",
        "--cuda-graph-max-bs",
        "--enable-metrics",
        "--grammar-backend",
    ),
    TGI: (
        "--max-input-length",
        "--max-input-tokens",
        "--max-batch-total-tokens",
        "--max-best-of",
        "--sharded",
        "--waiting-served-ratio",
        "--huggingface-hub-cache",
        "--hostname",
    ),
    TRITON: (
        "--model-control-mode",
        "--strict-model-config",
        "--disable-auto-complete-config",
        "--backend-config",
        "--backend-directory",
        "--grpc-port",
        "--http-port",
        "--metrics-port",
        "--allow-http",
        "--allow-grpc",
        "--allow-metrics",
        "--log-verbose",
        "--response-cache-byte-size",
    ),
}
#: Flags in these tables that another engine has as well.
_SHARED: Mapping[str, frozenset[str]] = {
    SGLANG: frozenset({"--max-total-tokens", "--model", "--tensor-parallel-size"}),
}
#: What variables that one engine alone reads begin with.
_PREFIXES: Mapping[str, str] = {"VLLM_": VLLM, "SGLANG_": SGLANG}
#: KServe's server hands vLLM's flags and variables on, reads these as well, and passes over what it does not know.
_OF_KSERVE = frozenset({"--model-id", "--http-port", "--grpc-port"})

#: Words in the names of images, with the vendors for whose devices they are built.
_WORD = re.compile(r"[^a-z0-9]+")
#: vLLM's own image, whose name does not say it.
_CUDA_IMAGE = re.compile(r"(^|/)vllm/vllm-openai(:|@|$)")
_BUILT_FOR: Mapping[str, tuple[str, ...]] = {
    "cuda": ("nvidia",),
    "gaudi": ("intel-gaudi",),
    "hpu": ("intel-gaudi",),
    "neuron": ("aws-neuron",),
    "rocm": ("amd",),
    "tpu": ("google",),
    "xpu": ("intel-i915", "intel-xe"),
}

OTHER_ENGINE = Check(
    "engine-other",
    WARNING,
    finds="{flag} is a flag of {owner}, and the container {container} runs {engine}, which {effect}",
    fix="{way}",
)
OTHER_VARIABLE = Check(
    "engine-other",
    WARNING,
    finds="{name} has no effect: {owner} reads it, and the container {container} runs {engine}",
    fix="leave it out",
)
OTHER_IMAGE = Check(
    "engine-other",
    WARNING,
    finds="the image is one of {owner}, and the command of the container {container} starts {engine}: the image lacks that program",
    fix="take an image of {engine}, or give the command of {owner}",
)
OTHER_VENDOR = Check(
    "engine-other",
    WARNING,
    finds="the image is built for {of}, by its name, and the container gets {devices}: the engine finds no device that it can use",
    fix="take the image for these devices",
)


@check(OTHER_ENGINE, costly=True)
def other_engine(view: ServiceView) -> Iterator[Problem]:
    """Yield flags of another engine than the container's."""
    for workload in view.serving:
        engine = engine_of(workload)
        for flag in workload.flags if engine else ():
            owner = _owner(flag, engine)
            place = workload.in_engine(flag.place) if owner else None
            if place is None or not place.is_authors:
                continue
            idea = next((idea for idea in _IDEAS if idea.get(owner) == flag.name), {})
            same = idea.get(VLLM if engine == KSERVE else engine)
            yield OTHER_ENGINE.at(
                place,
                flag=flag.name,
                owner=owner,
                container=workload.engine,
                engine=engine,
                effect="ignores it" if engine == KSERVE else "does not start with it",
                way=f"write {same}, or leave it out" if same else "leave it out",
            )


@check(OTHER_VARIABLE, costly=True)
def other_variable(view: ServiceView) -> Iterator[Problem]:
    """Yield variables that only another engine reads."""
    for workload in view.serving:
        engine = engine_of(workload)
        for variable, place in authored_variables(workload) if engine else ():
            name = str(variable.get("name"))
            owner = next((of for start, of in _PREFIXES.items() if name.startswith(start)), engine)
            if owner != engine and (owner, engine) != (VLLM, KSERVE):
                yield OTHER_VARIABLE.at(
                    place, name=name, owner=owner, container=workload.engine, engine=engine
                )


@check(OTHER_IMAGE, costly=True)
def other_image(view: ServiceView) -> Iterator[Problem]:
    """Yield images with another engine than the one that the command starts."""
    for workload in view.serving:
        container = workload.engine_container
        owner, engine = by_image(container), by_command(container)
        if owner and not engine and not workload.in_engine("command[0]").is_authors:
            engine = workload.usual_engine
        if owner and engine and owner != engine:
            place = workload.in_engine("image")
            if place.is_authors:
                yield OTHER_IMAGE.at(place, owner=owner, container=workload.engine, engine=engine)


@check(OTHER_VENDOR, costly=True)
def other_vendor(view: ServiceView) -> Iterator[Problem]:
    """Yield images built for the devices of another vendor than the container's."""
    for workload in view.serving:
        container = workload.engine_container
        limits = (container.get("resources") or {}).get("limits") or {}
        devices = [name for name in limits if is_device(name)]
        built = _vendor_of_image(str(container.get("image") or ""))
        if built and devices and all(vendor_of(each) not in built for each in devices):
            yield OTHER_VENDOR.at(
                workload.in_engine("image"),
                of=" or ".join(each.resource for each in built),
                devices=", ".join(devices),
            )


def _vendor_of_image(image: str) -> list[Vendor]:
    """Return whose devices an image is built for, as words of its name say; none where they say nothing, or several things."""
    found = {
        names
        for word in _WORD.split(image.partition("@")[0].lower())
        if (names := _BUILT_FOR.get(word))
    }
    if _CUDA_IMAGE.search(image):
        found.add(("nvidia",))
    return [VENDORS[name] for name in found.pop()] if len(found) == 1 else []


def authored_variables(workload: Workload) -> Iterator[tuple[Json, Place]]:
    """Yield the variables that the author gives to an engine, each with its place."""
    for number, variable in enumerate(workload.engine_container.get("env") or ()):
        place = workload.in_engine(f"env[{number}]")
        if place.is_authors:
            yield variable, place


def _owner(flag: Flag, engine: str) -> str:
    """Return whose flag it is where it is none of an engine's own, empty elsewhere."""
    name = flag.name
    if not name.startswith("--") or name in _flags_of(engine):
        return ""
    owners = [owner for owner in _OWN if owner != engine and name in _named_by(owner)]
    return owners[0] if owners else ""


def _flags_of(engine: str) -> frozenset[str]:
    """Return the flags that an engine takes, as far as it is known."""
    own = _named_by(engine) | _SHARED.get(engine, frozenset())
    if engine in (VLLM, KSERVE):
        own |= {f"--{name}" for name in flags()}
    return own | _OF_KSERVE if engine == KSERVE else own


def _named_by(engine: str) -> frozenset[str]:
    of_ideas = {idea[engine] for idea in _IDEAS if engine in idea}
    return frozenset({*of_ideas, *_OWN.get(engine, ())})
