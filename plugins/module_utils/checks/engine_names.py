# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags and variables that the engine does not know, for vLLM, whose names are known."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import Flag, words
from ..kube.did_you_mean import nearest
from ..kube.problem import Problem
from .engine_flags import SCRIPT_VARIABLES
from .engines import flags_of_vllm, is_vllm, least_release_of, release_of, takes_flags_of_vllm
from .vllm_names import Span, flags, is_read, variables

#: Names of flags and variables are long and much alike: one that is meant differs in a letter or an ending.
_LIKENESS = 0.85
#: What took the place of flags that are gone.
_NOW = {
    **dict.fromkeys(
        (
            *("speculative-model", "num-speculative-tokens", "speculative-max-model-len"),
            *("ngram-prompt-lookup-max", "ngram-prompt-lookup-min"),
            "speculative-draft-tensor-parallel-size",
        ),
        "--speculative-config",
    ),
    "enable-reasoning": "--reasoning-parser alone",
    "guided-decoding-backend": "--structured-outputs-config",
    "rope-scaling": "--hf-overrides",
    "rope-theta": "--hf-overrides",
    "task": "--runner and --convert",
}
#: How variables end that are meant to hold flags.
_MANY = ("_ARGS", "_FLAGS", "_OPTS")

UNKNOWN_FLAG = Check(
    "engine-flag",
    WARNING,
    finds="vLLM has no flag {flag}, and does not start with it",
    fix="write {near} if that is what you mean",
)
OTHER_RELEASE = Check(
    "engine-release",
    WARNING,
    finds="the flag {flag} is one of vLLM {bound}, and the image is of {release}: the engine does not start with it",
    fix="{way}, or take an image that knows it",
)
UNKNOWN_VARIABLE = Check(
    "engine-variable",
    WARNING,
    finds="vLLM reads no variable {name}",
    fix="write {near} if that is what you mean",
)
VARIABLE_OF_OTHER_RELEASE = Check(
    "engine-release",
    WARNING,
    finds="the variable {name} is one of vLLM {bound}, and the image is of {release}, which does not read it",
    fix="leave it out, or take an image that reads it",
)
BESIDE = Check(
    "engine-beside",
    WARNING,
    finds="the container {name} starts vLLM in addition to {engine}, which serves: requests never reach it",
    fix="call it {engine}, so that the two become one",
)
RELEASES = Check(
    "engine-releases",
    WARNING,
    finds="the image here is vLLM {release}, and that of {other} vLLM {theirs}: engines of one service that talk to each other need the same",
    fix="take one image for both",
)


@check(RELEASES)
def releases(view: ServiceView) -> Iterator[Problem]:
    """Yield engines of one service with different releases of vLLM: heads and workers, prefill and decode."""
    known = [(each, release) for each in view.serving if (release := release_of(each))]
    for workload, release in known[1:]:
        first, theirs = known[0]
        if release != theirs:
            yield RELEASES.at(
                workload.in_engine("image"), release=release, other=first.origin, theirs=theirs
            )


@check(BESIDE)
def beside(view: ServiceView) -> Iterator[Problem]:
    """Yield an engine that the author starts in another container than the preset's. It is not merged with the one that serves."""
    for workload in view.serving:
        for number, container in enumerate(workload.pod.get("containers") or ()):
            name = container.get("name")
            if name in (workload.engine, workload.sidecar) or not is_vllm(container):
                continue
            place = workload.fields(f"containers[{number}].name")
            if not place.object:
                yield BESIDE.at(place, name=name, engine=workload.engine)


@check(UNKNOWN_FLAG, costly=True)
def unknown_flag(view: ServiceView) -> Iterator[Problem]:
    """Yield flags of the author that vLLM does not know. It ends at once with the words "unrecognized arguments"."""
    for workload, flag, name in _flags(view):
        if name in flags() or any(known.startswith(name) for known in flags()):
            continue
        near = _nearest(name)
        place = workload.in_engine(flag.place)
        if near:
            yield UNKNOWN_FLAG.at(place, flag=flag.name, near=f"--{near}")
        elif (release := release_of(workload)) and is_read(release):
            yield UNKNOWN_FLAG.at(place, flag=flag.name, fix="leave it out")


