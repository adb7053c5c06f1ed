# SPDX-License-Identifier: GPL-3.0-or-later
"""Under which URLs a route is reached, by the Gateways that it is attached to.

Source: KServe pkg/controller/v1alpha2/llmisvc/router_discovery.go@v0.17.0, v0.19.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from ....kube.go_url import go_url
from ....kube.manifest import Json, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from .kinds import GATEWAY_API, parent_gateway, shown

_SCHEMES = {"HTTP": "http", "HTTPS": "https", "TLS": "https"}
_DEFAULT_PORTS = {"http": 80, "https": 443}
_GATEWAY_LABEL = "gateway.networking.k8s.io/gateway-name"


class DiscoveryError(Exception):
    """The URLs of a route are unknown; its text is the controller's."""


@dataclass(frozen=True, slots=True)
class Naming:
    """What shapes URLs beside the objects.

    scheme: that of URLs to be first. wildcard: stands for `*` in a host name. by_model: whether there are URLs for requests that
    name their model in a header. model_header: which. by_port: whether each listener counts whose port the Service of a Gateway has, and
    paths of models have URLs of their own.
    """

    scheme: str
    wildcard: str
    cluster_domain: str
    by_model: bool = False
    model_header: str = ""
    by_port: bool = False


class DiscoveredUrl(NamedTuple):
    """A URL, and the Gateway that it leads through."""

    url: str
    gateway: Reference


def attached_gateways(route: Json, reader: Reader) -> list[tuple[Json, Json]]:
    """Return each parentRef of a route with its Gateway. Raises DiscoveryError where a Gateway or its class is not there."""
    parents = value_at(route, ("spec", "parentRefs")) or ()
    return [(parent, _gateway(parent, route, reader)) for parent in parents]


def route_urls(
    route: Json, attached: Sequence[tuple[Json, Json]], reader: Reader, naming: Naming
) -> list[DiscoveredUrl]:
    """Return the URLs of a route in the order of its parents: from outside, then by the Service behind the Gateway.

    Raises DiscoveryError where a listener is not there. No URL at all is no error: addresses come later.
    """
    found: list[DiscoveredUrl] = []
    paths = (
        paths_of(route, naming.model_header, models_apart=naming.by_port)
        if naming.by_model
        else [path_of(route)]
    )
    for parent, gateway in attached:
        listeners = _listeners(gateway, parent.get("sectionName"), naming.scheme)
        origin = Reference.of(gateway)
        if naming.by_port:
            urls = dict.fromkeys(_every_url(gateway, listeners, route, paths, reader, naming))
            found += [DiscoveredUrl(url, origin) for url in urls]
            continue
        for path in paths:
            outside = _external(gateway, listeners, route, path, naming)
            found += [DiscoveredUrl(url, origin) for url in outside]
            known = {urlsplit(one.url).hostname for one in found} if naming.by_model else set()
            inside = _internal(gateway, listeners[0], path, reader, naming)
            found += [
                DiscoveredUrl(url, origin) for url in inside if urlsplit(url).hostname not in known
            ]
    return found


def _every_url(
    gateway: Json,
    listeners: Sequence[Json],
    route: Json,
    paths: Sequence[str],
    reader: Reader,
    naming: Naming,
) -> Iterator[str]:
    """Yield the URLs through a Gateway by each path: from outside, then by its Service on each port that both have."""
    ports = _service_ports(gateway, reader)
    for path in paths:
        yield from _external(gateway, listeners, route, path, naming)
        for listener in listeners:
            if not ports or listener.get("port") in ports:
                yield from _internal(gateway, listener, path, reader, naming)


def _gateway(parent: Json, route: Json, reader: Reader) -> Json:
    metadata = route["metadata"]
    reference = parent_gateway(parent, metadata["namespace"])
    gateway = reader.get(reference)
    if gateway is None:
        raise DiscoveryError(
            f"failed to get Gateway {shown(reference)} for route "
            f"{metadata['namespace']}/{metadata['name']}: "
            f'Gateway.gateway.networking.k8s.io "{reference.name}" not found'
        )
    gateway_class = value_at(gateway, ("spec", "gatewayClassName")) or ""
    if reader.get(Reference(GATEWAY_API, "GatewayClass", "", gateway_class)) is None:
        raise DiscoveryError(
            f'failed to get GatewayClass "{gateway_class}" for gateway {shown(reference)}: '
            f'GatewayClass.gateway.networking.k8s.io "{gateway_class}" not found'
        )
    return gateway


def _listeners(gateway: Json, section: str | None, preferred: str) -> list[Json]:
    """Return the listener that a parentRef names, else all for HTTP: those of the preferred scheme, then https, then http."""
    listeners = value_at(gateway, ("spec", "listeners")) or ()
    place = shown(Reference.of(gateway))
    failed = f"failed to select listeners for gateway {place}: "
    if section is not None:
        found = [one for one in listeners if one.get("name") == section][:1]
        if not found:
            raise DiscoveryError(f'{failed}listener "{section}" not found in gateway {place}')
        return found
    found = [one for one in listeners if one.get("protocol") in _SCHEMES]
    if not found:
        raise DiscoveryError(f"{failed}no HTTP-capable listener found in gateway {place}")

    def rank(listener: Json) -> int:
        scheme = _SCHEMES[listener["protocol"]]
        return 0 if scheme == preferred else 1 if scheme == "https" else 2

    return sorted(found, key=rank)


