# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for services after the writes; what is answered meanwhile may mean that something else is wanted, which is written at once."""

from __future__ import annotations

from collections.abc import Sequence

from ..cluster.errors import ClusterError
from ..kinds.registry import KINDS
from ..kube.problem import InputError
from ..kube.reference import Reference
from ..task.result import ServiceResult
from .compiled_service import CompiledService
from .pod_events import last_words
from .readiness_wait import ReadinessWait
from .reconciler import Reconciler
from .run import Run
from .service_progress import ServiceProgress, reached
from .status import lacking, observe


def wait_for(run: Run, reconciler: Reconciler, targets: Sequence[CompiledService]) -> list[str]:
    """Wait for what is not there yet, and return a text for each service that did not get there.

    What is known after the writes counts, so that a settled service needs no watch. `reconciler.done` gets what is written meanwhile.
    """
    done = reconciler.done
    wait = _Wait(run, reconciler)
    wait.until_settled(targets)
    while not wait.broken and (turned := _turned_by_peers(reconciler, targets)):
        wait.broken += _go_on(reconciler, turned)
        wait.until_settled(turned)
    return wait.broken + [
        _shortfall(service, run)
        for reference, service in wait.ended.items()
        if not reached(done.results[reference].observation, run.wait_for)
    ]


class _Wait:
    """Waits within one deadline. ended: how it ended for each service that was watched. broken: what broke it off."""

    def __init__(self, run: Run, reconciler: Reconciler) -> None:
        self.ended: dict[Reference, ServiceProgress] = {}
        self.broken: list[str] = []
        self._run = run
        self._reconciler = reconciler
        self._deadline = run.clock.monotonic() + run.wait_timeout

    def until_settled(self, targets: Sequence[CompiledService]) -> None:
        """Wait for services; what they want anew because of an answer is written, and waited for."""
        left: Sequence[CompiledService] = targets
        while left := _unready(self._run, self._reconciler, left):
            waiting = self._watch(left)
            if self.broken or not waiting.turned:
                return
            self.broken += _go_on(self._reconciler, waiting.turned)
            turned = {target.reference: target for target in waiting.turned}
            left = [
                turned.get(service.target.reference, service.target)
                for service in waiting.services
                if service.target.reference in turned or not (service.reached or service.verdict)
            ]

    def _watch(self, left: Sequence[CompiledService]) -> ReadinessWait:
        """Watch services until all have come to an end, or one wants something else."""
        done = self._reconciler.done
        waiting = ReadinessWait(
            self._run,
            left,
            done.objects,
            others=self._reconciler.reader,
            looked_at={
                target.reference: _looked_at(done.results[target.reference]) for target in left
            },
            another=self._reconciler.another,
        )
        try:
            waiting.run(max(self._deadline - self._run.clock.monotonic(), 0.0))
        except ClusterError as error:
            self.broken.append(f"the wait broke off: {error}")
        finally:
            for service in waiting.services:
                self.ended[service.target.reference] = service
                if service.observation is not None:
                    done.results[service.target.reference].observation = service.observation
        return waiting


def _turned_by_peers(
    reconciler: Reconciler, targets: Sequence[CompiledService]
) -> list[CompiledService]:
    """Return the services that want something else because others came to work, or no longer do, since they were compiled."""
    done, changed = reconciler.done, set[Reference]()
    for peer in {each for target in targets for each in target.peers} & done.results.keys():
        observation, live = done.results[peer].observation, reconciler.reader.get(peer)
        standing = KINDS[peer.api_version, peer.kind].standing
        if observation is None or live is None or standing is None:
            continue
        if standing(observation.status) != standing(live.get("status") or {}):
            reconciler.reader.put({**live, "status": observation.status})
            changed.add(peer)
    asked = [target for target in targets if changed & set(target.peers)]
    return [made for target in asked if (made := reconciler.another(target))]


def _unready(
    run: Run, reconciler: Reconciler, targets: Sequence[CompiledService]
) -> list[CompiledService]:
    """Return the services that are not what is waited for, as far as is known without a watch."""
    done = reconciler.done
    for target in targets:
        seen = observe(target, done.objects, others=reconciler.reader)
        done.results[target.reference].observation = seen
    return [
        target
        for target in targets
        if not reached(done.results[target.reference].observation, run.wait_for)
    ]


def _go_on(reconciler: Reconciler, targets: Sequence[CompiledService]) -> list[str]:
    """Write what services want now; return what did not come about."""
    troubles = []
    try:
        reconciler.go_on(targets)
    except (InputError, ClusterError) as error:
        troubles.append(str(error))
    finally:
        # What was written is reported, also where somebody interrupts the run.
        reconciler.done.tell()
    return troubles


def _looked_at(result: ServiceResult) -> Sequence[Reference]:
    """Return the objects of others that the state of a service depends on."""
    return result.observation.looked_at if result.observation else ()


def _shortfall(service: ServiceProgress, run: Run) -> str:
    """Return how far a service is from what was waited for, and why."""
    reasons = (
        lacking(service.observation) if service.observation else ["it could not be listed in time"]
    )
    verdict = service.verdict
    if verdict is None:
        how = f"is not {service.wait_for} after {run.clock.elapsed:.0f} s"
    else:
        how = "failed"
        if not any(verdict.message in reason for reason in reasons):
            reasons.insert(0, f"{verdict.reason}: {verdict.message}")
    # A container that ends again and again may have been ended by the kubelet, for a probe.
    if verdict is None or verdict.reason == "CrashLoopBackOff":
        reasons += last_words(run.cluster, service.unready_pods)
    return f"{service.target.reference} {how}: {'; '.join(reasons)}"
