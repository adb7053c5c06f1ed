# SPDX-License-Identifier: GPL-3.0-or-later
"""`present` and `overridden`: reconcile, wait, write statuses, tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError
from ..engine.policy import Policy
from ..kube.manifest import Json
from ..kube.pods import UNREAD
from ..kube.problem import Complaint, Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from .awaited import Awaited, reached
from .fleet import Service
from .looking import ClusterReader
from .observing import known_objects, lacking, observe, read_pods, write_status
from .reconciled import Reconciled
from .result import (
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
from .rounds import Reconciler
from .target import CONTROLLER, Target
from .waiting import Wait

Params = Mapping[str, Any]
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
) -> Json:
    """Reconcile, wait where that is wanted, write statuses, and return the result.

    complaints: about services that were left out before. keeps: see `Reconciler`.
    Raises what the reconcile raises before the first write; what goes wrong after it stands in the result.
    """
    reconciler = Reconciler(
        cluster,
        policy,
        reconciler=params["reconciler"],
        keeps=keeps,
        skip_invalid=params["skip_invalid"],
        fit=params["fit"],
    )
    done = reconciler.done
    troubles: list[str] = []
    try:
        reconciler.run(services)
    except TROUBLES as error:
        if not done.outcomes:
            raise
        troubles.append(told(error))
    results = _results(done)
    objects = known_objects(done.snapshot.objects, done.outcomes)
    others = reconciler.reader
    if not troubles:
        troubles = _settle(params, cluster, done, results, objects, others, policy, clock, progress)
    for target in done.targets:
        result = results[target.reference]
        result.observation = result.observation or observe(target, objects, others=others)
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
    cluster: Cluster,
    done: Reconciled,
    results: Mapping[Reference, ServiceResult],
    objects: dict[Reference, Json],
    others: ClusterReader,
    policy: Policy,
    clock: Clock,
    progress: Progress,
) -> list[str]:
    """Wait or look once, and write the statuses. Return what did not come about: objects were written before, so nothing is raised."""
    failing = {result.reference for result in results.values() if result.failures}
    waiting = [target for target in done.targets if target.reference not in failing]
    troubles: list[str] = []
    try:
        if params["wait"] and not policy.dry_run:
            troubles += _wait(
                params, policy, cluster, waiting, results, objects, others, clock, progress
            )
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


def _results(done: Reconciled) -> dict[Reference, ServiceResult]:
    results = {}
    for target, plan in zip(done.targets, done.plans, strict=True):
        problems = list(dict.fromkeys([*target.service.problems, *plan.problems]))
        results[target.reference] = ServiceResult(
            target.reference, target.reconciler, problems, unchanged=plan.unchanged
        )
    for outcome in done.outcomes:
        result = results.setdefault(outcome.service, ServiceResult(outcome.service, "direct"))
        result.outcomes.append(outcome)
        if outcome.warning:
            text = f"{outcome.reference}: {outcome.warning}"
            result.problems.append(Problem("", text, "warning", rule="two-owners"))
    return results


def _observe(
    cluster: Cluster,
    targets: Sequence[Target],
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


def _wait(
    params: Params,
    policy: Policy,
    cluster: Cluster,
    targets: Sequence[Target],
    results: Mapping[Reference, ServiceResult],
    objects: Mapping[Reference, Json],
    others: ClusterReader,
    clock: Clock,
    progress: Progress,
) -> list[str]:
    """Wait for what is not there yet, and return a text for each service that did not get there.

    objects: what is known after the writes; a settled service needs no watch.
    """
    for target in targets:
        results[target.reference].observation = observe(target, objects, others=others)
    left = [
        target
        for target in targets
        if not reached(results[target.reference].observation, params["wait_for"])
    ]
    if not left:
        return []
    waiting = Wait(
        cluster,
        left,
        objects,
        others=others,
        looked_at={target.reference: _looked_at(results[target.reference]) for target in left},
        wait_for=params["wait_for"],
        fleet=policy.fleet,
        clock=clock.monotonic,
        progress=progress,
    )
    broken = []
    try:
        waiting.run(params["wait_timeout"])
    except ClusterError as error:
        broken.append(f"the wait broke off: {error}")
    finally:
        for service in waiting.services:
            if service.observation is not None:
                results[service.target.reference].observation = service.observation
    return broken + [
        _shortfall(service, clock.elapsed) for service in waiting.services if not service.reached
    ]


def _looked_at(result: ServiceResult) -> Sequence[Reference]:
    """Return the objects of others that the state of a service depends on."""
    return result.observation.looked_at if result.observation else ()


def _shortfall(service: Awaited, seconds: float) -> str:
    """Return how far a service is from what was waited for, and why."""
    reasons = (
        lacking(service.observation) if service.observation else ["it could not be listed in time"]
    )
    verdict = service.verdict
    if verdict is None:
        how = f"is not {service.wait_for} after {seconds:.0f} s"
    else:
        how = "failed"
        if not any(verdict.message in reason for reason in reasons):
            reasons.insert(0, f"{verdict.reason}: {verdict.message}")
    return f"{service.target.reference} {how}: {'; '.join(reasons)}"


def _write_statuses(
    cluster: Cluster,
    done: Reconciled,
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


def _skipped(done: Reconciled) -> int:
    return sum(len(plan.unchanged) for plan in done.plans)
