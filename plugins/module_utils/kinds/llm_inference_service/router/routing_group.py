# SPDX-License-Identifier: GPL-3.0-or-later
"""The group of services that share the requests for a model by weights: who belongs to it, and which backend each of them is.

The route of each member leads to all of them. A member takes part once its status says that it works.
Source: KServe pkg/controller/v1alpha2/llmisvc/{router_group,router_group_routing}.go@v0.20.0; docs/differences.md has what is otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....kube.manifest import Json, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from ....kube.release import Since
from ...kserve.releases import KServe
from ...kserve.service import is_stopped
from ...peers import Peers
from .. import names
from ..artifacts.adapters import given_adapters
from ..conditions.condition_types import ROUTER
from ..errors import Unbuildable
from ..labels import GROUP_LABEL
from ..resolved import Member, Resolved, RoutingGroup
from ..spec import API_VERSION, KIND, LlmInferenceService
from .kinds import OLD_POOL_GROUP, POOL_GROUP

#: The port of every backend in a group.
_PORT = 8000
_GROUP = ("router", "route", "group")
#: Whether a member that is stopped belongs to those that serve the same model, whatever adapters it has.
_STOPPED_BY_MODEL: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})
_WEIGHT = ("router", "route", "weight")


def routing_group(resolved: Resolved, peers: Peers, reader: Reader) -> RoutingGroup | None:
    """Return the group of a service; None where it has none, or no route. Raises Unbuildable."""
    name = resolved.at(*_GROUP)
    if name is None or resolved.stopped:
        return None
    if value_at(resolved.service.spec, _GROUP) != name:
        raise Unbuildable(
            f'the group "{name}" of its route comes from a preset, and members find each other by their own spec',
            path="spec.router.route.group",
            advice="write group and weight into the service",
            rule="group",
        )
    found = _Group(resolved, peers, reader)
    own = found.itself()
    others = sorted(found.others(name), key=lambda each: each.name)
    alike = [each for each in others if _is_alike(each, resolved, own)]
    return RoutingGroup(
        name,
        members=tuple(sorted([own, *alike], key=lambda each: each.name)),
        divergent=tuple(each for each in others if each not in alike),
        asked=tuple(found.asked),
    )


def _is_alike(other: Member, resolved: Resolved, own: Member) -> bool:
    """Tell whether another member serves the same models; what is stopped may be asked for the model alone."""
    if other.stopped and _STOPPED_BY_MODEL.at(resolved.settings.release):
        return resolved.at("model", "name") in other.models
    return other.models == own.models


def group_of(service: LlmInferenceService) -> tuple[str, str] | None:
    """Return namespace and name of the group of a service, None where it has none."""
    name = value_at(service.spec, _GROUP)
    return None if name is None else (service.namespace, name)


class _Group:
    """The members of a service's group, as the task gives them and as they are. asked: those whose status was looked at."""

    def __init__(self, resolved: Resolved, peers: Peers, reader: Reader) -> None:
        self.asked: list[Reference] = []
        self._resolved = resolved
        self._release: KServe = resolved.settings.release
        self._peers = peers
        self._reader = reader

    def itself(self) -> Member:
        """Return the service as a member of its own group."""
        resolved = self._resolved
        backend = _backend(resolved.name, resolved.spec, {})
        models = self._named(resolved.name, resolved.spec)
        return Member(
            resolved.name,
            value_at(resolved.service.spec, _WEIGHT) or 0,
            backend,
            models,
            tuple(sorted(models)),
        )

    def others(self, group: str) -> Iterator[Member]:
        """Yield the other members that take requests, and those that are stopped."""
        place = (self._resolved.namespace, group)
        for peer in self._peers.sharing(LlmInferenceService, group_of, place):
            if peer.name == self._resolved.name:
                continue
            self.asked.append(peer.reference)
            live = self._reader.get(peer.reference)
            unknown = live is None and self._has_no_status()
            if peer.stopped or unknown or is_routable((live or {}).get("status") or {}):
                yield self._member(peer.name, peer.spec, live or {}, stopped=peer.stopped)
        for live in self._reader.list(API_VERSION, KIND, place[0], {GROUP_LABEL: group}):
            if self._is_elsewhere(live, group):
                stopped = is_stopped(live["metadata"].get("annotations") or {})
                if stopped or is_routable(live.get("status") or {}):
                    name = live["metadata"]["name"]
                    yield self._member(name, live.get("spec") or {}, live, stopped=stopped)

    def _has_no_status(self) -> bool:
        """Tell whether nobody can say how the service of a task is that is not there."""
        return not self._reader.complete or (API_VERSION, KIND) in self._peers.unserved

    def _is_elsewhere(self, live: Json, group: str) -> bool:
        """Tell whether a live service is a member that the task does not give, and stays."""
        return (
            Reference.of(live) not in self._peers
            and live["metadata"]["name"] != self._resolved.name
            and value_at(live, ("spec", *_GROUP)) == group
            and not live["metadata"].get("deletionTimestamp")
            and not self._peers.leaves(live)
        )

    def _member(self, name: str, spec: Json, live: Json, *, stopped: bool) -> Member:
        """Return a member. spec: its own; what only its presets say, its status tells."""
        status: Json = live.get("status") or {}
        told = _told(status)
        known = frozenset(map(self._plain, told))
        models = self._named(name, spec)
        if known and spec.get("baseRefs"):
            models = known
        return Member(
            name,
            value_at(spec, _WEIGHT) or 0,
            _backend(name, spec, status),
            models,
            told if known == models else tuple(sorted(models)),
            stopped,
        )

    def _named(self, name: str, spec: Json) -> frozenset[str]:
        adapters = [each.name for each in given_adapters(spec, self._release)]
        return frozenset([value_at(spec, ("model", "name")) or name, *adapters])

    def _plain(self, model: str) -> str:
        """Return a model's name without the namespace that a status puts before it."""
        return model.removeprefix(names.published(self._resolved.namespace, ""))


