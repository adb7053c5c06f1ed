# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTTPRoutes of a service in Standard mode: one of each component, and one of the service.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/httproute_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ....kube.condition import GATEWAY_GROUP
from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from ....kube.release import Since
from ...kserve.releases import KServe
from ..names import Role
from ..pods.component import Component, Components
from ..resolved import Resolved
from ..router.front_component import EXPLAIN_PATH, PORT, front_role, has_routes, service_headers
from ..router.hosts import additional_hosts, service_host, service_path
from .services import service_ports

ROUTE_API = f"{GATEWAY_GROUP}/v1"
#: How long a request may take, where a component does not say, in seconds.
_TIMEOUT = 60
_ALL = "^/.*$"
#: What a call by gRPC looks like, in the protocol that model servers share.
_GRPC_CALLS = r"^/inference\.GRPCInferenceService/.*$"
_GRPC_HEADER: Json = {
    "type": "RegularExpression",
    "name": "content-type",
    "value": "^application/grpc.*",
}
_H2C = "kubernetes.io/h2c"
_ALL_REQUESTS = 100


@dataclass(frozen=True, slots=True)
class _Facts:
    """tells_grpc: calls by gRPC have a rule of their own. drops_timeouts: `disableHTTPRouteTimeout` has an effect."""

    tells_grpc: bool
    drops_timeouts: bool


_FACTS: Since[_Facts] = Since(
    {KServe.V0_17: _Facts(False, False), KServe.V0_18: _Facts(True, True)}
)


def http_routes(resolved: Resolved, reader: Reader) -> tuple[Child, ...]:  # noqa: ARG001
    """Return the routes, none for a service that is not to be reached from outside. Raises HostError.

    A component that is stopped has none, and then the service as a whole has none.
    """
    components = resolved.components
    if not resolved.config.ingress.enable_gateway_api or not has_routes(resolved):
        return ()
    running = [each.role for each in components.items if not each.stopped]
    whole = () if components.some_stopped else (_service_route(components, resolved),)
    return (*(_component_route(role, components, resolved) for role in running), *whole)


def _component_route(role: Role, components: Components, resolved: Resolved) -> Child:
    name = resolved.service.route_name(role, resolved.settings.release)
    host = service_host(resolved.service, name, resolved.config.ingress)
    return _route(name, [host], _whole(role, resolved), components, resolved)


def _service_route(components: Components, resolved: Resolved) -> Child:
    service, config = resolved.service, resolved.config.ingress
    host = service_host(service, service.name, config)
    hosts = list(dict.fromkeys([host, *additional_hosts(host, [config.domain], config)]))
    if config.path_template:
        hosts.append(config.domain)
    rules = list(_service_rules(resolved))
    return _route(service.name, hosts, rules, components, resolved)


def _service_rules(resolved: Resolved) -> Iterator[Json]:
    service = resolved.service
    explains = service.component("explainer") is not None
    entry = front_role(service)
    if explains:
        yield _rule(f"^{EXPLAIN_PATH}$", "explainer", resolved)
    yield from _whole(entry, resolved)
    path = service_path(service, resolved.config.ingress)
    if path is not None:
        stem = path.removesuffix("/")
        if explains:
            yield _rule(f"{stem}({EXPLAIN_PATH})$", "explainer", resolved)
        yield _rule(f"{stem}/", entry, resolved)


def _whole(role: Role, resolved: Resolved) -> list[Json]:
    """Return the rules for all that a component answers: calls by gRPC first, where its Service has a port for them beside another."""
    rest, grpc = _ports_by_protocol(resolved.components.of(role))
    if not _FACTS.at(resolved.settings.release).tells_grpc or not rest or not grpc:
        return [_rule(_ALL, role, resolved)]
    calls = _rule(_GRPC_CALLS, role, resolved, grpc)
    match = {**calls["matches"][0], "headers": [_GRPC_HEADER]}
    return [{**calls, "matches": [match]}, _rule(_ALL, role, resolved, rest)]


def speaks_grpc(port: Json) -> bool:
    """Tell whether a port of a Service takes calls by gRPC."""
    name = str(port.get("name") or "").lower()
    return port.get("appProtocol") == _H2C or "grpc" in name or "h2c" in name


def _ports_by_protocol(component: Component) -> tuple[int, int]:
    """Return the first port of a component's Service that takes plain HTTP, and the first for gRPC; 0 where there is none."""
    rest = grpc = 0
    for port in service_ports(component):
        if speaks_grpc(port):
            grpc = grpc or port["port"]
        else:
            rest = rest or port["port"]
    return rest, grpc


def _rule(path: str, role: Role, resolved: Resolved, port: int = PORT) -> Json:
    service = resolved.service
    headers = [{"name": key, "value": value} for key, value in service_headers(service).items()]
    seconds = (service.component(role) or {}).get("timeout")
    dropped = _FACTS.at(resolved.settings.release).drops_timeouts
    limit = f"{_TIMEOUT if seconds is None else seconds}s"
    limited = not (dropped and resolved.config.ingress.disable_timeout)
    return {
        "matches": [{"path": {"type": "RegularExpression", "value": path}}],
        "filters": [{"type": "RequestHeaderModifier", "requestHeaderModifier": {"set": headers}}],
        "backendRefs": _backends(role, resolved, port),
        **({"timeouts": {"request": limit}} if limited else {}),
    }


def _backends(role: Role, resolved: Resolved, port: int) -> list[Json]:
    """Return where a rule leads: to a component, and to its canaries with their shares, as soon as they answer."""
    service = resolved.service
    backend = {
        "kind": "Service",
        "name": service.component_name(role),
        "namespace": service.namespace,
        "port": port,
    }
    beside = resolved.components.canaries if role == "predictor" else ()
    if not beside:
        return [backend]
    answering = [each.canary for each in beside if each.canary and each.available]
    rest = _ALL_REQUESTS - sum(each.share for each in answering)
    shares = ({**backend, "name": each.name, "weight": each.share} for each in answering)
    return [{**backend, "weight": rest}, *shares]


def _route(
    name: str, hosts: list[str], rules: list[Json], components: Components, resolved: Resolved
) -> Child:
    config = resolved.config
    parent = {
        "group": GATEWAY_GROUP,
        "kind": "Gateway",
        "namespace": config.ingress.kserve_gateway_namespace,
        "name": config.ingress.kserve_gateway_name,
    }
    annotations = resolved.service.annotations.items()
    return Child(
        stage=Stage.ROUTING,
        manifest=Manifest(
            api_version=ROUTE_API,
            kind="HTTPRoute",
            name=name,
            namespace=resolved.service.namespace,
            labels={
                k: v for k, v in components.labels.items() if k not in config.disallowed_labels
            },
            annotations={k: v for k, v in annotations if k not in config.disallowed_annotations},
            body={"spec": filled({"parentRefs": [parent], "hostnames": hosts, "rules": rules})},
        ),
    )
