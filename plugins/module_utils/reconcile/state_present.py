# SPDX-License-Identifier: GPL-3.0-or-later
"""`present` and `overridden`: reconcile, wait, write statuses, tell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..cluster.errors import ClusterError
from ..fleet.service import Service
from ..kube.manifest import Json
from ..kube.pod_health import UNREAD
from ..kube.problem import Complaint
from ..task.result import TROUBLES, diffs, failure_of, left_out, stats, summary_of, told
from .answer_options import AnswerOptions
from .compiled_service import CompiledService
from .controller_mode import CONTROLLER
from .reconciler import Reconciler
from .run import Run
from .run_state import RunState
from .status import observe, read_pods, request_for, write_status


def make_present(
    run: Run, services: Sequence[Service], complaints: Sequence[Complaint], *, verbose: bool
) -> Json:
    """Reconcile, wait where that is wanted, write statuses, and return the result.

    complaints: about services that were left out before. verbose: whether every child is listed.
    Raises what the reconcile raises before the first write; what goes wrong after it is in the result.
    """
    reconciler = Reconciler(run)
    done = reconciler.done
    troubles: list[str] = []
    try:
        reconciler.run(services)
    except TROUBLES as error:
        if not done.outcomes:
            raise
        troubles.append(told(error))
    done.tell()
    others = reconciler.reader
    if not troubles:
        troubles = _settle(run, reconciler)
    # What leads to a settled fleet is worth no request of its own: its results tell what the run has read.
    looks = run.wait_for or run.policy.dry_run or any(plan.changes for plan in done.plans)
    seen = others if looks else others.remembered()
    for target in done.targets:
        result = done.results[target.reference]
        result.observation = result.observation or observe(target, done.objects, others=others)
        if not result.request.url:
            result.request = request_for(target, done.objects, seen, result.observation.url)
    subjects = {target.reference: target.service.subject for target in done.targets}
    summary = summary_of(list(done.results.values()), subjects, verbose=verbose)
    summary["warnings"] += [str(problem) for problem in done.warnings] + left_out(
        [*complaints, *done.left_out]
    )
    summary["warnings"] += run.cluster.warnings
    changed = any(outcome.changed for outcome in done.outcomes)
    counters = stats(run.cluster.stats, run.clock, skipped=_skipped(done), rounds=done.rounds)
    return {
        **summary,
        "changed": changed,
        "stats": counters,
        **({"diff": diffs(done.outcomes)} if run.policy.diff else {}),
        **failure_of(done.outcomes, troubles),
    }


def _settle(run: Run, reconciler: Reconciler) -> list[str]:
    """Wait or look once, and write the statuses. Return what did not come about: objects were written before, so nothing is raised."""
    done = reconciler.done
    failing = {result.reference for result in done.results.values() if result.failures}
    waiting = [target for target in done.targets if target.reference not in failing]
    troubles: list[str] = []
    try:
        if run.wait_for and not run.policy.dry_run:
            # A run that does not wait has no use for it, nor for what it loads.
            from .converge import wait_for

            troubles += wait_for(run, reconciler, waiting)
            if run.answer is not None:
                troubles += _ask(run, run.answer, reconciler, waiting)
        else:
            _observe(run, reconciler)
    except KeyboardInterrupt as interrupt:
        return [told(interrupt)]
    except ClusterError as error:
        troubles.append(str(error))
    if run.policy.dry_run:
        return troubles
    try:
        return troubles + _write_statuses(run, reconciler)
    except KeyboardInterrupt as interrupt:
        return [*troubles, told(interrupt)]


def _ask(
    run: Run, answer: AnswerOptions, reconciler: Reconciler, targets: Sequence[CompiledService]
) -> Sequence[str]:
    """Ask the services that are ready, and return a text for each that does not answer."""
    from .answer import Inquiry, ask_all, unanswered
    from .service_progress import reached

    done = reconciler.done
    asked = {}
    for target in targets:
        seen = done.results[target.reference].observation
        if seen and reached(seen, run.wait_for):
            asked[target.reference] = Inquiry.of(
                run.cluster, target, done.objects, reconciler.reader, seen.url
            )
    answers = ask_all(run.cluster, asked, answer)
    for reference, answered in answers.items():
        done.results[reference].answer = answered
        done.results[reference].request = asked[reference].request
        if not answered.fault:
            run.progress(
                f"{reference.full_name}: answered with {answered.status} after {answered.latency_ms} ms"
            )
    return unanswered(answers)


def _observe(run: Run, reconciler: Reconciler) -> None:
    """Read the state of every service once; pods are read for those that are not ready."""
    done, others = reconciler.done, reconciler.reader
    observations = {
        target.reference: observe(target, done.objects, others=others) for target in done.targets
    }
    unready = [target for target in done.targets if not observations[target.reference].ready]
    if unready:
        pods = read_pods(run.cluster, unready)
        for target in unready:
            found = pods.get(target.reference.namespace, UNREAD)
            observations[target.reference] = observe(target, done.objects, found, others)
    for reference, observation in observations.items():
        done.results[reference].observation = observation


def _write_statuses(run: Run, reconciler: Reconciler) -> list[str]:
    """Write the status of each service that this run reconciles; return why for each that cannot be written."""
    done = reconciler.done
    writes = []
    for target, plan in zip(done.targets, done.plans, strict=True):
        result = done.results[target.reference]
        parent = done.objects.get(plan.parent.reference)
        if target.reconciler == CONTROLLER or parent is None:
            continue
        if target.reference.namespace in done.lost:
            continue
        observation = result.observation or observe(target, done.objects, others=reconciler.reader)
        if result.failures:
            error = f"{result.failures[0].reference}: {result.failures[0].reason}"
            observation = target.service.kind.reconcile_error(observation, error)
        result.observation = observation
        now = run.clock.now()
        writes.append(partial(write_status, run.cluster, parent, observation, now))
    answers = run.cluster.parallel(writes, ClusterError)
    return [str(answer) for answer in answers if isinstance(answer, ClusterError)]


def _skipped(done: RunState) -> int:
    return sum(len(plan.unchanged) for plan in done.plans)