def _told(status: Json) -> tuple[str, ...]:
    """Return the names of models that a status gives."""
    return tuple(
        sorted(
            {
                model["name"]
                for address in status.get("addresses") or ()
                for model in address.get("models") or ()
            }
        )
    )


def is_routable(status: Json) -> bool:
    """Tell whether the status of a service says that requests may be sent to it: its router works, and each workload has a pod."""
    conditions = status.get("conditions") or ()
    if not any(each.get("type") == ROUTER and each.get("status") == "True" for each in conditions):
        return False
    workloads = status.get("workloads") or {}
    if not workloads.get("primary"):
        return False
    parts = (workloads.get(part) for part in ("primary", "prefill", "scheduler"))
    return all(part.get("readyReplicas") for part in parts if part)


def standing(status: Json) -> object:
    """Return what the members of a group look at in the status of a service."""
    pool = value_at(status, ("router", "scheduler", "inferencePool"))
    return is_routable(status), _told(status), pool


def _backend(name: str, spec: Json, status: Json) -> Json:
    """Return where requests for a member go: a pool, or its Service where it has no picker."""
    pool = value_at(spec, ("router", "scheduler", "pool", "ref", "name"))
    if pool:
        return _pool(OLD_POOL_GROUP, pool)
    known = value_at(status, ("router", "scheduler", "inferencePool"))
    if value_at(spec, ("router", "scheduler")) is not None:
        return _pool(POOL_GROUP, names.inference_pool(name))
    if known and spec.get("baseRefs"):
        return _pool(known.get("group") or "", known["name"])
    return {"kind": "Service", "name": names.workload_service(name), "port": _PORT}


def _pool(group: str, name: str) -> Json:
    return {"group": group, "kind": "InferencePool", "name": name, "port": _PORT}


def with_group(rules: list[Json], resolved: Resolved, group: RoutingGroup) -> list[Json]:
    """Return the rules of a route of which those that lead to the service lead to its group; rules below its own path stay."""
    backends = [
        {**member.backend, "weight": member.weight}
        for member in group.members
        if not member.stopped
    ]
    return [
        {**rule, "backendRefs": backends}
        if _is_shared(rule, resolved) and not _is_own(rule, resolved)
        else rule
        for rule in rules
    ]


def _is_own(rule: Json, resolved: Resolved) -> bool:
    """Tell whether a rule takes requests that name the service in their path."""
    own = f"/{resolved.namespace}/{resolved.name}"
    paths = [value_at(match, ("path", "value")) or "" for match in rule.get("matches") or ()]
    return any(path == own or path.startswith(f"{own}/") for path in paths)


def _is_shared(rule: Json, resolved: Resolved) -> bool:
    """Tell whether a rule leads to the service itself."""
    return any(leads_to(backend, resolved) for backend in rule.get("backendRefs") or ())


def leads_to(backend: Mapping[str, object], resolved: Resolved) -> bool:
    """Tell whether a backend is what the service is reached by."""
    kind, name = backend.get("kind", "Service"), backend.get("name")
    if kind == "InferencePool":
        return name in (names.inference_pool(resolved.name), resolved.pool_name)
    return kind == "Service" and name == names.workload_service(resolved.name)
