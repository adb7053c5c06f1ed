# SPDX-License-Identifier: GPL-3.0-or-later
"""What `status.url` and `status.addresses` of a service are.

Source: KServe pkg/controller/v1alpha2/llmisvc/router_discovery.go@v0.17.0 to v0.19.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from ....kube.condition import GATEWAY_GROUP
from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.reference import Reference
from ....kube.release import Since
from ...kserve.releases import KServe
from .. import names
from ..artifacts.adapters import given_adapters
from ..resolved import Resolved
from .by_model import ROUTES_BY_MODEL
from .urls import DiscoveredUrl, DiscoveryError, Naming, attached_gateways, route_urls

#: RFC 1918 and RFC 4193, as Go's `IsPrivate` has them.
_PRIVATE = tuple(
    ip_network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)
#: What the name of an address ends with that is reached by naming the model in a header.
_BY_MODEL = "-model-routing"
#: Whether an address from inside becomes `status.url` where there is none from outside.
_URL_FROM_INSIDE: Since[bool] = Since({KServe.V0_17: False, KServe.V0_18: True})
#: Whether an address says through which Gateway it leads.
_TELLS_ORIGIN: Since[bool] = Since({KServe.V0_17: False, KServe.V0_19: True})
#: How the controller tells that a Gateway of a route, or its class, is not there.
_NO_GATEWAY: Since[str] = Since(
    {
        KServe.V0_17: "failed to discover URL for route {}: failed to discover gateways",
        KServe.V0_19: "failed to discover gateways for route {}",
    }
)


@dataclass(frozen=True, slots=True)
class _Facts:
    """by_port: see `Naming`. tells_models: an address says by which names of models it is called. follows_tls: a service without a
    route is called without TLS where the configuration does not ask for it.
    """

    by_port: bool
    tells_models: bool
    follows_tls: bool


_FACTS: Since[_Facts] = Since(
    {KServe.V0_17: _Facts(*[False] * 3), KServe.V0_20: _Facts(*[True] * 3)}
)
_LOCAL_SUFFIXES = (".local", ".localhost", ".internal")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a service is reached. url: from outside; empty for none. keep_url: what `status.url` holds stays."""

    url: str = ""
    addresses: tuple[Json, ...] = ()
    keep_url: bool = False


def service_addresses(resolved: Resolved, routes: Sequence[Json], reader: Reader) -> Addresses:
    """Return the addresses of a service. routes: those of the user, in their order, and then the managed one.

    Raises DiscoveryError where a route is attached to what is not there.
    """
    facts = _FACTS.at(resolved.settings.release)
    if resolved.stopped:
        return Addresses(keep_url=True)
    if resolved.at("router", "route") is None:
        return Addresses(addresses=({"url": _workload_url(resolved, facts)},), keep_url=True)
    domain = resolved.settings.cluster_domain
    ingress = resolved.config.ingress
    by_model = ROUTES_BY_MODEL.at(resolved.settings.release)
    naming = Naming(
        ingress.url_scheme,
        resolved.settings.wildcard_hostname,
        domain,
        by_model=by_model,
        model_header=ingress.model_header,
        by_port=facts.by_port,
    )
    found = [
        one for route in routes for one in _urls(route, reader, naming, resolved.settings.release)
    ]
    found.sort(key=lambda one: one.url)
    urls = [one.url for one in found]
    outside = [url for url in urls if is_external(url, domain)]
    candidates = outside or (urls if _URL_FROM_INSIDE.at(resolved.settings.release) else [])
    ending = _BY_MODEL if by_model else ""
    tells_origin = _TELLS_ORIGIN.at(resolved.settings.release)
    return Addresses(
        url=_first(
            candidates, resolved, "" if outside or not facts.by_port else ingress.url_scheme
        ),
        addresses=tuple(
            {
                "name": address_name(one.url, domain) + (ending if _is_root(one.url) else ""),
                "url": one.url,
                **(_origin(one.gateway) if tells_origin else {}),
                **({"models": _models(resolved, one.url)} if facts.tells_models else {}),
            }
            for one in found
        ),
    )


def _origin(gateway: Reference) -> Json:
    return {"origin": gateway_reference(gateway.namespace, gateway.name)}


def gateway_reference(namespace: str, name: str) -> Json:
    """Return a Gateway as statuses name it."""
    return {"group": GATEWAY_GROUP, "kind": "Gateway", "name": name, "namespace": namespace}


def _models(resolved: Resolved, url: str) -> list[Json]:
    """Return the names of models that requests to a URL may give: by the header that of all namespaces alone."""
    adapters = [each.name for each in given_adapters(resolved.spec, resolved.settings.release)]
    found: list[str] = []
    for name in (resolved.at("model", "name") or resolved.name, *adapters):
        known = [names.published(resolved.namespace, name)]
        found += known if _is_root(url) else [*known, name]
    return [{"name": name} for name in found]


def _first(urls: Sequence[str], resolved: Resolved, scheme: str) -> str:
    """Return the URL that is shown first: one that works without a header, where some do not; empty for none.

    scheme: of those, the one to be first; empty for any.
    """
    own = f"/{resolved.namespace}/{resolved.name}"
    plain = [url for url in urls if urlsplit(url).path.startswith(own)]
    if scheme:
        plain.sort(key=lambda url: urlsplit(url).scheme != scheme)
    preferred = plain if ROUTES_BY_MODEL.at(resolved.settings.release) else []
    return next(iter([*preferred, *urls]), "")


def _is_root(url: str) -> bool:
    return urlsplit(url).path in ("", "/")


def _urls(route: Json, reader: Reader, naming: Naming, release: KServe) -> list[DiscoveredUrl]:
    place = f"{route['metadata']['namespace']}/{route['metadata']['name']}"
    try:
        attached = attached_gateways(route, reader)
    except DiscoveryError as error:
        raise DiscoveryError(f"{_NO_GATEWAY.at(release).format(place)}: {error}") from error
    try:
        return route_urls(route, attached, reader, naming)
    except DiscoveryError as error:
        raise DiscoveryError(f"failed to discover URL for route {place}: {error}") from error


def _workload_url(resolved: Resolved, facts: _Facts) -> str:
    service = names.workload_service(resolved.name)
    plain = facts.follows_tls and not resolved.config.ingress.tls
    return f"{'http' if plain else 'https'}://{service}.{resolved.namespace}.svc.{resolved.settings.cluster_domain}"


def address_name(url: str, domain: str) -> str:
    """Return who reaches a URL, as `status.addresses[].name` says it. domain: that of the cluster."""
    if _host(url).endswith(domain):
        return "gateway-internal"
    return "gateway-external" if is_external(url, domain) else "internal"


def is_external(url: str, domain: str) -> bool:
    """Return whether a URL is for callers from outside: no private address and no local name."""
    host = _host(url)
    try:
        return not any(ip_address(host) in block for block in _PRIVATE)
    except ValueError:
        return host != "localhost" and not host.endswith((domain, *_LOCAL_SUFFIXES))


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""
