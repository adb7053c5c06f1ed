# SPDX-License-Identifier: GPL-3.0-or-later
"""What a status says a service consists of: its configs, Gateways and routes, pool and workloads.

Source: KServe pkg/controller/v1alpha2/llmisvc/{workload_status,router,scheduler}.go@v0.19.0.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...kube.condition import GATEWAY_GROUP
from ...kube.fields import filled
from ...kube.manifest import Json, value_at
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.release import Since
from ..kserve.releases import KServe
from . import names
from .child_kinds import GROUP
from .children.picker_service import picker_service_name
from .conditions.condition_types import MAIN, PREFILL, PREFILL_WORKER, WORKER
from .conditions.pools import pool
from .conditions.workloads import picker_reference, workload_references
from .resolved import Resolved, RoutingGroup
from .router.addresses import gateway_reference
from .router.kinds import POOL_API, POOL_GROUP, parent_gateway, shown

#: Whether a status says it.
TELLS_PARTS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_19: True})
#: Whether it counts the pods of workloads.
_COUNTS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})


def router_part(
    resolved: Resolved, before: Json, routes: Sequence[Json], reader: Reader
) -> Json | None:
    """Return `status.router`, None for a service without a route. before: that part until now. routes: those that lead to it."""
    if resolved.stopped or resolved.at("router", "route") is None:
        return None
    if not routes:
        return before or None
    return filled(
        {
            "gateways": _gateways(routes),
            "scheduler": _scheduler(resolved, reader),
            "group": _group(resolved.group) if resolved.group else None,
        }
    )


def _group(group: RoutingGroup) -> Json:
    members = [
        filled(
            {
                "name": each.name,
                "weight": each.weight,
                "stopped": each.stopped or None,
                # The CRD writes the group of a Service.
                "backendRef": {"group": "", **each.backend},
            }
        )
        for each in group.members
    ]
    return {"name": group.name, "members": members}


def workloads_part(resolved: Resolved, reader: Reader) -> Json | None:
    """Return `status.workloads`, None for a service that is stopped."""
    if resolved.stopped:
        return None
    found = workload_references(resolved)
    counts = _COUNTS.at(resolved.settings.release)

    def told(reference: Reference | None) -> Json | None:
        return None if reference is None else _workload(reference, reader if counts else None)

    parts = {
        "primary": told(found.get(MAIN) or found.get(WORKER)),
        "prefill": told(found.get(PREFILL) or found.get(PREFILL_WORKER)),
        "service": {"kind": "Service", "name": names.workload_service(resolved.name)},
        "scheduler": told(picker_reference(resolved)),
    }
    return filled(parts)


def _workload(reference: Reference, reader: Reader | None) -> Json:
    """Return a workload as the status names it. reader: counts its pods, None for a release that does not."""
    group = reference.api_version.rpartition("/")[0]
    named = {"apiGroup": group, "kind": reference.kind, "name": reference.name}
    if reader is None:
        return named
    status = (reader.get(reference) or {}).get("status") or {}
    field = "readyReplicas" if reference.kind == GROUP.kind else "availableReplicas"
    return {**named, "readyReplicas": status.get(field) or 0}


def _scheduler(resolved: Resolved, reader: Reader) -> Json | None:
    if resolved.at("router", "scheduler") is None:
        return None
    referenced = pool(POOL_API, resolved.namespace, resolved.pool_name)
    if resolved.pool_ref and reader.get(referenced) is None:
        return None
    return {
        "inferencePool": {"group": POOL_GROUP, "kind": "InferencePool", "name": referenced.name},
        "service": {"group": "", "kind": "Service", "name": picker_service_name(resolved)},
    }


def _gateways(routes: Sequence[Json]) -> list[Json]:
    """Return the Gateways that routes name, by namespace and name, each with its listeners and routes."""
    listeners: dict[Reference, set[str]] = {}
    attached: dict[Reference, dict[str, Json]] = {}
    for route in routes:
        metadata = route["metadata"]
        for parent in value_at(route, ("spec", "parentRefs")) or ():
            gateway = parent_gateway(parent, metadata["namespace"])
            sections = listeners.setdefault(gateway, set())
            if parent.get("sectionName") is not None:
                sections.add(parent["sectionName"])
            attached.setdefault(gateway, {}).setdefault(metadata["name"], _route(metadata))
    return [
        filled(
            {
                **gateway_reference(gateway.namespace, gateway.name),
                "listeners": sorted(listeners[gateway]) or None,
                "httpRoutes": [attached[gateway][name] for name in sorted(attached[gateway])],
            }
        )
        for gateway in sorted(attached, key=shown)
    ]


def _route(metadata: Json) -> Json:
    return {
        "group": GATEWAY_GROUP,
        "kind": "HTTPRoute",
        "name": metadata["name"],
        "namespace": metadata["namespace"],
    }
