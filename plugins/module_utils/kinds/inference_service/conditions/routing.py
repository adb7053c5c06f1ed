# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a service is reached, and under which names.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/, pkg/controller/v1beta1/inferenceservice/controller.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

from ....kube.manifest import Json, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from ...kserve.service_address import knative_address, standard_address
from ..children.http_routes import ROUTE_API, speaks_grpc
from ..names import Role
from ..resolved import Resolved
from ..router.front_component import front_name, front_role, has_routes
from ..router.hosts import service_host, service_path
from ..router.knative_host import knative_service_host
from .status_builder import StatusBuilder
from .types import INGRESS, STOPPED_REASON, ready


def standard_routing(draft: StatusBuilder, resolved: Resolved, reader: Reader) -> None:
    """Say of a service in Standard mode whether it is reached."""
    if has_routes(resolved):
        if resolved.config.ingress.enable_gateway_api:
            fault = _route_fault(draft, resolved, reader)
            if fault is not None:
                draft.conditions.put(INGRESS, "False", *fault)
                return
        elif (waiting := _waiting(draft, _awaited(resolved))) is not None:
            draft.conditions.put(INGRESS, "False", _not_created(waiting))
            return
    service, config = resolved.service, resolved.config.ingress
    draft.url = f"{config.url_scheme}://{service_host(service, service.name, config)}"
    draft.conditions.put(INGRESS, "True")
    front_component = resolved.components.of(front_role(service))
    if config.enable_gateway_api and front_component.stopped:
        # Its Service is gone, and the controller looks for it.
        return
    front: Json | None = reader.get(
        Reference("v1", "Service", service.namespace, front_name(service))
    )
    draft.address = standard_address(
        front_name(service),
        service.namespace,
        config,
        release=resolved.settings.release,
        cluster_domain=resolved.settings.cluster_domain,
        headless=_is_headless(front, resolved),
        target=_target(front),
    )


def knative_routing(draft: StatusBuilder, resolved: Resolved) -> None:
    """Say of a service in Knative mode whether it is reached: as soon as Knative has said where, it counts as reached."""
    waiting = _waiting(draft, resolved.service.roles)
    if waiting is not None:
        refused = draft.conditions.status(ready(waiting)) == "False"
        draft.conditions.put(INGRESS, "False" if refused else "Unknown", _not_created(waiting))
    service, config = resolved.service, resolved.config.ingress
    entry = draft.components.get(front_role(service)) or {}
    if not entry.get("url"):
        return
    parts = urlsplit(entry["url"])._replace(scheme=config.url_scheme)
    entry["url"] = urlunsplit(parts)
    if not config.disable_virtual_host:
        parts = parts._replace(netloc=knative_service_host(resolved, parts.netloc))
    path = service_path(service, config)
    draft.url = f"{config.url_scheme}://{config.domain}{path}" if path else urlunsplit(parts)
    domain = resolved.settings.cluster_domain
    draft.address = knative_address(
        service.name, front_name(service), service.namespace, config, domain
    )
    draft.conditions.put(INGRESS, "True")


def stopped_routing(draft: StatusBuilder, resolved: Resolved, *, standard: bool) -> None:
    """Say that a stopped service is not reached. Of an Ingress that was never there, the controller says nothing."""
    if draft.was_routed or not standard or resolved.config.ingress.enable_gateway_api:
        draft.conditions.put(INGRESS, "False", STOPPED_REASON)


def route_references(resolved: Resolved) -> list[tuple[str, Reference]]:
    """Return the HTTPRoutes of a service in the order in which the controller looks at them, and how messages call them."""
    service = resolved.service
    named: list[tuple[str, str]] = [
        (role.capitalize(), service.route_name(role, resolved.settings.release))
        for role in service.roles
    ]
    named.append(("InferenceService", service.name))
    return [
        (title, Reference(ROUTE_API, "HTTPRoute", service.namespace, name)) for title, name in named
    ]


def _route_fault(
    draft: StatusBuilder, resolved: Resolved, reader: Reader
) -> tuple[str, str] | None:
    """Return reason and message of the first route that does not lead to its component yet, None where all do."""
    for title, reference in route_references(resolved):
        live = reader.get(reference)
        parents = value_at(live or {}, ("status", "parents")) or ()
        if live is None or (not parents and _too_early(title, draft, resolved)):
            return f"{title} Deployment NotReady", f"{title} HTTPRoute not created"
        if not parents:
            return "ParentStatusNotAvailable", f"{title} HttpRouteNotReady"
        for said in (one for parent in parents for one in parent.get("conditions") or ()):
            if said.get("status") == "False":
                return said.get("reason") or "", f"{title} {said.get('message') or ''}"
    return None


def _too_early(title: str, draft: StatusBuilder, resolved: Resolved) -> bool:
    """Return whether the controller would not have made a route yet; we make it at once, and nobody has reported on it."""
    roles = resolved.service.roles
    needed = [role for role in roles if role.capitalize() == title] or roles
    return _waiting(draft, needed) is not None


def _awaited(resolved: Resolved) -> Sequence[Role]:
    """Return the components that the controller waits for before it makes an Ingress."""
    roles = resolved.service.roles
    return [role for role in roles if role != "explainer" or "transformer" not in roles]


def _waiting(draft: StatusBuilder, roles: Sequence[Role]) -> Role | None:
    """Return the first component that is not ready, None where all are."""
    return next((role for role in roles if draft.conditions.status(ready(role)) != "True"), None)


def _not_created(role: Role) -> str:
    return f"{role.capitalize()} ingress not created"


def _is_headless(front: Json | None, resolved: Resolved) -> bool:
    """Return whether the Service that takes requests has no address of its own. front: as it is there."""
    if front is not None:
        return bool(value_at(front, ("spec", "clusterIP")) == "None")
    return resolved.config.service_cluster_ip_none


def _target(front: Json | None) -> int | None:
    """Return the number of the first port of pods that a Service leads plain HTTP to, None where it says none."""
    for port in value_at(front or {}, ("spec", "ports")) or ():
        target = port.get("targetPort")
        if not speaks_grpc(port) and isinstance(target, int) and target > 0:
            return target
    return None
