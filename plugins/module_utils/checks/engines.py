# SPDX-License-Identifier: GPL-3.0-or-later
"""Which engine a container runs, by its command, its image, its name, or what its kind runs.

Source: vLLM docker/Dockerfile; the pages Server Arguments of SGLang and Text-generation-launcher arguments of TGI; `tritonserver --help`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple

from ..kinds.view import Workload
from ..kube.command_line import Flag, flags, words
from ..kube.manifest import Json

#: Engines, by the names that people call them.
VLLM, SGLANG, TGI, TRITON, KSERVE = (
    "vLLM",
    "SGLang",
    "Text Generation Inference",
    "Triton",
    "KServe's huggingfaceserver",
)


class _Engine(NamedTuple):
    """How a program is known. program: a part of the word that starts it. image: a part of its image's name."""

    program: str
    image: str


#: vLLM is known in more ways, see `is_vllm`.
_KNOWN_BY: Mapping[str, _Engine] = {
    KSERVE: _Engine("huggingfaceserver", "huggingfaceserver"),
    SGLANG: _Engine("sglang", "sglang"),
    TGI: _Engine("text-generation-launcher", "text-generation-inference"),
    TRITON: _Engine("tritonserver", "tritonserver"),
}
#: Words of vLLM for one and the same type of numbers.
_SAME_TYPE: Mapping[str, str] = {"half": "float16", "float": "float32"}
_MODEL_FLAGS = ("--model", "--model-path")
_IMAGE = re.compile(r"(?:^|/)vllm[a-z-]*:v?(?P<release>0\.\d+)(?:[.-].*)?$")
#: Flags by which a program tells of itself, as a script may ask it to before it starts the engine.
_QUESTIONS = frozenset({"--version", "--help"})
#: Programs by which an image of vLLM is started: its own, and what starts that.
_PROGRAMS = ("vllm", "python", "bash", "sh", "env", "tini", "dumb-init", "ray", "numactl", "uv")


def engine_of(workload: Workload) -> str:
    """Return the name of the engine whose flags and variables authors give to a workload, empty where nothing tells.

    Where the container itself does not tell, and a preset starts it, it is the engine of the kind's presets.
    """
    if "engine" not in workload.known:
        workload.known["engine"] = _engine_of(workload)
    return workload.known["engine"]


def _engine_of(workload: Workload) -> str:
    container = workload.engine_container
    known = by_command(container) or by_image(container) or (VLLM if is_vllm(container) else "")
    if known or not workload.usual_engine or not container.get("command"):
        return known
    return "" if workload.in_engine("command[0]").is_authors else workload.usual_engine


def flags_of_vllm(workload: Workload) -> Iterator[Flag]:
    """Yield the flags that vLLM has to take: all of a container that runs it, and the author's where a preset starts it otherwise."""
    if is_vllm(workload.engine_container):
        yield from (each for each in workload.flags if each.name.rstrip(";") not in _QUESTIONS)
    elif takes_flags_of_vllm(workload):
        yield from (each for each in workload.flags if workload.in_engine(each.place).is_authors)


def takes_flags_of_vllm(workload: Workload) -> bool:
    """Tell whether what authors give to a workload has to be what vLLM takes."""
    return is_vllm(workload.engine_container) or engine_of(workload) == VLLM


def is_vllm(container: Json) -> bool:
    """Tell whether a container runs vLLM, by its name, its command or the name of its image."""
    command = [str(word) for word in container.get("command") or ()]
    words = [*command, *(container.get("args") or ())]
    image = str(container.get("image") or "").rpartition("/")[2]
    named = image.startswith("vllm") or container.get("name") == "vllm"
    # A program that is called otherwise has flags of its own, whatever the image is called.
    program = command[0].rpartition("/")[2] if command else ""
    known = not program or program.startswith(_PROGRAMS)
    return (named and known) or any(
        str(word) == "vllm" or "vllm serve" in str(word) or "vllm.entrypoints" in str(word)
        for word in words
    )


def release_of(workload: Workload) -> str:
    """Return the release of vLLM that the image names, for example 0.11, empty where it names none."""
    found = _IMAGE.search(str(workload.engine_container.get("image") or ""))
    return found["release"] if found else ""


def least_release_of(workload: Workload) -> str:
    """Return the release of vLLM that an engine has at least: that of its image, or of the presets' where nobody gave another image."""
    known = release_of(workload)
    if known or not workload.usual_release or workload.in_engine("image").is_authors:
        return known
    return workload.usual_release if engine_of(workload) == VLLM else ""


def told_to(
    workload: Workload, names: Collection[str], variables: Collection[str] = ()
) -> dict[str, str]:
    """Return what an engine is told by some of its flags and variables; a type that has two names has one here."""
    said = {
        flag.name: _SAME_TYPE.get(flag.value, flag.value)
        for flag in workload.flags
        if flag.name in names
    }
    return said | {
        str(variable["name"]): str(variable["value"])
        for variable in workload.engine_container.get("env") or ()
        if variable.get("name") in variables and variable.get("value")
    }


def model_of(container: Json) -> str:
    """Return what an engine loads, and calls it by where nothing else is said: the word after `serve`, or that of a flag; empty for neither."""
    given = dict(flags(container))
    return served_path(container) or next(filter(None, map(given.get, _MODEL_FLAGS)), "")


def served_path(container: Json) -> str:
    """Return the word after `serve`."""
    # A script breaks its lines with backslashes.
    given = [word for word in words(container) if word != "\\"]
    following = given[given.index("serve") + 1 :][:1] if "serve" in given else []
    return following[0] if following and not following[0].startswith("-") else ""


def by_command(container: Json) -> str:
    """Return the engine whose program a container's command line starts."""
    given = list(takewhile(lambda word: not word.startswith("--"), words(container)))
    for engine, known in _KNOWN_BY.items():
        if any(_is_program(word, known.program) for word in given):
            return engine
    started = {"command": container.get("command"), "args": container.get("args")}
    return VLLM if is_vllm(started) else ""


def _is_program(word: str, program: str) -> bool:
    """Tell whether a word of a command line is a program or a module of that name, and no flag's value or folder of models."""
    return word.rpartition("/")[2].split(".")[0] == program and "://" not in word


def by_image(container: Json) -> str:
    """Return the engine that the name of a container's image tells."""
    image = str(container.get("image") or "").partition("@")[0].rpartition("/")[2]
    for engine, known in _KNOWN_BY.items():
        if known.image in image:
            return engine
    return VLLM if is_vllm({"image": container.get("image")}) else ""
