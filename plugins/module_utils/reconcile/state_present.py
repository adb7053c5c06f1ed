# SPDX-License-Identifier: GPL-3.0-or-later
"""`present` and `overridden`: reconcile, wait, write statuses, tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError
from ..engine.policy import Policy
from ..fleet.load import Service
from ..kube.manifest import Json
from ..kube.pod_health import UNREAD
from ..kube.problem import Complaint
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..task.result import (
    TROUBLES,
    Clock,
    ServiceResult,
    diffs,
    failure_of,
    left_out,
    stats,
    summary_of,
    told,
)
from .answer_options import AnswerOptions
from .compiled_service import CompiledService
from .controller_mode import CONTROLLER
from .reconciler import Reconciler
from .run_state import RunState
from .status import known_objects, observe, read_pods, request_for, write_status

Params = Mapping[str, Any]
READY = "ready"
Progress = Callable[[str], None]


def make_present(
    params: Params,
    services: Sequence[Service],
    complaints: Sequence[Complaint],
    policy: Policy,
    cluster: Cluster,
    clock: Clock,
    progress: Progress,
    keeps: frozenset[Reference] | None,
    answer: AnswerOptions | None,
) -> Json:
    """Reconcile, wait where that is wanted, write statuses, and return the result.

    complaints: about services that were left out before. keeps: see `Reconciler`. answer: what is sent where a real answer is waited for.
    Raises what the reconcile raises before the first write; what goes wrong after it stands in the result.
    """
    reconciler = Reconciler(
        cluster,
        policy,
        reconciler=params["reconciler"],
        keeps=keeps,
        skip_invalid=params["skip_invalid"],
        fit=params["fit"],
        answer=answer,
    )
    done = reconciler.done
    troubles: list[str] = []
    try:
        reconciler.run(services)
    except TROUBLES as error:
        if not done.outcomes:
            raise
        troubles.append(told(error))
    results = done.results()
    objects = known_objects(done.snapshot.objects, done.outcomes)
    others = reconciler.reader
    if not troubles:
        troubles = _settle(
            params, answer, cluster, reconciler, results, objects, policy, clock, progress
        )
    # What leads to a settled fleet is worth no request of its own: its results tell what the run has read.
    looks = params["wait"] or policy.dry_run or any(plan.changes for plan in done.plans)
    seen = others if looks else others.remembered()
    for target in done.targets:
        result = results[target.reference]
        result.observation = result.observation or observe(target, objects, others=others)
        if not result.request.url:
            result.request = request_for(target, objects, seen, result.observation.url)
    subjects = {target.reference: target.service.subject for target in done.targets}
    summary = summary_of(list(results.values()), subjects, verbose=params["verbose_result"])
    summary["warnings"] += [str(problem) for problem in done.warnings] + left_out(
        [*complaints, *done.left_out]
    )
    summary["warnings"] += cluster.warnings
    changed = any(outcome.changed for outcome in done.outcomes)
    counters = stats(cluster.stats, clock, skipped=_skipped(done), rounds=done.rounds)
    return {
        **summary,
        "changed": changed,
        "stats": counters,
        **({"diff": diffs(done.outcomes)} if policy.diff else {}),
        **failure_of(done.outcomes, troubles),
    }


def _settle(
    params: Params,
    answer: AnswerOptions | None,
    cluster: Cluster,
    reconciler: Reconciler,
    results: dict[Reference, ServiceResult],
    objects: dict[Reference, Json],
    policy: Policy,
    clock: Clock,
    progress: Progress,
) -> list[str]:
    """Wait or look once, and write the statuses. Return what did not come about: objects were written before, so nothing is raised."""
    done, others = reconciler.done, reconciler.reader
    failing = {result.reference for result in results.values() if result.failures}
    waiting = [target for target in done.targets if target.reference not in failing]
    troubles: list[str] = []
    try:
        if params["wait"] and not policy.dry_run:
            # A run that does not wait has no use for it, nor for what it loads.
            from .converge import Patience, wait_for

            wanted = params["wait_for"] if answer is None else READY
            patience = Patience(wanted, params["wait_timeout"], policy.fleet)
            troubles += wait_for(
                patience, cluster, reconciler, waiting, results, objects, clock, progress
            )
            if answer is not None:
                troubles += _ask(answer, cluster, waiting, results, objects, others, progress)
        else:
            _observe(cluster, done.targets, results, objects, others)
    except KeyboardInterrupt as interrupt:
        return [told(interrupt)]
    except ClusterError as error:
        troubles.append(str(error))
    if policy.dry_run:
        return troubles
    try:
        return troubles + _write_statuses(cluster, done, results, objects, others, clock)
    except KeyboardInterrupt as interrupt:
        return [*troubles, told(interrupt)]


def _ask(
    answer: AnswerOptions,
    cluster: Cluster,
    targets: Sequence[CompiledService],
    results: Mapping[Reference, ServiceResult],
    objects: Mapping[Reference, Json],
    others: Reader,
    progress: Progress,
) -> Sequence[str]:
    """Ask the services that are ready, and return a text for each that does not answer."""
    from .answer import Inquiry, ask_all, unanswered
    from .service_progress import reached

    ready = [one for one in targets if reached(results[one.reference].observation, READY)]
    asked = {
        target.reference: Inquiry.of(
            cluster, target, objects, others, _url(results[target.reference])
        )
        for target in ready
    }
    answers = ask_all(cluster, asked, answer)
    for reference, answered in answers.items():
        results[reference].answer = answered
        results[reference].request = asked[reference].request
        place = f"{reference.namespace}/{reference.name}"
        if not answered.fault:
            progress(f"{place}: answered with {answered.status} after {answered.latency_ms} ms")
    return unanswered(answers)


def _url(result: ServiceResult) -> str:
    return result.observation.url if result.observation else ""


def _observe(
    cluster: Cluster,
    targets: Sequence[CompiledService],
    results: Mapping[Reference, ServiceResult],
    objects: dict[Reference, Json],
    others: Reader,
) -> None:
    """Read the state of every service once; pods are read for those that are not ready."""
    observations = {target.reference: observe(target, objects, others=others) for target in targets}
    unready = [target for target in targets if not observations[target.reference].ready]
    if unready:
        pods = read_pods(cluster, unready)
        for target in unready:
            found = pods.get(target.reference.namespace, UNREAD)
            observations[target.reference] = observe(target, objects, found, others)
    for reference, observation in observations.items():
        results[reference].observation = observation


def _write_statuses(
    cluster: Cluster,
    done: RunState,
    results: Mapping[Reference, ServiceResult],
    objects: Mapping[Reference, Json],
    others: Reader,
    clock: Clock,
) -> list[str]:
    """Write the status of each service that this run reconciles; return why for each that cannot be written."""
    writes = []
    for target, plan in zip(done.targets, done.plans, strict=True):
        result = results[target.reference]
        parent = objects.get(plan.parent.reference)
        if target.reconciler == CONTROLLER or parent is None:
            continue
        if target.reference.namespace in done.lost:
            continue
        observation = result.observation or observe(target, objects, others=others)
        if result.failures:
            error = f"{result.failures[0].reference}: {result.failures[0].reason}"
            observation = target.service.kind.reconcile_error(observation, error)
        result.observation = observation
        writes.append(partial(write_status, cluster, target, parent, observation, clock.now()))
    troubles = []
    for answer in cluster.parallel(writes):
        if isinstance(answer, ClusterError):
            troubles.append(str(answer))
        elif isinstance(answer, Exception):
            raise answer
    return troubles


def _skipped(done: RunState) -> int:
    return sum(len(plan.unchanged) for plan in done.plans)
