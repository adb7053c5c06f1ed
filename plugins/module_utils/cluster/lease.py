# SPDX-License-Identifier: GPL-3.0-or-later
"""One writer at a time: a Lease for a fleet in a namespace, held only while something is written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from ..kube.manifest import Json
from ..kube.reference import Reference
from ..kube.sanitise import to_dns_subdomain
from .call import Call
from .connection import Cluster
from .errors import AlreadyExists, ClusterError, Conflict, LeaseBusy, LeaseLost, NotFound

API_VERSION = "coordination.k8s.io/v1"
PREFIX = "modelops-inference-"
#: Seconds.
DURATION = 15.0
#: Parts of the duration: renewed after the first, trusted without asking up to the second.
_RENEW_AFTER = 1 / 3
_TRUSTED_FOR = 2 / 3
_LONGEST_NAME = 63


def lease_name(fleet: str) -> str:
    """Return the Lease's name for a fleet. A fleet is a label value; what a name cannot hold is replaced, with a hash."""
    return to_dns_subdomain(PREFIX + fleet, _LONGEST_NAME, distinct=True)


def lease_reference(fleet: str, namespace: str) -> Reference:
    """Return the Lease of a fleet in a namespace."""
    return Reference(API_VERSION, "Lease", namespace, lease_name(fleet))


@dataclass(frozen=True, slots=True)
class _Seen:
    """A Lease of somebody else, and when it was first seen so, on our own clock."""

    version: str
    since: float


