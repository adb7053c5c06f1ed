# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of an engine's variables that are none of their kind: words for numbers, units behind them, levels and answers that nobody knows.

Source: vLLM vllm/envs.py and vllm/logger.py; huggingface_hub src/huggingface_hub/constants.py; NCCL's and GNU libgomp's manuals, Environment Variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.did_you_mean import nearest
from ..kube.problem import Problem
from .engines import VLLM, engine_of
from .other_engines import authored_variables

_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
#: A number with a unit behind it, as durations and sizes are written elsewhere.
_WITH_UNIT = re.compile(r"\s*(?P<number>[0-9]+)\s*[A-Za-z]+\s*")


class _Kind(NamedTuple):
    """What a variable takes. words: these alone, in whatever case; none for numbers. effect: what comes of anything else."""

    says: str
    words: tuple[str, ...]
    effect: str


_ENDS = "the engine does not start with it"
_NUMBER = _Kind("a whole number", (), _ENDS)
_SECONDS = _Kind("a whole number of seconds", (), _ENDS)
_MILLISECONDS = _Kind("a whole number of milliseconds", (), _ENDS)
_ONE_OR_ZERO = _Kind("1 or 0", (), _ENDS)
_ANSWERS = ("1", "on", "yes", "true", "0", "off", "no", "false")
_SWITCH = _Kind("1 or 0", _ANSWERS, "it counts as 0")
_TRUE = _Kind("1 or 0", ("1", "true", "0", "false"), "it counts as 0")
_LEVELS = ("DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL", "NOTSET")
#: What vLLM alone reads, by the name behind `VLLM_`.
_OF_VLLM: Mapping[str, _Kind] = {
    **dict.fromkeys(
        (
            "AUDIO_FETCH_TIMEOUT",
            "EXECUTE_MODEL_TIMEOUT_SECONDS",
            "HTTP_TIMEOUT_KEEP_ALIVE",
            "IMAGE_FETCH_TIMEOUT",
            "NIXL_ABORT_REQUEST_TIMEOUT",
            "TOOL_PARSE_REGEX_TIMEOUT_SECONDS",
            "VIDEO_FETCH_TIMEOUT",
        ),
        _SECONDS,
    ),
    "RPC_TIMEOUT": _MILLISECONDS,
    **dict.fromkeys(
        (
            "CPU_KVCACHE_SPACE",
            "CPU_NUM_OF_RESERVED_CPU",
            "DP_MASTER_PORT",
            "DP_RANK",
            "DP_RANK_LOCAL",
            "DP_SIZE",
            "FUSED_MOE_CHUNK_SIZE",
            "MM_INPUT_CACHE_GIB",
            "MOE_DP_CHUNK_SIZE",
            "MQ_MAX_CHUNK_BYTES_MB",
            "MSGPACK_ZERO_COPY_THRESHOLD",
            "NIXL_SIDE_CHANNEL_PORT",
            "V1_OUTPUT_PROC_CHUNK_SIZE",
            "XGRAMMAR_CACHE_MB",
        ),
        _NUMBER,
    ),
    **dict.fromkeys(
        (
            "ALLOW_INSECURE_SERIALIZATION",
            "CONFIGURE_LOGGING",
            "DISABLE_COMPILE_CACHE",
            "ENABLE_V1_MULTIPROCESSING",
            "MLA_DISABLE",
            "SERVER_DEV_MODE",
            "SLEEP_WHEN_IDLE",
            "TRACE_FUNCTION",
            "USE_DEEP_GEMM",
            "USE_FLASHINFER_SAMPLER",
            "USE_TRITON_AWQ",
            "USE_V1",
        ),
        _ONE_OR_ZERO,
    ),
    **dict.fromkeys(
        ("ALLOW_LONG_MAX_MODEL_LEN", "ALLOW_RUNTIME_LORA_UPDATING", "ROCM_USE_AITER"), _TRUE
    ),
    "LOGGING_LEVEL": _Kind("one of DEBUG, INFO, WARNING, ERROR, CRITICAL", _LEVELS, _ENDS),
    "WORKER_MULTIPROC_METHOD": _Kind("spawn or fork", ("spawn", "fork", "forkserver"), _ENDS),
}
#: What libraries below every engine read.
_OF_LIBRARIES: Mapping[str, _Kind] = {
    **dict.fromkeys(("HF_HUB_DOWNLOAD_TIMEOUT", "HF_HUB_ETAG_TIMEOUT"), _SECONDS),
    **dict.fromkeys(
        (
            "HF_DATASETS_OFFLINE",
            "HF_DEBUG",
            "HF_HUB_DISABLE_IMPLICIT_TOKEN",
            "HF_HUB_DISABLE_PROGRESS_BARS",
            "HF_HUB_DISABLE_TELEMETRY",
            "HF_HUB_DISABLE_XET",
            "HF_HUB_ENABLE_HF_TRANSFER",
            "HF_HUB_OFFLINE",
            "HF_XET_HIGH_PERFORMANCE",
            "TRANSFORMERS_OFFLINE",
        ),
        _SWITCH,
    ),
    "NCCL_DEBUG": _Kind(
        "one of VERSION, WARN, INFO, TRACE",
        ("VERSION", "WARN", "INFO", "ABORT", "TRACE"),
        "NCCL ignores it",
    ),
}
_THREADS = "OMP_NUM_THREADS"
_THREAD_LIST = re.compile(r"\s*[1-9][0-9]*(\s*,\s*[1-9][0-9]*)*\s*")
_OF_THREADS = _Kind("a number of threads, 1 or more", (), "OpenMP ignores it")

