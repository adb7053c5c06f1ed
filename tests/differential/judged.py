# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of services that are judged: which controller, which inputs, which statuses, and who compares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from tests.parity import recorded_inference_graphs as graphs
from tests.parity import recorded_inference_services as services
from tests.parity import recorded_llm_services as llm_services

from . import (
    admission,
    build,
    graph_inputs,
    graph_judge,
    graph_system,
    isvc_inputs,
    isvc_judge,
    isvc_plane,
    isvc_pods,
    isvc_readiness,
    isvc_requests,
    isvc_system,
    isvc_updates,
    judge,
    llm_plane,
    models_inputs,
    models_judge,
    models_plane,
    readiness,
    recordings,
    updates,
)
from .admission import Verdict
from .batch import Case, Outcome, Watched
from .llm_inputs import Generator
from .llm_system import system_for
from .plane import Plane
from .recordings import Group, Surroundings

Json = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A kind of services. Functions take a release, and where they make something at random a seed.

    controller: takes the version of its module. requests, verdict: spoilt services, and what we say of them.
    updates: services that become others. judge_update: tells the differences after that.
    known: inputs recorded of the first release. recorded: what a release has recordings of. home: the namespace of a recording.
    look_on: what else is asked of the controller about services while they run.
    made: of all that was sent, what was made of the services.
    """

    name: str
    controller: Callable[[str], build.Controller]
    plane: Callable[[build.Programs, KServe, Mapping[str, str]], Plane]
    watched: Callable[[KServe], Watched]
    statuses: Callable[[Case, list[Json], int], list[Json]]
    surroundings: Callable[[int, KServe], Surroundings]
    cases: Callable[[int, KServe, int], list[Case]]
    requests: Callable[[int, int, KServe], list[Json]]
    verdict: Callable[[Json, Surroundings], Verdict]
    known: Callable[[KServe], Iterator[Group]]
    recorded: Callable[[KServe], Iterator[Group]]
    home: Callable[[Path], str]
    judge: Callable[[Outcome, Sequence[Json], Any], list[str]]
    updates: Callable[[int, KServe, int], list[Case]] | None = None
    judge_update: Callable[[Outcome, Sequence[Json], Any], Iterator[str]] | None = None
    look_on: Callable[[Plane, Sequence[Outcome]], None] = lambda _plane, _outcomes: None
    made: Callable[[Sequence[Json]], Sequence[Json]] = lambda sent: sent


def _namespace(document: Json) -> str:
    found: str = document["metadata"]["namespace"]
    return found


LLM = Kind(
    name="llm",
    controller=build.llm,
    plane=llm_plane.plane,
    watched=llm_plane.watched,
    statuses=readiness.statuses,
    surroundings=lambda seed, release: Surroundings(*system_for(seed, release)),
    cases=lambda seed, release, count: Generator(seed, release).cases(count),
    requests=admission.requests,
    verdict=lambda document, around: judge.verdict(document, around.settings.release),
    known=recordings.llm_known,
    recorded=recordings.llm_recorded,
    home=lambda folder: _namespace(llm_services.given(folder, "input.yaml")[0]),
    judge=judge.judge,
    updates=updates.cases,
    judge_update=updates.judge,
)
ISVC = Kind(
    name="isvc",
    controller=build.manager,
    plane=isvc_plane.plane,
    watched=lambda _release: isvc_plane.WATCHED,
    statuses=isvc_readiness.statuses,
    surroundings=lambda seed, release: Surroundings(*isvc_system.system_for(seed, release)),
    cases=isvc_inputs.cases,
    requests=isvc_requests.requests,
    verdict=lambda document, around: isvc_judge.verdict(document, *around[:2]),
    known=recordings.isvc_known,
    recorded=recordings.isvc_recorded,
    home=lambda folder: _namespace(services.read_given(folder, "input.yaml")),
    judge=isvc_judge.judge,
    updates=isvc_updates.cases,
    judge_update=isvc_updates.judge,
    look_on=isvc_pods.add_pods,
)
GRAPH = Kind(
    name="graph",
    controller=build.manager,
    plane=isvc_plane.plane,
    watched=lambda _release: isvc_plane.WATCHED_GRAPHS,
    statuses=isvc_readiness.statuses,
    surroundings=lambda seed, release: Surroundings(*graph_system.system_for(seed, release)),
    cases=graph_inputs.cases,
    requests=graph_inputs.requests,
    verdict=lambda document, around: graph_judge.verdict(document, around.settings),
    known=recordings.graph_recorded,
    recorded=recordings.graph_recorded,
    home=lambda folder: _namespace(graphs.given(folder)[0]),
    made=graph_judge.of_graphs,
    judge=graph_judge.judge,
)
MODELS = Kind(
    name="models",
    controller=build.manager,
    plane=isvc_plane.plane,
    watched=lambda _release: isvc_plane.WATCHED,
    statuses=isvc_readiness.statuses,
    surroundings=models_inputs.surroundings,
    cases=models_inputs.cases,
    requests=models_inputs.requests,
    verdict=lambda document, around: models_judge.verdict(document, *around[:2]),
    known=lambda _release: iter(()),
    recorded=lambda _release: iter(()),
    home=lambda folder: folder.name,
    judge=models_judge.judge,
    updates=models_inputs.updates,
    look_on=models_plane.give,
)
KINDS = {each.name: each for each in (LLM, ISVC, GRAPH, MODELS)}
