# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting between the steps of an installation: what a step brought about has to work before the next one depends on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ...cluster.connection import Cluster
from ...cluster.errors import ClusterError, KindMissing
from ...kube.crds import definition
from ...kube.fault import WorkloadFault
from ...kube.labels import selector_text
from ...kube.manifest import Json
from ...kube.reference import Reference
from ...kube.rollout import pod_selector, read_rollout
from ...kube.text import few
from ..informer import Watched
from ..lasting import LastingFaults
from ..watch_loop import wait
from .readiness import SLICE_LABEL, SLICES, has_endpoint, lacks

#: How often it is asked whether a kind is served, in seconds.
SERVED_PAUSE_S = 0.2
#: How many objects a message names.
_NAMED = 5
_POD = ("v1", "Pod")
_WITH_PODS = ("Deployment", "StatefulSet")


class NotReady(ClusterError):
    """What was waited for did not come about."""


class _Members:
    """Follows objects until each works, or one has a fault that lasts. An observer for `engine.wait`.

    left: those that do not work yet, with the reason. faults: the lasting ones, by object.
    """

    def __init__(
        self,
        live: Mapping[Reference, Json],
        lack: Callable[[Json], str],
        clock: Callable[[], float],
    ) -> None:
        self._live: dict[Reference, Json | None] = dict(live)
        self._pods: dict[Reference, Json] = {}
        self._lack = lack
        self._clock = clock
        self._lasting: LastingFaults[Reference] = LastingFaults()
        self._unseen: set[Reference] = set()
        self.left: dict[Reference, str] = {}
        self.faults: dict[Reference, str] = {}
        self._judge()
        self._unseen.update(self.left)

    def see(self, reference: Reference, live: Json | None) -> None:
        """Take note of an object, where it is one of those or a pod of one."""
        self._unseen.discard(reference)
        if reference in self._live:
            self._live[reference] = live
        elif (reference.api_version, reference.kind) == _POD:
            self._pods.pop(reference, None)
            if live is not None:
                # What a pod is made of tells nothing, and is most of it.
                self._pods[reference] = {**live, "spec": {}}

    def content(self) -> bool:
        """Tell whether all work, or waiting for one does not help. What was not among those that were listed is gone."""
        self._live |= dict.fromkeys(self._unseen)
        self._judge()
        return not self.left or bool(self.faults)

    def watched(self, selector: str) -> Iterator[Watched]:
        """Yield what to watch for those that do not work yet. selector: on the set's label. Pods only give the reasons."""
        places: dict[tuple[str, str], set[str]] = {}
        pods: dict[str, list[str]] = {}
        for reference in self.left:
            kind = (reference.api_version, reference.kind)
            places.setdefault(kind, set()).add(reference.namespace)
            if reference.kind in _WITH_PODS and (live := self._live[reference]):
                pods.setdefault(reference.namespace, []).append(selector_text(pod_selector(live)))
        for kind, namespaces in places.items():
            yield Watched(*kind, tuple(sorted(namespaces - {""})), selector)
        for namespace, labels in pods.items():
            # Those of one workload alone, or all of a namespace: however many workloads, it is one watch.
            only = labels[0] if len(labels) == 1 else ""
            yield Watched(*_POD, (namespace,), only, optional=True)

    def _judge(self) -> None:
        found = {
            ref: self._lack(live) if live else "it is gone" for ref, live in self._live.items()
        }
        self.left = {reference: why for reference, why in found.items() if why}
        now = self._clock()
        faults = {ref: fault for ref in self.left if (fault := self._fault(ref)) is not None}
        self.left |= {reference: fault.message for reference, fault in faults.items()}
        self._lasting.see(faults.items(), now)
        self.faults = {ref: fault.message for ref, fault in self._lasting.lasting(now)}

    def _fault(self, reference: Reference) -> WorkloadFault | None:
        """Return what keeps a workload from working and will not pass by itself."""
        live = self._live[reference]
        if live is None or reference.kind not in _WITH_PODS:
            return None
        pods = [pod for ref, pod in self._pods.items() if ref.namespace == reference.namespace]
        return read_rollout(live, pods).fault


class _Endpoints:
    """Follows Services until each has a ready endpoint. left: those that have none."""

    def __init__(self, services: Iterable[Reference]) -> None:
        self._slices: dict[Reference, dict[Reference, Json]] = {each: {} for each in services}

    @property
    def left(self) -> list[Reference]:
        return [each for each, slices in self._slices.items() if not has_endpoint(slices.values())]

    def see(self, reference: Reference, live: Json | None) -> None:
        """Take note of a slice."""
        for service, slices in self._slices.items():
            slices.pop(reference, None)
            name = live and live["metadata"]["labels"].get(SLICE_LABEL)
            if live and (reference.namespace, name) == (service.namespace, service.name):
                slices[reference] = live

    def content(self) -> bool:
        """Tell whether none is left."""
        return not self.left


def wait_for_members(
    cluster: Cluster,
    known: Mapping[Reference, Json],
    selector: str,
    timeout: float,
    progress: Callable[[str], None],
    lack: Callable[[Json], str] = lacks,
) -> None:
    """Return once all of these objects work. known: as they were seen last. selector: on the set's label.
    lack: says why an object does not work.

    Raises NotReady that names each object that does not work, with the reason.
    """
    clock = cluster.requests.timing.monotonic
    members = _Members(known, lack, clock)
    if not members.left:
        return
    progress(f"waiting for {few([str(ref) for ref in members.left], _NAMED, 'objects')}")
    wait(cluster, list(members.watched(selector)), members, timeout, clock)
    if members.faults or members.left:
        how_long = "does not work" if members.faults else f"does not work after {timeout:.0f} s"
        texts = [f"{ref}: {why}" for ref, why in (members.faults or members.left).items()]
        raise NotReady(f"it {how_long}: " + "; ".join(texts))


def wait_for_endpoints(cluster: Cluster, services: Sequence[Reference], timeout: float) -> None:
    """Return once each of these Services has an endpoint that is ready: a workload may be available some seconds before.

    Raises NotReady.
    """
    endpoints = _Endpoints(services)
    watched = [
        Watched(*SLICES, (each.namespace,), selector_text({SLICE_LABEL: each.name}))
        for each in services
    ]
    if services and not wait(
        cluster, watched, endpoints, timeout, cluster.requests.timing.monotonic
    ):
        text = f"{endpoints.left[0]} has no ready endpoint after {timeout:.0f} s; do its selector and its port fit the workload?"
        raise NotReady(text)


def wait_until_served(cluster: Cluster, crds: Iterable[Json], timeout: float) -> None:
    """Return once every kind of these CRDs can be asked for: a CRD may be established before all servers serve it."""
    timing = cluster.requests.timing
    end = timing.monotonic() + timeout
    kinds = [kind for kind in map(definition, crds) if kind is not None]
    left: Sequence[tuple[str, str]] = [
        (kind.api_version(version), kind.kind.kind) for kind in kinds for version in kind.versions
    ]
    while left := cluster.unserved(left):
        if timing.monotonic() >= end:
            raise KindMissing(*left[0], held=f"not after {timeout:.0f} s")
        cluster.requests.pause(SERVED_PAUSE_S)
