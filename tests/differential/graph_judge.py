# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the controller of InferenceGraphs and we disagree about a graph.

A graph is judged twice: beside services as the cluster has them, and beside the same services as their authors wrote them, in one task with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph.compile import (
    compile as compile_graph,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph.observe import (
    observe,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service import (
    normalise as inference_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.settings import (
    Settings as ServiceSettings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.peers import NOBODY, Peers
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import (
    InputError,
    Problem,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.parity.compare import by_key, differences
from tests.parity.recorded_llm_services import Recorded
from tests.unit.kinds.refusals import api_refusals

from .admission import Verdict, parted
from .batch import Outcome
from .isvc_judge import services_first
from .judge import bare, plain, status_lines

Json = dict[str, Any]
_SERVICE = "InferenceService"
_OF_KNATIVE = "serving.knative.dev/v1"
#: Rules by which a graph is refused that the controller admits and cannot bring up, or brings up by Knative: G4, G5, G8.
_ON_PURPOSE = frozenset({"autoscaler", "mode", "name-length"})
#: G8.
_TAKEN = re.compile(r"it has \d+ characters")


def judge(outcome: Outcome, system: Sequence[Json], settings: Settings) -> list[str]:
    """Return one line for each difference."""
    loaded = load(outcome.case.document, settings)
    ours = [one for one in loaded.problems if one.severity == "error"]
    if outcome.refusal is not None or loaded.service is None:
        return list(_admission(outcome, ours))
    there = (*system, *outcome.case.context, *outcome.snapshots[-1])
    cluster = {Reference.of(one): one for one in there if one["kind"] != "InferenceGraph"}
    lines = list(_built(outcome, loaded.service, settings, cluster, NOBODY))
    if not _rejected(outcome):
        peers = _written(outcome.case.context, settings)
        beside = _built(outcome, loaded.service, settings, cluster, peers)
        lines += [f"in one task: {line}" for line in beside]
    return lines


def of_graphs(manifests: Sequence[Json]) -> list[Json]:
    """Return those that were made for a graph."""
    return [
        one
        for one in manifests
        if any(
            owner["kind"] == "InferenceGraph"
            for owner in one["metadata"].get("ownerReferences") or ()
        )
    ]


def _rejected(outcome: Outcome) -> list[Json]:
    """Return what the API server refused of the graph's children."""
    return [one for one in outcome.rejected if of_graphs([one.get("body") or {"metadata": {}}])]


def _admission(outcome: Outcome, ours: Sequence[Problem]) -> Iterator[str]:
    told = [(one.path, one.rule, one.message) for one in ours]
    if outcome.refusal is None and not {one.rule for one in ours} <= _ON_PURPOSE:
        yield f"admission: only we refuse: {told}"
    elif outcome.refusal is not None and not ours:
        yield f"admission: only they refuse: {outcome.refusal['message']}"


def _written(context: Sequence[Json], settings: Settings) -> Peers:
    """Return the services that a task gives beside the graph."""
    release = ServiceSettings(release=settings.release)
    loaded = [
        inference_service.load({key: one[key] for key in one if key != "status"}, release).service
        for one in context
        if one["kind"] == _SERVICE
    ]
    return Peers([one for one in loaded if one is not None])


def _built(
    outcome: Outcome,
    graph: Any,
    settings: Settings,
    cluster: Mapping[Reference, Json],
    peers: Peers,
) -> Iterator[str]:
    reader = Recorded(cluster.values())
    sent = of_graphs(outcome.sent)
    rejected = _rejected(outcome)
    try:
        intent = compile_graph(graph, settings, reader, peers)
        problems = api_refusals(graph, settings, reader) if peers is NOBODY else []
        if problems and any(each["apiVersion"] == _OF_KNATIVE for each in sent):
            # Pods of Knative are looked at by its webhook, which is not here: I89.
            problems = []
    except InputError as error:
        problems = [one for each in error.complaints for one in each.problems]
    if problems:
        told = [(one.path, one.rule, one.message) for one in problems]
        rules = {one.rule for one in problems}
        if sent and not rejected and "mode" not in rules and not rules <= _ON_PURPOSE:
            yield f"only we refuse: {told}"
        return
    for one in rejected:
        message = (one.get("refusal") or {}).get("message", "")
        yield f"the API server refuses {one['method']} {one['path']}: {message}"
    ours = by_key(plain(child.manifest.to_dict()) for child in intent.children)
    theirs = by_key(map(plain, sent))
    lines = list(differences(ours, theirs))
    if not lines and services_first(ours) != services_first(theirs):
        lines.append("the order of the children differs")
    yield from lines
    if graph.stopped and not outcome.status(0):
        # They could not build it, and so do not stop it: G13.
        return
    yield from _statuses(outcome, intent.basis, cluster)


def _statuses(outcome: Outcome, resolved: Any, cluster: Mapping[Reference, Json]) -> Iterator[str]:
    status: Json = {}
    document = outcome.case.document
    for phase, snapshot in enumerate(outcome.snapshots):
        live = {**cluster, **{Reference.of(each): each for each in snapshot}}
        live[Reference.of(document)] = {**document, "status": status}
        status = observe(resolved, Recorded(live.values())).status
        lines = status_lines(bare(status), bare(outcome.status(phase)))
        yield from (f"status {phase}: {line}" for line in lines)


def verdict(document: Json, settings: Settings) -> Verdict:
    """Return what we say of a graph, wherever it is."""
    return parted(load(document, settings).problems, _is_taken)


def _is_taken(problem: Problem) -> bool:
    """Return whether the API takes what a problem of a graph refuses; it asks names for their letters alone."""
    return problem.rule in _ON_PURPOSE or _TAKEN.search(problem.message) is not None
