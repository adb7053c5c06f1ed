# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for services: until each is ready, or fails for good."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from ..engine import FLEET_LABEL
from ..engine.informer import Watched
from ..engine.watch_loop import wait
from ..fleet.cluster_reader import ClusterReader, Kind
from ..kube.labels import selector_text
from ..kube.manifest import Json
from ..kube.pod_health import workload_of
from ..kube.reference import Reference
from ..kube.text import few
from .compiled_service import CompiledService
from .controller_mode import CONTROLLER
from .fault_confirmation import FaultConfirmation
from .run import Run
from .service_progress import ServiceProgress
from .status import POD, summary

#: Where nothing happens for so many seconds, a line tells how far the wait is, and names so many services.
SILENT_S, NAMED = 60.0, 3


class ReadinessWait:
    """Follows services until each is what is waited for, or has a fault that lasts. An observer for `engine.wait`.

    known: the live objects after our writes.
    looked_at: by service the objects of others that its state depends on. others: where they are read that were not seen.
    another: compiles a service anew, once somebody has answered to an object of it; None where it wants what it wanted.
    turned: services that want something else than what was applied, which ends the wait.
    """

    def __init__(
        self,
        run: Run,
        targets: Sequence[CompiledService],
        known: Mapping[Reference, Json],
        *,
        others: ClusterReader,
        looked_at: Mapping[Reference, Sequence[Reference]],
        another: Callable[[CompiledService], CompiledService | None],
    ) -> None:
        self.services = [
            ServiceProgress(
                target, known, run.wait_for, looked_at.get(target.reference, ()), others
            )
            for target in targets
        ]
        self.turned: list[CompiledService] = []
        self._answered: dict[ServiceProgress, None] = {}
        self._versions = {reference: _version(live) for reference, live in known.items()}
        self._another = another
        self._others = others
        self._run = run
        self._clock = run.clock.monotonic
        self._second_look = FaultConfirmation(run.cluster)
        self._of: dict[Reference, list[ServiceProgress]] = {}
        for service in self.services:
            for each in (*service.references, *service.foreign):
                self._of.setdefault(each, []).append(service)
        self._changed = dict.fromkeys(self.services)
        self._started = self._spoke = self._clock()

    def run(self, timeout: float) -> None:
        """Watch for at most `timeout` seconds; `services` hold how it ended for each, also after a ClusterError."""
        wait(self._run.cluster, self._watched(), self, timeout, self._clock)

    def see(self, reference: Reference, live: Json | None) -> None:
        """Take note of an object, where it is one of the services' or one that they look at."""
        services = self._of.get(reference, [])
        if not services and live is not None and (reference.api_version, reference.kind) == POD:
            workload = workload_of(live)
            services = self._of.get(workload, []) if workload else []
            if services:
                self._of[reference] = services
        if live is None:
            self._others.forget(reference)
        for service in services:
            service.see(reference, live)
            self._changed[service] = None
            if live is not None and self._is_answer(service, reference, live):
                self._others.put(live)
                self._answered[service] = None

    def _is_answer(self, service: ServiceProgress, reference: Reference, live: Json) -> bool:
        """Tell whether an object is one that compile reads, and other than we left it."""
        target = service.target
        answered = target.service.kind.answered_kinds if target.reconciler != CONTROLLER else ()
        ours = (reference.api_version, reference.kind) in answered and reference in service.own
        return ours and _version(live) != self._versions.get(reference)

    def content(self) -> bool:
        """Look again at the services of which something changed; tell whether all have come to an end, or one wants something else."""
        now = self._clock()
        self.turned = [made for each in self._answered if (made := self._another(each.target))]
        self._answered.clear()
        for service in self._changed:
            self._tell(service, summary(service.observe(now)), now)
        self._changed.clear()
        for service in self.services:
            service.verdict = self._second_look.confirmed(service.lasting(now))
        left = [each for each in self.services if not each.reached and each.verdict is None]
        if left and now - self._spoke >= SILENT_S:
            self._tell_how_far(left, now)
        return bool(self.turned) or not left

    def _watched(self) -> list[Watched]:
        """Return what to watch: one entry per kind, whatever the number of services."""
        targets = [service.target for service in self.services]
        places = {each.reference.namespace for each in targets}
        for target in targets:
            if target.service.kind.reaches:
                places |= {child.reference.namespace for child in target.children}
        watched = partial(Watched, namespaces=tuple(sorted(places)))
        fleet = selector_text({FLEET_LABEL: self._run.policy.fleet})
        found = []
        for target in targets:
            kind = target.service.kind
            observed = () if target.reconciler == CONTROLLER else kind.observed_kinds
            found += [watched(*each, selector=fleet) for each in (kind.key, *observed)]
            # Pods only give the reasons of failures.
            pods = selector_text(kind.pod_labels)
            found.append(watched(*POD, selector=pods, optional=True))
        return list(dict.fromkeys([*found, *self._foreign()]))

    def _foreign(self) -> Iterator[Watched]:
        """Yield what to watch of others: where it may not be watched, what was read once has to do."""
        places: dict[Kind, set[str]] = {}
        for service in self.services:
            for each in service.foreign:
                places.setdefault((each.api_version, each.kind), set()).add(each.namespace)
        for kind, namespaces in places.items():
            yield Watched(*kind, namespaces=tuple(sorted(namespaces)), optional=True)

    def _tell(self, service: ServiceProgress, text: str, now: float) -> None:
        if text != service.text:
            service.text = text
            name = service.target.reference.full_name
            self._say(f"{name}: {text} ({now - self._started:.0f} s)", now)

    def _tell_how_far(self, left: Sequence[ServiceProgress], now: float) -> None:
        names = [each.target.reference.full_name for each in left]
        total = len(self.services)
        self._say(
            f"{total - len(left)} of {total} services are finished after {now - self._started:.0f} s; "
            f"waiting for {few(names, NAMED)}",
            now,
        )

    def _say(self, line: str, now: float) -> None:
        self._spoke = now
        self._run.progress(line)


def _version(live: Json) -> str:
    return str(live["metadata"].get("resourceVersion"))