@check(UNKNOWN_FLAG, costly=True)
def one_dash(view: ServiceView) -> Iterator[Problem]:
    """Yield long flags of the author with one dash, of which vLLM reads only the first letters."""
    for workload in _of_vllm(view):
        for flag in flags_of_vllm(workload):
            name = flag.name.removeprefix("-")
            if name in flags() and not workload.in_engine(flag.place).object:
                place = workload.in_engine(flag.place)
                yield UNKNOWN_FLAG.at(place, flag=flag.name, near=f"--{name}")


@cache
def _nearest(name: str) -> str | None:
    return nearest(name, flags(), _LIKENESS)


@check(OTHER_RELEASE, costly=True)
def other_release(view: ServiceView) -> Iterator[Problem]:
    """Yield flags of the author that the release in the engine's image does not have, or no longer has."""
    for workload, flag, name in _flags(view):
        span = flags().get(name)
        bound, release = _bound(span, workload) if span is not None else ("", "")
        if bound:
            place = workload.in_engine(flag.place)
            way = f"write {now}" if (now := _NOW.get(name)) else "leave the flag out"
            yield OTHER_RELEASE.at(place, flag=flag.name, bound=bound, release=release, way=way)


@check(UNKNOWN_VARIABLE, costly=True)
def unknown_variable(view: ServiceView) -> Iterator[Problem]:
    """Yield variables of the author that vLLM does not read, but that resemble one that it reads."""
    known = {*variables(), *SCRIPT_VARIABLES}
    for workload in _of_vllm(view):
        for number, variable in enumerate(workload.engine_container.get("env") or ()):
            name = str(variable.get("name"))
            if not name.startswith("VLLM_") or name in known:
                continue
            place = workload.in_engine(f"env[{number}]")
            if place.object:
                continue
            flag = name.removeprefix("VLLM_").lower().replace("_", "-")
            if near := nearest(name, known, _LIKENESS):
                yield UNKNOWN_VARIABLE.at(place, name=name, near=near)
            elif flag in flags():
                yield UNKNOWN_VARIABLE.at(
                    place, name=name, fix=f"it is a flag: write --{flag} into args"
                )
            elif name.endswith(_MANY) and name not in _line(workload):
                yield UNKNOWN_VARIABLE.at(place, name=name, fix="write its flags into args")


@check(VARIABLE_OF_OTHER_RELEASE, costly=True)
def variable_of_other_release(view: ServiceView) -> Iterator[Problem]:
    """Yield variables of the author that the release in the engine's image does not read, or no longer reads."""
    for workload in _of_vllm(view):
        for number, variable in enumerate(workload.engine_container.get("env") or ()):
            span = variables().get(str(variable.get("name")))
            bound, release = _bound(span, workload) if span is not None else ("", "")
            place = workload.in_engine(f"env[{number}]")
            if bound and not place.object:
                yield VARIABLE_OF_OTHER_RELEASE.at(
                    place, name=variable["name"], bound=bound, release=release
                )


def _flags(view: ServiceView) -> Iterator[tuple[Workload, Flag, str]]:
    """Yield the long flags that authors give to vLLM, each with its name as the tables have it."""
    for workload in _of_vllm(view):
        for flag in flags_of_vllm(workload):
            if flag.name.startswith("--") and not workload.in_engine(flag.place).object:
                name = flag.name.removeprefix("--").partition(".")[0].replace("_", "-")
                yield workload, flag, name if name in flags() else name.removeprefix("no-")


def _of_vllm(view: ServiceView) -> Iterator[Workload]:
    return (each for each in view.serving if takes_flags_of_vllm(each))


def _line(workload: Workload) -> str:
    return " ".join(words(workload.engine_container))


def _bound(span: Span, workload: Workload) -> tuple[str, str]:
    """Return which releases have a name, and which the engine is, both in words; empty where the engine may know it."""
    release = release_of(workload)
    if release and (since := span.later(release)):
        return f"from {since} on", release
    least = release or least_release_of(workload)
    if least and (last := span.gone(least)):
        return f"up to {last}", release or f"{least} or later"
    return "", ""
