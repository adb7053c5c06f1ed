# SPDX-License-Identifier: GPL-3.0-or-later
"""A service that swings between two specs, struck by faults on the way, beside what undisturbed swings gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from module_utils.kube.manifest import Json
from tests.lab.cluster import Cluster
from tests.lab.faults import Fault, Match, seen
from tests.lab.proxy import Hook, Proxy
from tests.lab.proxy_record import Record

from .cluster import owned
from .entries import Entries, actions
from .services import full

#: Runs until nothing is written any more: each time that the pods' state changed meanwhile, the status follows it.
_MOST_RUNS = 20
_WAIT = {"wait": True, "wait_for": "DecodeReady", "wait_timeout": 120.0}


@dataclass(frozen=True)
class Place:
    """A request of a swing that a fault can strike. skip: so many of the same come before it. options: of the task."""

    match: Match
    skip: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


def _changing(verb: str) -> Match:
    """Match a request about an object that only one of the two specs has."""
    plurals = ("httproutes", "podmonitors")
    return lambda request: request.verb == verb and request.resource.plural in plurals


def _later_page(request: Record) -> bool:
    return request.verb == "list" and "continue" in request.query


def _controllers(request: Record) -> bool:
    return request.verb == "list" and not request.resource.namespace


#: Where a swing can be struck, in the order of its requests.
PLACES: Mapping[str, Place] = {
    "first-list": Place(seen("list")),
    "later-page": Place(_later_page),
    "stranger-lookup": Place(_changing("get")),
    "controller-lookup": Place(_controllers),
    "namespace-lookup": Place(seen("get", "namespaces")),
    "lease-create": Place(seen("create", "leases")),
    "list-under-lease": Place(seen("list", "services"), skip=1),
    "first-write": Place(seen("apply", "modelservices", "")),
    "middle-write": Place(seen("apply", "deployments")),
    "last-write": Place(_changing("apply")),
    "prune-delete": Place(_changing("delete")),
    "lease-delete": Place(seen("delete", "leases")),
    "wait-list": Place(seen("list", "pods"), options=_WAIT),
    "wait-watch": Place(seen("watch", "deployments"), options=_WAIT),
    "status-write": Place(seen("apply", "modelservices", "status")),
}

#: One of each sort, for faults that cost time.
MAIN_PLACES = (
    "first-list",
    "later-page",
    "stranger-lookup",
    "lease-create",
    "first-write",
    "middle-write",
    "prune-delete",
    "status-write",
    "wait-watch",
)


class Swing:
    """One service in a fleet of its own, so that several can swing side by side in one namespace.

    Each swing updates what both specs have, creates what only the other one has, and removes what only the first one has.
    """

    def __init__(self, lab: Cluster, namespace: str, name: str) -> None:
        self._lab = lab
        self._options = {"fleet": name, "max_deletions": 50, "settings": {"gateway_name": ""}}
        self.records: Sequence[Record] = ()
        self._specs = _specs(name, namespace)
        self._side = 0
        self._undisturbed: dict[int, tuple[dict[str, str], Json]] = {}
        self._proxy = Proxy(lab)

    def __enter__(self) -> Self:
        self._proxy.__enter__()
        self._run()
        for side in (1, 0):
            self._side = side
            self._undisturbed[side] = actions(self._run()), self._objects()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._proxy.__exit__(None, None, None)

    @property
    def proxy(self) -> Proxy:
        """The way to the cluster."""
        return self._proxy

    @property
    def service(self) -> Json:
        """The service as the last swing made it."""
        return self._specs[self._side]

    def swing(self, *hooks: Hook, **options: Any) -> Json:
        """Run to the other spec, meeting these hooks, and return the result; nothing is checked."""
        self._side = 1 - self._side
        self._proxy.hooks[:] = hooks
        try:
            return self._run(**options)
        finally:
            self._proxy.hooks.clear()
            self.records = self._proxy.records

    def converges(self, place: Place, *faults: Fault, **options: Any) -> Json:
        """Swing with faults at a place. One run has to do all that an undisturbed one does, and the next one nothing.

        options: of the task, and `kubeconfig`.
        """
        result = self.swing(*faults, **{**place.options, **options})
        assert all(fault.struck for fault in faults), "nothing was struck"
        assert not result.get("failed"), result["msg"]
        wanted, objects = self._undisturbed[self._side]
        assert actions(result) == wanted
        assert result["changed"]
        assert self._objects() == objects
        self.settles()
        return result

    def refused(self, *faults: Fault, **options: Any) -> str:
        """Begin a swing that has to fail before its first write, and return its message."""
        result = self.swing(*faults, **options)
        self._side = 1 - self._side
        assert result["failed"]
        assert not result["changed"]
        self.settles()
        message: str = result["msg"]
        return message

    def recovers(self) -> None:
        """Run again after a failure in the middle of a swing: everything is as an undisturbed swing leaves it."""
        result = self._run()
        assert not result.get("failed"), result["msg"]
        assert self._objects() == self._undisturbed[self._side][1]
        self.settles()

    def settles(self) -> None:
        """Check that runs from now on change nothing and, once the status says what the pods do, write nothing."""
        for dummy in range(_MOST_RUNS):
            result = self._run()
            assert not result.get("failed"), result["msg"]
            assert not result["changed"], actions(result)
            statuses = self._proxy.count(seen("apply", "modelservices", "status"))
            assert self._proxy.writes == statuses
            if not statuses:
                return
        raise AssertionError(f"each of {_MOST_RUNS} runs wrote a status")

    def _run(self, kubeconfig: Path | None = None, **options: Any) -> Json:
        self._proxy.reset()
        entries = Entries(kubeconfig or self._proxy.kubeconfig, self._options)
        return entries.run(self.service, **options)

    def _objects(self) -> Json:
        found = owned(self._lab.client, self.service)
        return {name: _stripped(item) for name, item in found.items()}


def _specs(name: str, namespace: str) -> Sequence[Json]:
    image = "registry.example.com/serving/vllm"
    one = full(name, namespace, engine={"image": f"{image}:1"}, decode={"replicas": 1})
    other = full(name, namespace, engine={"image": f"{image}:2"}, decode={"replicas": 1})
    del one["spec"]["httpRoute"]
    for block in ("prefill", "monitoring"):
        del other["spec"][block]
    return one, other


def _stripped(item: Json) -> Json:
    """Return an object without what differs from write to write: times, versions and what controllers say."""
    meta = item["metadata"]
    fields = [
        {key: entry[key] for key in ("manager", "operation", "fieldsV1")}
        for entry in meta.get("managedFields") or []
        if not entry.get("subresource") and entry["manager"].startswith("modelops.")
    ]
    kept = {key: meta.get(key) for key in ("name", "labels", "annotations", "ownerReferences")}
    annotations = dict(kept["annotations"] or {})
    annotations.pop("deployment.kubernetes.io/revision", None)
    content = {key: value for key, value in item.items() if key not in ("metadata", "status")}
    if item["kind"] == "Service":
        content["spec"] = {k: v for k, v in content["spec"].items() if not k.startswith("cluster")}
    return {**content, "metadata": {**kept, "annotations": annotations, "fields": fields}}
