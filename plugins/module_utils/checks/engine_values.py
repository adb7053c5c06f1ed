# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of vLLM's flags that it does not take, and flags that it takes only together with others.

Source: vLLM vllm/engine/arg_utils.py, vllm/entrypoints/openai/cli_args.py and vllm/config/scheduler.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..kinds.check import WARNING, Check, check
from ..kinds.engine_flags import MEANINGS
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import Flag, has_shell
from ..kube.did_you_mean import nearest
from ..kube.problem import Problem
from .engines import SGLANG, TGI, engine_of, flags_of_vllm, least_release_of, takes_flags_of_vllm

_WHOLE = re.compile(r"[0-9]+")
_SHARE = re.compile(r"0?\.[0-9]*[1-9][0-9]*|1(\.0*)?")
_ADAPTER = re.compile(r"[^={\[,]+=[^=,]+|[{\['\"].*", re.DOTALL)
_LENGTH = re.compile(r"auto|-1|[0-9]+(\.[0-9]+)?[kKmMgGtT]?")


class _Form(NamedTuple):
    """What a flag's value looks like. says: in words."""

    pattern: re.Pattern[str]
    says: str


_NUMBER = _Form(_WHOLE, "a whole number")
_ONE_OR_MORE = _Form(re.compile(r"0*[1-9][0-9]*"), "a whole number above 0")
_FORMS: Mapping[str, _Form] = {
    **dict.fromkeys(
        (
            "--block-size",
            "--data-parallel-size",
            "--max-loras",
            "--max-num-seqs",
            "--pipeline-parallel-size",
            "--tensor-parallel-size",
            "--stream-interval",
        ),
        _ONE_OR_MORE,
    ),
    **dict.fromkeys(
        (
            "--data-parallel-size-local",
            "--port",
            "--api-server-count",
            "--data-parallel-rpc-port",
            "--max-num-partial-prefills",
            "--max-parallel-loading-workers",
            "--num-gpu-blocks-override",
            "--seed",
            "--ssl-cert-reqs",
        ),
        _NUMBER,
    ),
    **dict.fromkeys(
        ("--cpu-offload-gb", "--swap-space"),
        _Form(re.compile(r"[0-9]*\.?[0-9]+"), "a number of GiB without a unit"),
    ),
    "--kv-cache-memory-bytes": _Form(
        re.compile(r"[0-9]+(\.[0-9]+)?[kKmMgGtT]?"), "a number of bytes, for example 16G"
    ),
    "--max-logprobs": _Form(re.compile(r"-1|[0-9]+"), "a whole number, or -1 for all"),
    "--gpu-memory-utilization": _Form(_SHARE, "a share above 0 and up to 1, for example 0.9"),
    "--max-model-len": _Form(_LENGTH, "a number of tokens, for example 8192 or 8k"),
    "--lora-modules": _Form(_ADAPTER, "name=path, or JSON, one word for each adapter"),
    "--max-num-batched-tokens": _Form(_LENGTH, "a number of tokens, for example 8192 or 8k"),
}
_COUNT = _Form(_WHOLE, "a whole number, without a unit")
_PART = _Form(_SHARE, "a share above 0 and up to 1, for example 0.9")
#: The same of engines that are not vLLM.
_FORMS_OF: Mapping[str, Mapping[str, _Form]] = {
    SGLANG: {
        **dict.fromkeys(
            (
                "--chunked-prefill-size",
                "--context-length",
                "--dp-size",
                "--max-prefill-tokens",
                "--max-running-requests",
                "--max-total-tokens",
                "--page-size",
                "--pp-size",
                "--tp-size",
            ),
            _Form(re.compile("-1|[0-9]+"), _COUNT.says),
        ),
        "--mem-fraction-static": _PART,
    },
    TGI: {
        **dict.fromkeys(
            (
                "--max-batch-prefill-tokens",
                "--max-batch-total-tokens",
                "--max-concurrent-requests",
                "--max-input-length",
                "--max-input-tokens",
                "--max-total-tokens",
                "--num-shard",
            ),
            _COUNT,
        ),
        "--cuda-memory-fraction": _PART,
    },
}
#: Words of flags. Releases add more to some: of these only what is nearly one is reported.
_WORDS: Mapping[str, tuple[str, ...]] = {
    "--dtype": ("auto", "half", "float16", "bfloat16", "float", "float32"),
    "--tokenizer-mode": ("auto", "hf", "slow", "mistral", "custom", "deepseek_v32"),
    "--distributed-executor-backend": ("ray", "mp", "uni", "external_launcher"),
    "--max-lora-rank": ("1", "8", "16", "32", "64", "128", "256", "320", "512"),
    "--kv-cache-dtype": ("auto", "bfloat16", "fp8", "fp8_e4m3", "fp8_e5m2"),
    "--load-format": (
        *("auto", "pt", "safetensors", "npcache", "dummy", "tensorizer", "sharded_state", "gguf"),
        *("bitsandbytes", "mistral", "runai_streamer", "fastsafetensors"),
    ),
}
#: What people write for a word, and what vLLM takes: no release of it knows the first.
_ALIASES: Mapping[str, Mapping[str, str]] = {
    "--kv-cache-dtype": {
        **dict.fromkeys(("int8", "int4", "8bit", "float8"), "fp8"),
        "fp16": "auto",
        "bf16": "bfloat16",
        "half": "auto",
        "e4m3": "fp8_e4m3",
        "e5m2": "fp8_e5m2",
    },
    "--quantization": {
        **dict.fromkeys(("fp-8", "fp_8", "float8", "8bit"), "fp8"),
        **dict.fromkeys(("4bit", "nf4", "bnb", "bitsandbytes-4bit"), "bitsandbytes"),
        **dict.fromkeys(
            ("int8", "int4", "w8a8", "w4a16", "compressed_tensors"), "compressed-tensors"
        ),
        **dict.fromkeys(("fp16", "bf16", "half"), "--dtype for that"),
        **dict.fromkeys(("q4_k_m", "q8_0", "q4_0"), "gguf"),
    },
}
#: Words of other tools for the same.
_SAME = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}
_ALL_WORDS = frozenset({"--dtype", "--max-lora-rank"})
#: Flags that are there or not, beside those whose names begin in a way that says so.
_SWITCHES = frozenset({"--trust-remote-code", "--enforce-eager", "--async-scheduling"})
_SWITCH_NAMES = ("--enable-", "--disable-", "--no-")
_ANSWERS = frozenset({"true", "false", "yes", "no", "on", "off", "1", "0"})
#: It took a word up to 0.8.
_ONCE_WITH_WORD = "--enable-chunked-prefill"
#: Flag → what it comes to nothing without.
_NEEDS: Mapping[str, str] = {
    "--enable-auto-tool-choice": "--tool-call-parser",
    "--lora-modules": "--enable-lora",
    "--max-cpu-loras": "--enable-lora",
    "--max-lora-rank": "--enable-lora",
    "--max-loras": "--enable-lora",
    "--tool-call-parser": "--enable-auto-tool-choice",
    **dict.fromkeys(
        ("--enable-ssl-refresh", "--ssl-ca-certs", "--ssl-cert-reqs", "--ssl-keyfile"),
        "--ssl-certfile",
    ),
}
#: A file in which more flags are.
_FILE = "--config"
_UNITS = {"k": 1000, "K": 1 << 10, "m": 10**6, "M": 1 << 20}

