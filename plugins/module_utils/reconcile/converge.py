# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for services after the writes; what is answered meanwhile may mean that something else is wanted, which is written at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError
from ..kube.manifest import Json
from ..kube.problem import InputError
from ..kube.reference import Reference
from ..task.result import Clock, ServiceResult
from .compiled_service import CompiledService
from .readiness_wait import ReadinessWait
from .reconciler import Reconciler
from .service_progress import ServiceProgress, reached
from .status import known_objects, lacking, observe

Progress = Callable[[str], None]
Results = dict[Reference, ServiceResult]


class Patience(NamedTuple):
    """What is waited for, for how many seconds, and the label of our objects."""

    wait_for: str
    seconds: float
    fleet: str


def wait_for(
    patience: Patience,
    cluster: Cluster,
    reconciler: Reconciler,
    targets: Sequence[CompiledService],
    results: Results,
    objects: dict[Reference, Json],
    clock: Clock,
    progress: Progress,
) -> list[str]:
    """Wait for what is not there yet, and return a text for each service that did not get there.

    objects: what is known after the writes, so that a settled service needs no watch. Both they and results get what is written meanwhile.
    """
    deadline = clock.monotonic() + patience.seconds
    ended: dict[Reference, ServiceProgress] = {}
    broken: list[str] = []
    left: Sequence[CompiledService] = targets
    while left := _unready(left, results, objects, reconciler, patience.wait_for):
        waiting = ReadinessWait(
            cluster,
            left,
            objects,
            others=reconciler.reader,
            looked_at={target.reference: _looked_at(results[target.reference]) for target in left},
            another=reconciler.another,
            wait_for=patience.wait_for,
            fleet=patience.fleet,
            clock=clock.monotonic,
            progress=progress,
        )
        try:
            waiting.run(max(deadline - clock.monotonic(), 0.0))
        except ClusterError as error:
            broken.append(f"the wait broke off: {error}")
        finally:
            for service in waiting.services:
                ended[service.target.reference] = service
                if service.observation is not None:
                    results[service.target.reference].observation = service.observation
        if broken or not waiting.turned:
            break
        broken += _go_on(reconciler, waiting.turned, results, objects)
        turned = {target.reference: target for target in waiting.turned}
        left = [
            turned.get(service.target.reference, service.target)
            for service in waiting.services
            if service.target.reference in turned or not (service.reached or service.verdict)
        ]
    return broken + [
        _shortfall(service, clock.elapsed)
        for reference, service in ended.items()
        if not reached(results[reference].observation, patience.wait_for)
    ]


def _unready(
    targets: Sequence[CompiledService],
    results: Results,
    objects: Mapping[Reference, Json],
    reconciler: Reconciler,
    wanted: str,
) -> list[CompiledService]:
    """Return the services that are not what is waited for, as far as is known without a watch."""
    for target in targets:
        results[target.reference].observation = observe(target, objects, others=reconciler.reader)
    return [
        target for target in targets if not reached(results[target.reference].observation, wanted)
    ]


def _go_on(
    reconciler: Reconciler,
    targets: Sequence[CompiledService],
    results: Results,
    objects: dict[Reference, Json],
) -> list[str]:
    """Write what services want now; return what did not come about."""
    troubles = []
    try:
        reconciler.go_on(targets)
    except (InputError, ClusterError) as error:
        troubles.append(str(error))
    finally:
        # What was written is told, also where somebody interrupts the run.
        observed = {reference: result.observation for reference, result in results.items()}
        results.update(reconciler.done.results())
        for reference, observation in observed.items():
            results[reference].observation = observation
        objects.update(known_objects({}, reconciler.done.outcomes))
    return troubles


def _looked_at(result: ServiceResult) -> Sequence[Reference]:
    """Return the objects of others that the state of a service depends on."""
    return result.observation.looked_at if result.observation else ()


def _shortfall(service: ServiceProgress, seconds: float) -> str:
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