VALUE = Check(
    "engine-value",
    WARNING,
    finds='{name} is "{value}", and takes {wanted}: {effect}',
    fix="write {way}",
)


@check(VALUE, costly=True)
def value(view: ServiceView) -> Iterator[Problem]:
    """Yield values of variables that their readers cannot read."""
    for workload in view.serving:
        of_vllm = engine_of(workload) == VLLM
        for variable, place in authored_variables(workload):
            name, text = str(variable.get("name")), str(variable.get("value") or "")
            kind = _kind(name, of_vllm=of_vllm)
            # A value that Kubernetes fills in, or none at all, says nothing here.
            if kind is None or not text or "$(" in text or _is_of(kind, text):
                continue
            way = _way(kind, text)
            yield VALUE.at(
                place, name=name, value=text, wanted=kind.says, effect=kind.effect, way=way
            )


def _kind(name: str, *, of_vllm: bool) -> _Kind | None:
    if name == _THREADS:
        return _OF_THREADS
    own = _OF_VLLM.get(name.removeprefix("VLLM_")) if name.startswith("VLLM_") else None
    return own if own is not None and of_vllm else _OF_LIBRARIES.get(name)


def _is_of(kind: _Kind, text: str) -> bool:
    """Tell whether a text is a value of a kind."""
    if kind is _OF_THREADS:
        return _THREAD_LIST.fullmatch(text) is not None
    if kind.words:
        return text.strip().casefold() in {word.casefold() for word in kind.words}
    return _WHOLE.fullmatch(text) is not None


def _way(kind: _Kind, text: str) -> str:
    """Return what to write: the nearest word, a number without its unit, or an answer as a number."""
    with_unit = _WITH_UNIT.fullmatch(text)
    if kind is not _ONE_OR_ZERO and not kind.words and with_unit:
        return (
            f"{with_unit['number']} if that is what you mean"
            if kind is _SECONDS
            else "the number alone"
        )
    if kind is _ONE_OR_ZERO:
        yes = text.strip().casefold() in ("true", "yes", "on")
        return "1" if yes else "0"
    return nearest(text.upper(), kind.words) or f"{kind.says}"