FORM = Check(
    "engine-value",
    WARNING,
    finds='{flag} is "{value}", and vLLM takes {wanted} there, so it will not start',
    fix="{way}",
)
FORM_OF_OTHERS = Check(
    "engine-value",
    WARNING,
    finds='{flag} is "{value}", and {engine} takes {wanted} there, so it will not start',
    fix="write one",
)
SWITCH = Check(
    "engine-value",
    WARNING,
    finds='{flag} is a switch and takes no value, and "{value}" follows it: vLLM does not start with it',
    fix="{way}",
)
NO_VALUE = Check(
    "engine-value",
    WARNING,
    finds="{flag} needs a value, but none follows it, so vLLM will not start",
    fix="write {flag}=VALUE, or leave it out",
)
ALONE = Check(
    "engine-together",
    WARNING,
    finds="{flag} has no effect, or vLLM refuses it, without {other}, which is not given",
    fix="give {other}, too, or leave {flag} out",
)
TOO_FEW_TOKENS = Check(
    "engine-together",
    WARNING,
    finds="--max-num-batched-tokens {tokens} is less than {other}, which is {least}: vLLM does not start with it",
    fix="use at least {least}",
)


FEWER_ADAPTERS = Check(
    "engine-together",
    WARNING,
    finds="--max-cpu-loras {kept} is less than --max-loras, which is {least}: vLLM does not start with it",
    fix="use at least {least}",
)


@check(FORM, costly=True)
def value_form(view: ServiceView) -> Iterator[Problem]:
    """Yield values that vLLM cannot read."""
    for workload, flag in _flags(view):
        form, words = _FORMS.get(flag.name), _WORDS.get(flag.name, ())
        if MEANINGS.get(flag.name) in workload.said:
            # What contradicts the field is reported by itself.
            continue
        if not flag.value or flag.value.startswith("--") or "$" in flag.value:
            continue
        if form is not None and not form.pattern.fullmatch(flag.value):
            wanted, way = form.says, "write one"
        elif other := _ALIASES.get(flag.name, {}).get(flag.value.lower()):
            wanted, way = "no such word", f"write {other}"
        elif words and flag.value not in words:
            near = _meant(flag.value, words)
            if not near and flag.name not in _ALL_WORDS:
                continue
            wanted, way = f"one of {', '.join(words)}", f"write {near or words[0]}"
        else:
            continue
        place = workload.in_engine(flag.place)
        yield FORM.at(place, flag=flag.name, value=flag.value, wanted=wanted, way=way)