class Lease:
    """Holds the Lease of a fleet in a namespace. Use it in a `with`, or call acquire and release.

    While it is held it is renewed in the background, and each write of the cluster to `covers` (the Lease's own namespace
    unless something else is said; empty: cluster-scoped objects) is checked first. Times that others wrote are never
    compared with our clock: a Lease counts as abandoned once it did not change for its whole duration while we looked.
    holder: who we are, unique for each run; empty: the connection's own identity. Seconds: duration, timeout.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        fleet: str,
        namespace: str,
        holder: str = "",
        covers: str | None = None,
        duration: float = DURATION,
        timeout: float = 60.0,
    ) -> None:
        self.reference = lease_reference(fleet, namespace)
        self.holder = holder or cluster.identity
        self._cluster = cluster
        self._timing = cluster.requests.timing
        self._covers = namespace if covers is None else covers
        self._duration = duration
        self._timeout = timeout
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._held: Json | None = None
        self._renewed = 0.0
        self._exists = False
        self._lost: LeaseLost | None = None

    def __enter__(self) -> Lease:
        self.acquire()
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def acquire(self) -> None:
        """Get the Lease, waiting for another holder at most `timeout` seconds. Raises LeaseBusy, ApiError."""
        end = self._timing.monotonic() + self._timeout
        seen: _Seen | None = None
        while True:
            started = self._timing.monotonic()
            live = self._try_to_create(started)
            if live is None:
                break
            seen = self._look(live, seen, started)
            if seen is None and self._take(live, started):
                break
            now = self._timing.monotonic()
            if now >= end:
                raise LeaseBusy(self.reference, _holder(live) or "another run", self._timeout)
            pause = min(1.0, _duration(live) / 5) * (0.5 + self._timing.random())
            self._cluster.requests.pause(min(pause, end - now))
        self._cluster.add_fence(self._fence)
        self._stop.clear()
        self._thread = threading.Thread(target=self._keep, name="modelops-lease", daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Return where the Lease is ours. Raises LeaseLost, and what asking the server raises."""
        with self._lock:
            if self._lost is not None:
                raise self._lost
            age = self._timing.monotonic() - self._renewed
            if self._held is not None and age > self._duration * _TRUSTED_FOR:
                self._renew()

    def release(self) -> None:
        """Give the Lease back by deleting it. Failing to do so is no error: it runs out by itself."""
        self._stop.set()
        self._cluster.remove_fence(self._fence)
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        with self._lock:
            held, self._held = self._held, None
        if held is None or self._lost is not None or self._cluster.requests.stopped:
            return
        meta = held["metadata"]
        try:
            self._cluster.delete(
                self.reference, uid=meta["uid"], resource_version=meta["resourceVersion"]
            )
        except ClusterError:
            return

    def _fence(self, call: Call) -> None:
        place = call.reference.namespace if call.reference is not None else ""
        if place == self._covers:
            self.check()

    def _try_to_create(self, started: float) -> Json | None:
        """Create the Lease as ours and return None, or return it as it is."""
        while True:
            live = self._cluster.get(self.reference) if self._exists else None
            if live is not None:
                return live
            try:
                self._won(self._cluster.create(self._manifest()), started)
            except AlreadyExists:
                self._exists = True
                continue
            return None

    def _look(self, live: Json, seen: _Seen | None, now: float) -> _Seen | None:
        """Return since when the Lease is seen unchanged, or None where it may be taken."""
        if _holder(live) in ("", self.holder):
            return None
        version = live["metadata"]["resourceVersion"]
        if seen is None or seen.version != version:
            return _Seen(version, now)
        return None if now - seen.since > _duration(live) else seen

    def _take(self, live: Json, started: float) -> bool:
        """Make a Lease that is free ours, unless somebody is faster."""
        spec = live.get("spec") or {}
        body = self._manifest()["spec"] | {
            "leaseTransitions": int(spec.get("leaseTransitions") or 0) + 1
        }
        try:
            self._won(self._patch(live, body), started)
        except (Conflict, NotFound):
            return False
        return True

    def _won(self, held: Json, started: float) -> None:
        self._held, self._renewed, self._lost = held, started, None

    def _renew(self) -> None:
        """Renew; the lock is held. Raises LeaseLost where somebody else has it."""
        if self._held is None:
            return
        started = self._timing.monotonic()
        try:
            self._held = self._patch(self._held, {"renewTime": _now()})
            self._renewed = started
        except (Conflict, NotFound):
            live = self._cluster.get(self.reference)
            if live is None or _holder(live) != self.holder:
                self._lost = LeaseLost(self.reference, _holder(live) if live else "")
                raise self._lost from None
            self._held = live

    def _keep(self) -> None:
        """Renew until it is released or lost. What fails here is tried again, and found by `check`."""
        while not self._timing.pause(self._stop, self._duration * _RENEW_AFTER):
            try:
                with self._lock:
                    self._renew()
            except LeaseLost:
                return
            except ClusterError:
                continue

    def _patch(self, live: Json, spec: Json) -> Json:
        """Change the Lease, provided that it is still as we saw it."""
        version = live["metadata"]["resourceVersion"]
        body = {"metadata": {"resourceVersion": version}, "spec": spec}
        return self._cluster.patch(self.reference, body, kind="merge")

    def _manifest(self) -> Json:
        return {
            "apiVersion": API_VERSION,
            "kind": "Lease",
            "metadata": {"name": self.reference.name, "namespace": self.reference.namespace},
            "spec": {
                "holderIdentity": self.holder,
                "leaseDurationSeconds": max(1, round(self._duration)),
                "acquireTime": _now(),
                "renewTime": _now(),
            },
        }


@contextmanager
def leases(
    cluster: Cluster, fleet: str, namespaces: Sequence[str], home: str = ""
) -> Iterator[Callable[[str], None]]:
    """Hold the Leases of a fleet in these namespaces, taken in their order. Gives what checks the one of a namespace.

    home: where the Lease of services is that belong to the whole cluster, and whose namespace is empty.
    """
    with ExitStack() as stack:
        held = {
            place: stack.enter_context(Lease(cluster, fleet=fleet, namespace=place))
            for place in sorted({namespace or home for namespace in namespaces})
        }
        yield lambda namespace: held[namespace or home].check()


def _now() -> str:
    """Return the time in the API's form; only people read it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _holder(live: Json) -> str:
    return str((live.get("spec") or {}).get("holderIdentity") or "")


def _duration(live: Json) -> float:
    return float((live.get("spec") or {}).get("leaseDurationSeconds") or DURATION)
