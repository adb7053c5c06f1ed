# SPDX-License-Identifier: GPL-3.0-or-later
"""`present` and `overridden`: reconcile, wait, write statuses, tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..cluster.connection import Cluster
from ..engine.policy import Policy
from ..kube.manifest import Json
from ..kube.problem import Complaint
from ..kube.reference import Reference
from .fleet import Service
from .observing import Wait, known_objects, lacking, observe, reached, read_objects, write_status
from .result import Clock, ServiceResult, diffs, failure_of, left_out, stats, summary_of
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
) -> Json:
    """Reconcile, wait where that is wanted, write statuses, and return the result.

    complaints: about services that were left out before. Raises InputError for what is found before the first write.
    """
    reconciler = Reconciler(
        cluster,
        policy,
        reconciler=params["reconciler"],
        overridden=params["state"] == "overridden",
        skip_invalid=params["skip_invalid"],
    )
    done = reconciler.run(services)
    results = _results(done)
    objects = known_objects(done.snapshot.objects, done.outcomes)
    failing = {result.reference for result in results.values() if result.failures}
    waiting = [target for target in done.targets if target.reference not in failing]
    unready: list[str] = []
    if params["wait"] and not policy.dry_run:
        unready = _wait(params, cluster, waiting, results, objects, clock, progress)
    else:
        _observe(cluster, done.targets, results, objects)
    if not policy.dry_run:
        _write_statuses(cluster, done, results, objects, clock)
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
        **failure_of(done.outcomes, unready),
    }


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
) -> None:
    """Write the status of each service that this run reconciles. Raises ClusterError for the first that cannot be written."""
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
    for answer in cluster.parallel(writes):
        if isinstance(answer, Exception):
            raise answer


def _skipped(done: Reconciled) -> int:
    return sum(len(plan.unchanged) for plan in done.plans)
