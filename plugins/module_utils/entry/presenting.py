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
from ..kube.problem import Complaint, Problem
from ..kube.reference import Reference
from .fleet import Service
from .observing import Wait, known_objects, lacking, observe, reached, read_objects, write_status
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
from .rounds import Reconciled, Reconciler
from .target import CONTROLLER, Target

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
    if not troubles:
        troubles = _settle(params, cluster, done, results, objects, policy, clock, progress)
    for target in done.targets:
        result = results[target.reference]
        result.observation = result.observation or observe(target, objects)
    subjects = {target.reference: target.service.subject for target in done.targets}
    summary = summary_of(list(results.values()), subjects, verbose=params["verbose_result"])
    summary["warnings"] += [str(problem) for problem in done.warnings] + left_out(
        [*complaints, *done.left_out]
    )
    summary["warnings"] += cluster.warnings
    changed = any(outcome.changed for outcome in done.outcomes)
    counters = stats(cluster.stats, clock, skipped=_skipped(done), rounds=1)
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
            troubles += _wait(params, cluster, waiting, results, objects, clock, progress)
        else:
            _observe(cluster, done.targets, results, objects)
    except KeyboardInterrupt as interrupt:
        return [told(interrupt)]
    except ClusterError as error:
        troubles.append(str(error))
    if policy.dry_run:
        return troubles
    try:
        return troubles + _write_statuses(cluster, done, results, objects, clock)
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
) -> None:
    """Read the state of every service once; pods are read for those that are not ready."""
    observations = {target.reference: observe(target, objects) for target in targets}
    unready = [target for target in targets if not observations[target.reference].ready]
    if unready:
        objects |= read_objects(cluster, unready)
        observations |= {target.reference: observe(target, objects) for target in unready}
    for reference, observation in observations.items():
        results[reference].observation = observation


def _wait(
    params: Params,
    cluster: Cluster,
    targets: Sequence[Target],
    results: Mapping[Reference, ServiceResult],
    objects: Mapping[Reference, Json],
    clock: Clock,
    progress: Progress,
) -> list[str]:
    """Wait for what is not there yet, and return a text for each service that did not get there.

    objects: what is known after the writes; a settled service needs no watch.
    """
    for target in targets:
        results[target.reference].observation = observe(target, objects)
    left = [
        target
        for target in targets
        if not reached(results[target.reference].observation, params["wait_for"])
    ]
    if not left:
        return []
    waiting = Wait(left, params["wait_for"], clock.monotonic, progress)
    observations = waiting.run(cluster, params["wait_timeout"])
    texts = []
    for target in left:
        observation = observations.get(target.reference)
        results[target.reference].observation = observation
        if observation is None or not reached(observation, params["wait_for"]):
            why = (
                "; ".join(lacking(observation)) if observation else "it could not be listed in time"
            )
            how = (
                "failed"
                if observation and observation.failed
                else f"is not {params['wait_for']} after {clock.elapsed:.0f} s"
            )
            texts.append(f"{target.reference} {how}: {why}")
    return texts


def _write_statuses(
    cluster: Cluster,
    done: Reconciled,
    results: Mapping[Reference, ServiceResult],
    objects: Mapping[Reference, Json],
    clock: Clock,
) -> list[str]:
    """Write the status of each service that this run reconciles; return why for each that cannot be written."""
    writes = []
    for target, plan in zip(done.targets, done.plans, strict=True):
        result = results[target.reference]
        parent = objects.get(plan.parent.reference)
        if target.reconciler == CONTROLLER or parent is None:
            continue
        observation = result.observation or observe(target, objects)
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