@check(FORM_OF_OTHERS, costly=True)
def value_form_of_others(view: ServiceView) -> Iterator[Problem]:
    """Yield values that SGLang or Text Generation Inference cannot read."""
    for workload in view.serving:
        engine = engine_of(workload)
        forms = _FORMS_OF.get(engine, {})
        for flag in workload.flags:
            form = forms.get(flag.name)
            known = form is not None and flag.value and "$" not in flag.value
            if form is None or not known or flag.value.startswith("--"):
                continue
            if not form.pattern.fullmatch(flag.value):
                yield FORM_OF_OTHERS.at(
                    workload.in_engine(flag.place),
                    flag=flag.name,
                    value=flag.value,
                    engine=engine,
                    wanted=form.says,
                )


@check(SWITCH, costly=True)
def switch_with_value(view: ServiceView) -> Iterator[Problem]:
    """Yield switches with a value."""
    for workload, flag in _flags(view):
        switch = flag.name in _SWITCHES or flag.name.startswith(_SWITCH_NAMES)
        if not switch or flag.value.casefold() not in _ANSWERS:
            continue
        if flag.name == _ONCE_WITH_WORD and not _since_0_9(least_release_of(workload)):
            continue
        off = flag.value.casefold() in ("false", "no", "off", "0")
        way = "leave it out" if off else f"write {flag.name} alone"
        yield SWITCH.at(workload.in_engine(flag.place), flag=flag.name, value=flag.value, way=way)


@check(NO_VALUE, costly=True)
def without_value(view: ServiceView) -> Iterator[Problem]:
    """Yield flags without the value that they need, at the end of a command line or before another flag."""
    for workload in view.serving:
        container = workload.engine_container
        if not takes_flags_of_vllm(workload) or has_shell(container):
            continue
        words = [
            (str(word), f"{part}[{number}]")
            for part in ("command", "args")
            for number, word in enumerate(container.get(part) or ())
        ]
        for number, (word, place) in enumerate(words):
            following = words[number + 1][0] if number + 1 < len(words) else "--"
            name = word.replace("_", "-")
            if (name in _FORMS or name in _WORDS) and following.startswith("--"):
                yield NO_VALUE.at(workload.in_engine(place), flag=name)


@check(ALONE, costly=True)
def alone(view: ServiceView) -> Iterator[Problem]:
    """Yield flags without the flag that they need."""
    for workload, flag in _flags(view):
        other = _NEEDS.get(flag.name)
        if other and not {other, _FILE} & workload.flag_names:
            yield ALONE.at(workload.in_engine(flag.place), flag=flag.name, other=other)


@check(TOO_FEW_TOKENS, costly=True)
def too_few_tokens(view: ServiceView) -> Iterator[Problem]:
    """Yield batches of fewer tokens than requests, or, without chunked prefill, than one prompt."""
    for workload in view.serving:
        flags = {flag.name: flag for flag in flags_of_vllm(workload)}
        batch = flags.get("--max-num-batched-tokens")
        if batch is None:
            continue
        whole = "--no-enable-chunked-prefill" in flags
        for name in ("--max-num-seqs", *(("--max-model-len",) if whole else ())):
            tokens, least = (
                _tokens(batch.value),
                _tokens(flags[name].value if name in flags else ""),
            )
            if tokens and least and tokens < least:
                place = workload.in_engine(batch.place)
                yield TOO_FEW_TOKENS.at(place, tokens=tokens, other=name, least=least)


@check(FEWER_ADAPTERS, costly=True)
def fewer_adapters(view: ServiceView) -> Iterator[Problem]:
    """Yield fewer adapters in the host's memory than in use at once."""
    for workload in view.serving:
        flags = {flag.name: flag for flag in flags_of_vllm(workload)}
        kept, serve = (flags.get(name) for name in ("--max-cpu-loras", "--max-loras"))
        if kept is None or serve is None:
            continue
        kept_number, number = _tokens(kept.value), _tokens(serve.value)
        if kept_number and kept_number < number:
            place = workload.in_engine(kept.place)
            yield FEWER_ADAPTERS.at(place, kept=kept_number, least=number)


def _meant(value: str, words: tuple[str, ...]) -> str:
    """Return the word that a value is meant to be, of numbers the next one above it; empty where none is near."""
    if value.isdecimal() and words[0].isdecimal():
        return next((word for word in words if int(word) >= int(value)), words[-1])
    same = _SAME.get(value.lower(), "")
    return same if same in words else nearest(value, words) or ""


def _flags(view: ServiceView) -> Iterator[tuple[Workload, Flag]]:
    """Yield the flags of vLLM engines."""
    for workload in view.serving:
        yield from ((workload, flag) for flag in flags_of_vllm(workload))


def _since_0_9(release: str) -> bool:
    return bool(release) and tuple(int(part) for part in release.split(".")) >= (0, 9)


def _tokens(value: str) -> int:
    """Return a number of tokens, 0 where it is not known."""
    number, unit = (value[:-1], value[-1]) if value[-1:] in _UNITS else (value, "")
    return int(number) * _UNITS.get(unit, 1) if number.isdecimal() else 0
