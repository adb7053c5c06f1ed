# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags and variables that the engine does not know, for vLLM, whose names are known."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import Flag
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json
from ..kube.problem import Problem
from .engine_flags import SCRIPT_VARIABLES
from .vllm_names import Span, flags, is_read, variables

#: Names of flags and variables are long and much alike: one that is meant differs in a letter or an ending.
_LIKENESS = 0.85
_IMAGE = re.compile(r"(?:^|/)vllm[a-z-]*:v?(?P<release>0\.\d+)(?:[.-].*)?$")
#: Programs by which an image of vLLM is started: its own, and what starts that.
_PROGRAMS = ("vllm", "python", "bash", "sh", "env", "tini", "dumb-init", "ray", "numactl", "uv")

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
    fix="leave the flag out, or take an image that knows it",
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
        near = nearest(name, flags(), _LIKENESS)
        place = workload.in_engine(flag.place)
        if near:
            yield UNKNOWN_FLAG.at(place, flag=flag.name, near=f"--{near}")
        elif (release := release_of(workload)) and is_read(release):
            yield UNKNOWN_FLAG.at(place, flag=flag.name, fix="leave it out")


@check(OTHER_RELEASE, costly=True)
def other_release(view: ServiceView) -> Iterator[Problem]:
    """Yield flags of the author that the release in the engine's image does not have, or no longer has."""
    for workload, flag, name in _flags(view):
        span, release = flags().get(name), release_of(workload)
        if span is None or not release:
            continue
        bound = _bound(span, release)
        if bound:
            place = workload.in_engine(flag.place)
            yield OTHER_RELEASE.at(place, flag=flag.name, bound=bound, release=release)


@check(UNKNOWN_VARIABLE, costly=True)
def unknown_variable(view: ServiceView) -> Iterator[Problem]:
    """Yield variables of the author that vLLM does not read, but that resemble one that it reads."""
    known = {*variables(), *SCRIPT_VARIABLES}
    for workload in _of_vllm(view):
        for number, variable in enumerate(workload.engine_container.get("env") or ()):
            name = str(variable.get("name"))
            if not name.startswith("VLLM_") or name in known:
                continue
            near = nearest(name, known, _LIKENESS)
            place = workload.in_engine(f"env[{number}]")
            flag = name.removeprefix("VLLM_").lower().replace("_", "-")
            if near and not place.object:
                yield UNKNOWN_VARIABLE.at(place, name=name, near=near)
            elif flag in flags() and not place.object:
                yield UNKNOWN_VARIABLE.at(
                    place, name=name, fix=f"it is a flag: write --{flag} into args"
                )


@check(VARIABLE_OF_OTHER_RELEASE, costly=True)
def variable_of_other_release(view: ServiceView) -> Iterator[Problem]:
    """Yield variables of the author that the release in the engine's image does not read, or no longer reads."""
    for workload in _of_vllm(view):
        release = release_of(workload)
        for number, variable in enumerate(workload.engine_container.get("env") or ()):
            span = variables().get(str(variable.get("name"))) if release else None
            bound = _bound(span, release) if span is not None else ""
            place = workload.in_engine(f"env[{number}]")
            if bound and not place.object:
                yield VARIABLE_OF_OTHER_RELEASE.at(
                    place, name=variable["name"], bound=bound, release=release
                )


def _flags(view: ServiceView) -> Iterator[tuple[Workload, Flag, str]]:
    """Yield the long flags that authors give to vLLM, each with its name as the tables have it."""
    for workload in _of_vllm(view):
        for flag in workload.flags:
            if flag.name.startswith("--") and not workload.in_engine(flag.place).object:
                name = flag.name.removeprefix("--").partition(".")[0].replace("_", "-")
                yield workload, flag, name if name in flags() else name.removeprefix("no-")


def _of_vllm(view: ServiceView) -> Iterator[Workload]:
    return (each for each in view.serving if is_vllm(each.engine_container))


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


def _bound(span: Span, release: str) -> str:
    """Return which releases have a flag, in words, empty where `release` may have it."""
    if since := span.later(release):
        return f"from {since} on"
    last = span.gone(release)
    return f"up to {last}" if last else ""
