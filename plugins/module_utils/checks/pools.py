# SPDX-License-Identifier: GPL-3.0-or-later
"""The InferencePool of a service: whether it has endpoints, and whether they listen where it sends requests.

Source: Gateway API inference extension, InferencePoolSpec.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.containers import running_in
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reader import Reader
from .ports import listens

EMPTY = Check(
    "pool-empty",
    WARNING,
    finds="InferencePool {pool} selects pods with {labels}, but those of the service have {have}: it has no endpoint, and every request fails",
    fix="put the pods' labels into its selector",
)
EMPTY_OF_OTHERS = Check(
    "pool-empty",
    WARNING,
    finds="InferencePool {pool} selects pods with {labels}, but those of the service have other labels: no request reaches them",
    fix="name the pool that selects them, or give the pods these labels",
)
PORT = Check(
    "pool-port",
    WARNING,
    finds="InferencePool {pool} sends requests to port {port}, but the pods listen on {ports}: nothing answers there",
    fix="name a port on which the engine listens",
)


@check(EMPTY, costly=True)
def empty(view: ServiceView) -> Iterator[Problem]:
    """Yield pools that select no pod of their service."""
    for pool, name, selected in _pools(view):
        if selected or not view.serving:
            continue
        there = view.serving[0].labels
        wrong = sorted(_labels(pool).items() - there.items())
        labels_of_author = (view.label(view.serving[0], key) for key, dummy in wrong)
        written = next(filter(None, labels_of_author), None)
        yield EMPTY.at(
            written or _place(view),
            fix="leave them out: the controller gives the pods these labels" if written else "",
            pool=name,
            labels=" and ".join(f"{key}={value}" for key, value in wrong),
            have=" and ".join(
                f"{key}={there[key]}" if key in there else f"no {key}" for key, dummy in wrong
            ),
        )


@check(EMPTY_OF_OTHERS, reads=("InferencePools",), costly=True)
def empty_of_others(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield pools that a service refers to, but that select none of its pods."""
    for reference, place in view.refers if view.serving else ():
        pool = reader.get(reference) if reference.kind == "InferencePool" else None
        labels = _labels(pool or {})
        if labels and not any(labels.items() <= each.labels.items() for each in view.serving):
            told = " and ".join(f"{key}={value}" for key, value in sorted(labels.items()))
            yield EMPTY_OF_OTHERS.at(place, pool=reference.name, labels=told)


@check(PORT, costly=True)
def port(view: ServiceView) -> Iterator[Problem]:
    """Yield pools that send requests to ports on which none of their pods listens."""
    for pool, name, selected in _pools(view):
        wanted = {each.get("number") for each in value_at(pool, ("spec", "targetPorts")) or ()}
        for workload in selected:
            together = [container for container, dummy in running_in(workload.pod)]
            known = {number for each in together for dummy, number in listens(workload, each)}
            # A container that declares nothing may listen anywhere.
            silent = any(not each.get("ports") for each in together)
            if wanted and known and not silent and not wanted & known:
                yield PORT.at(
                    _place(view),
                    pool=name,
                    port=", ".join(map(str, sorted(wanted))),
                    ports=", ".join(map(str, sorted(known))),
                )
                break


def _pools(view: ServiceView) -> Iterator[tuple[Json, str, list[Workload]]]:
    """Yield the pools that a service makes, each with its name and the serving workloads that it selects."""
    for pool in view.made:
        if pool.get("kind") == "InferencePool" and value_at(pool, ("spec", "targetPorts")):
            labels = _labels(pool).items()
            selected = [each for each in view.serving if labels <= each.labels.items()]
            yield pool, str(pool["metadata"]["name"]), selected


def _labels(pool: Json) -> Json:
    return value_at(pool, ("spec", "selector", "matchLabels")) or {}


def _place(view: ServiceView) -> str:
    return view.picker.workload.origin if view.picker is not None else ""