def _external(
    gateway: Json, listeners: Sequence[Json], route: Json, path: str, naming: Naming
) -> Iterator[str]:
    addresses = value_at(gateway, ("status", "addresses")) or ()
    if not addresses:
        return
    values = [address["value"] for address in addresses if address.get("value")]
    failed = f"failed to combine URLs for Gateway {shown(Reference.of(gateway))}"
    for listener in listeners:
        protocol = listener.get("protocol", "")
        if protocol not in _SCHEMES:
            raise DiscoveryError(
                f"failed to resolve scheme for gateway {shown(Reference.of(gateway))} listener {listener.get('name')}: "
                f'listener "{listener.get("name")}" uses unsupported protocol {protocol} for HTTP routing'
            )
        for host in sorted(_hosts(route, listener, naming) or values):
            yield _url(failed, _SCHEMES[protocol], host, listener.get("port"), path)


def _internal(
    gateway: Json, listener: Json, path: str, reader: Reader, naming: Naming
) -> Iterator[str]:
    """Yield the URL of the Service behind a Gateway."""
    service = _service(gateway, reader)
    if service is not None:
        metadata = service["metadata"]
        host = f"{metadata['name']}.{metadata['namespace']}.svc.{naming.cluster_domain}"
        scheme = _SCHEMES.get(listener.get("protocol", ""), "")
        failed = f"failed to build internal URL for Gateway {shown(Reference.of(gateway))}"
        # From here on each listener has one.
        failed += f" listener {listener.get('name')}" if naming.by_port else ""
        yield _url(failed, scheme, host, listener.get("port"), path)


def _service(gateway: Json, reader: Reader) -> Json | None:
    """Return the Service behind a Gateway: one with its label, the alphabetically first, else one of its name."""
    metadata = gateway["metadata"]
    place, name = metadata["namespace"], metadata["name"]
    labelled = reader.list("v1", "Service", place, {_GATEWAY_LABEL: name})
    if labelled:
        return min(labelled, key=lambda service: str(service["metadata"]["name"]))
    return reader.get(Reference("v1", "Service", place, name))


def _service_ports(gateway: Json, reader: Reader) -> set[int]:
    """Return the ports of the Service behind a Gateway, none where there is no Service or it names none."""
    ports = value_at(_service(gateway, reader) or {}, ("spec", "ports")) or ()
    return {port["port"] for port in ports}


def _hosts(route: Json, listener: Json, naming: Naming) -> list[str]:
    """Return the host names that a route or else its listener has; empty where the Gateway's addresses stand for them."""
    hosts = [host for host in value_at(route, ("spec", "hostnames")) or () if host not in ("", "*")]
    own = listener.get("hostname")
    if hosts or not own:
        return hosts
    return [f"{naming.wildcard}{own[1:]}" if own.startswith("*.") else own]


def path_of(route: Json) -> str:
    """Return the path by which a service is called: the shallowest of the rules with a Service, else of all others."""
    of_services: list[str] = []
    others: list[str] = []
    for rule in value_at(route, ("spec", "rules")) or ():
        backends = rule.get("backendRefs") or ()
        paths = of_services if any(_is_service(backend) for backend in backends) else others
        paths += [
            match["path"].get("value") or "/"
            for match in rule.get("matches") or ()
            if match.get("path") is not None
        ]
    return min(of_services or others or ["/"], key=_depth)


def paths_of(route: Json, header: str, *, models_apart: bool = False) -> list[str]:
    """Return the paths by which a service is called, the shallowest first: without and with the header that names a model.

    models_apart: paths that name a model are a third way.
    """
    plain = _paths(
        route, lambda match: not (match.get("headers") or (models_apart and _is_models(match)))
    )
    models = _paths(route, lambda match: not match.get("headers") and _is_models(match))
    named = _paths(route, lambda match: names_model(match, header))
    ways = (plain, models, named) if models_apart else (plain, named)
    found = {min(paths, key=_depth) for paths in ways if paths}
    return sorted(found, key=_depth) or ["/"]


def _is_models(match: Json) -> bool:
    """Tell whether a match is by a path that names a model, which KServe keeps for itself."""
    return str((match.get("path") or {}).get("value") or "").startswith("/publishers/")


def names_model(match: Json, header: str) -> bool:
    """Tell whether a match asks for the header."""
    return any(one.get("name") == header for one in match.get("headers") or ())


def _paths(route: Json, wanted: Callable[[Json], bool]) -> list[str]:
    """Return the paths of matches of a kind: those of the rules with a Service, else of all others."""
    of_services: list[str] = []
    others: list[str] = []
    for rule in value_at(route, ("spec", "rules")) or ():
        leads_to_service = any(_is_service(backend) for backend in rule.get("backendRefs") or ())
        paths = of_services if leads_to_service else others
        for match in rule.get("matches") or ():
            if wanted(match):
                paths.append((match.get("path") or {}).get("value") or "/")
    return of_services or others


def _depth(path: str) -> tuple[int, int]:
    return path.count("/"), len(path)


def _is_service(backend: Json) -> bool:
    return bool(backend.get("kind", "Service") == "Service")


def _url(failed: str, scheme: str, host: str, port: int | None, path: str) -> str:
    """Return a URL as Go writes it. failed: what is said first where it can be none."""
    shown_host = f"[{host}]" if ":" in host else host
    usual = not port or port == _DEFAULT_PORTS.get(scheme)
    url = f"{scheme}://{shown_host}{'' if usual else f':{port}'}{path}"
    try:
        return go_url(url)
    except ValueError as error:
        raise DiscoveryError(f"{failed}: failed to parse URL {url}: {error}") from None
