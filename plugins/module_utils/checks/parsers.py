# SPDX-License-Identifier: GPL-3.0-or-later
"""What vLLM calls the parsers of tool calls and of reasoning, against how people spell them.

Releases add parsers, so only what is another spelling of a known one is reported.
Source: vLLM vllm/tool_parsers/__init__.py and vllm/reasoning/__init__.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.problem import Problem
from .engines import flags_of_vllm

_TOOLS = (
    *("deepseek_v3", "deepseek_v31", "deepseek_v32", "ernie45", "functiongemma", "gigachat3"),
    *("glm45", "glm47", "granite", "granite-20b-fc", "granite4", "hermes", "hunyuan_a13b"),
    *("internlm", "jamba", "kimi_k2", "llama3_json", "llama4_json", "llama4_pythonic", "longcat"),
    *("minimax", "minimax_m2", "mistral", "olmo3", "openai", "phi4_mini_json", "pythonic"),
    *("qwen3_coder", "qwen3_xml", "seed_oss", "step3", "step3p5", "xlam"),
)
_REASONING = (
    *("deepseek_r1", "deepseek_v3", "ernie45", "exaone4", "glm45", "granite", "holo2"),
    *("hunyuan_a13b", "kimi_k2", "minimax_m2", "minimax_m2_append_think", "mistral", "olmo3"),
    *("openai_gptoss", "qwen3", "seed_oss", "step3", "step3p5"),
)
#: The names of models and formats that people give in the place of a parser.
_INSTEAD: Mapping[str, Mapping[str, str]] = {
    "--tool-call-parser": {
        **dict.fromkeys(("llama", "llama3", "llama31", "llama3.1", "llama3.3"), "llama3_json"),
        "llama4": "llama4_pythonic",
        **dict.fromkeys(("qwen", "qwen2", "qwen2.5", "qwen25"), "hermes"),
        **dict.fromkeys(("gptoss", "harmony"), "openai"),
    },
    "--reasoning-parser": {
        **dict.fromkeys(("gptoss", "openai", "harmony"), "openai_gptoss"),
        "deepseek": "deepseek_r1",
        "qwen": "qwen3",
    },
}
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "--tool-call-parser": _TOOLS,
    "--reasoning-parser": _REASONING,
}
#: By these a parser of the author's own is brought.
_PLUGINS = frozenset({"--tool-parser-plugin", "--reasoning-parser-plugin"})

PARSER = Check(
    "engine-value",
    WARNING,
    finds='{flag} is "{value}", and vLLM has no such parser, so it will not start',
    fix="write {meant}",
)


@check(PARSER, costly=True)
def parser(view: ServiceView) -> Iterator[Problem]:
    """Yield parsers that vLLM calls otherwise."""
    for workload in view.serving:
        own = _PLUGINS & workload.flag_names
        for flag in () if own else flags_of_vllm(workload):
            meant = _meant(flag.name, flag.value)
            if meant not in ("", flag.value):
                place = workload.in_engine(flag.place)
                yield PARSER.at(place, flag=flag.name, value=flag.value, meant=meant)


def _meant(flag: str, value: str) -> str:
    """Return the parser that a value means, empty where none is known."""
    spelt = _folded(value)
    known = _KNOWN.get(flag, ())
    if value in known:
        return value
    return next((each for each in known if _folded(each) == spelt), "") or _INSTEAD.get(
        flag, {}
    ).get(spelt, "")


def _folded(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")
