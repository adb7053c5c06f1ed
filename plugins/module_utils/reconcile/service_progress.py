# SPDX-License-Identifier: GPL-3.0-or-later
"""One service that is waited for: what was seen of it last, and for how long something has kept it from getting there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from ..engine.lasting import LastingFaults
from ..kinds.kind import Observation
from ..kube.did_you_mean import nearest
from ..kube.fault import WorkloadFault
from ..kube.leader_worker_set import unchanged_since
from ..kube.manifest import Json
from ..kube.pod_health import is_waited_for
from ..kube.reader import Reader
from ..kube.reference import Reference
from .compiled_service import CompiledService
from .controller_mode import CONTROLLER
from .pod_rights import silent_containers, with_rights
from .status import condition, observe

#: The suspicion that what has to accept a route is not there.
NO_GATEWAY = "GatewayNotFound"


class ServiceProgress:
    """A service with its own objects and its pods.

    known: live objects after our writes. wait_for: `ready`, or the type of a condition. verdict: the fault that ends the wait for it.
    own: its own objects that tell something. foreign: those of others that its state depends on. others: where they are read that were
    not seen.
    """

    def __init__(
        self,
        target: CompiledService,
        known: Mapping[Reference, Json],
        wait_for: str,
        foreign: Sequence[Reference] = (),
        others: Reader | None = None,
    ) -> None:
        self.target = target
        self.wait_for = wait_for
        self.observation: Observation | None = None
        self.verdict: WorkloadFault | None = None
        self.text = ""
        self.foreign = foreign
        self.own = frozenset(self.references)
        self._others = others
        self._objects: dict[Reference, Json] = {}
        self._pods: dict[Reference, Json] = {}
        self._faults: LastingFaults[None] = LastingFaults()
        self._left = {
            reference: known[reference] for reference in self._ours() if reference in known
        }

    @property
    def references(self) -> Iterator[Reference]:
        """The service, and its children that tell something about it or whose pods do."""
        observed = self.target.service.kind.observed_kinds
        yield self.target.reference
        for child in self.target.children:
            reference = child.reference
            if (reference.api_version, reference.kind) in observed:
                yield reference

    @property
    def reached(self) -> bool:
        """Whether the service is what is waited for."""
        return reached(self.observation, self.wait_for)

    @property
    def unready_pods(self) -> list[Reference]:
        """Its living pods that are not ready, the newest first."""
        waiting = {each: pod for each, pod in self._pods.items() if is_waited_for(pod)}
        return sorted(waiting, key=lambda each: str(_made(waiting[each])), reverse=True)

    def see(self, reference: Reference, live: Json | None) -> None:
        """Take note of one of its objects, or that it is gone."""
        if reference.kind == "Pod":
            # What a pod is made of tells nothing, and is most of it.
            _put(self._pods, reference, live and {**live, "spec": {}})
        else:
            _put(self._objects, reference, live and self._current(reference, live))

    def observe(self, now: float) -> Observation:
        """Return the state as of what was seen. now: seconds, on the clock that `lasting` is asked with."""
        self.observation = observe(
            self.target, self._objects, list(self._pods.values()), self._others
        )
        faults = () if self.reached else self._present(self.observation)
        self._faults.see(((None, fault) for fault in faults), now)
        return self.observation

    def lasting(self, now: float) -> Iterator[WorkloadFault]:
        """Yield the faults that have lasted long enough to be believed."""
        return (fault for dummy, fault in self._faults.lasting(now))

    def _ours(self) -> Iterator[Reference]:
        """Yield the objects that this run left there: where a controller reconciles, the custom resource alone."""
        direct = self.target.reconciler != CONTROLLER
        return (each for each in self.references if direct or each == self.target.reference)

    def _current(self, reference: Reference, live: Json) -> Json:
        """Return an object, without its status where that is of a time before our write, which the status then knows nothing of."""
        left = self._left.get(reference)
        if left is None or left["metadata"].get("uid") != live["metadata"].get("uid"):
            return live
        before, now = (each["metadata"].get("generation") or 0 for each in (left, live))
        return {**live, "status": {}} if now < before else unchanged_since(left, live)

    @cached_property
    def _with_rights(self) -> list[tuple[str, Mapping[str, str]]]:
        return with_rights(child.manifest() for child in self.target.children)

    def _present(self, observation: Observation) -> Iterator[WorkloadFault]:
        # What made a container fail tells more than that it fails.
        yield from silent_containers(list(self._pods.values()), self._with_rights)
        yield from observation.faults
        for waiting, references in observation.awaited.items():
            if self.wait_for in ("ready", waiting):
                for reference in references:
                    yield WorkloadFault(NO_GATEWAY, f"{reference} does not exist", reference)
        for reference in self._left:
            live = self._objects.get(reference)
            if live is None or live["metadata"].get("deletionTimestamp"):
                state = "is gone" if live is None else "is being deleted"
                yield WorkloadFault(
                    "Deleted", f"{reference} {state}: somebody deleted it during the wait"
                )
        direct = self.target.reconciler != CONTROLLER
        if direct and self.wait_for != "ready" and not condition(observation.status, self.wait_for):
            there = [item["type"] for item in observation.status.get("conditions") or ()]
            near = nearest(self.wait_for, there)
            guess = f', did you mean "{near}"?' if near else f"; there are {', '.join(there)}"
            yield WorkloadFault("NoSuchCondition", f"it has no condition {self.wait_for}{guess}")


def reached(observation: Observation | None, wait_for: str) -> bool:
    """Tell whether a service is what is waited for: `ready`, or a condition that is true."""
    if observation is None:
        return False
    if wait_for == "ready":
        return observation.ready
    found = condition(observation.status, wait_for)
    return found is not None and found.get("status") == "True"


def _made(pod: Json) -> object:
    return pod["metadata"].get("creationTimestamp")


def _put(place: dict[Reference, Json], reference: Reference, live: Json | None) -> None:
    if live is None:
        place.pop(reference, None)
    else:
        place[reference] = live
