# SPDX-License-Identifier: GPL-3.0-or-later
"""Connection pools with or without a proxy in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from .endpoint import Endpoint
from .errors import LoginError
from .libraries import need


def pool(endpoint: Endpoint, options: Mapping[str, Any]) -> Any:
    """Return urllib3's pool for a server. Raises LoginError for an address or a proxy that cannot be used."""
    import urllib3

    manager: Any
    scheme = urlsplit(endpoint.proxy).scheme
    host = urlsplit(endpoint.server).hostname or ""
    if not endpoint.proxy or bypassed(host, endpoint.no_proxy):
        manager = urllib3.PoolManager(num_pools=1, **options)
    elif scheme in ("http", "https"):
        manager = urllib3.ProxyManager(
            endpoint.proxy, num_pools=1, proxy_headers=_proxy_headers(endpoint), **options
        )
    elif scheme.startswith("socks"):
        need("socks", "for a SOCKS proxy")
        from urllib3.contrib.socks import SOCKSProxyManager

        manager = SOCKSProxyManager(endpoint.proxy, num_pools=1, **options)
    else:
        raise LoginError("proxy must be a URL that begins with http://, https:// or socks5://")
    try:
        return manager.connection_from_url(endpoint.server)
    except urllib3.exceptions.HTTPError as error:
        raise LoginError(f"{endpoint.server} is not the address of a server: {error}") from error


def bypassed(host: str, no_proxy: str) -> bool:
    """Return whether a host is reached directly: `*`, a name, a domain (with or without dot), an address, a CIDR."""
    for raw in no_proxy.split(","):
        entry = raw.strip().lower()
        if not entry:
            continue
        name = entry.lstrip(".")
        if entry == "*" or host.lower() == name or host.lower().endswith("." + name):
            return True
        if "/" in entry and _within(host, entry):
            return True
    return False


def _within(host: str, network: str) -> bool:
    import ipaddress

    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _proxy_headers(endpoint: Endpoint) -> dict[str, str]:
    """Return the headers for the proxy; user and password in its URL become one of them."""
    from urllib3.util import make_headers

    headers = dict(endpoint.proxy_headers)
    parts = urlsplit(endpoint.proxy)
    if parts.username and "proxy-authorization" not in headers:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers.update(make_headers(proxy_basic_auth=login))
    return headers
