# SPDX-License-Identifier: GPL-3.0-or-later
"""What the HTTPRoute would be refused for. Source: the HTTPRoute CRD of gateway-api v1.5.1."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....kube.names import SUBDOMAIN_LENGTH, check_namespace
from ....kube.problem import Problem
from ....kube.schema_faults import show
from ..settings import Settings
from ..spec import ModelService

#: How many host names a route takes.
HOSTNAMES_LIMIT = 16

_WORD = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_HOSTNAME = re.compile(rf"(\*\.)?{_WORD}(\.{_WORD})*", re.ASCII)


def hostnames(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse illegal host names, and more of them than a route takes."""
    names = service.route.hostnames if service.route else ()
    path = "spec.httpRoute.hostnames"
    if len(names) > HOSTNAMES_LIMIT:
        message = f"{len(names)} host names; a route takes at most {HOSTNAMES_LIMIT}"
        yield Problem(path, message, rule="hostnames")
    for number, name in enumerate(names):
        if not _HOSTNAME.fullmatch(name) or len(name) > SUBDOMAIN_LENGTH:
            message = (
                f'{show(name)} is not a host name: at most {SUBDOMAIN_LENGTH} lower-case letters, digits, "-" and ".", '
                '"*." only in front'
            )
            yield Problem(f"{path}[{number}]", message, rule="hostnames")


def gateway(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Refuse a gateway reference that no route takes."""
    route = service.route
    if route is None:
        return
    if len(route.gateway) > SUBDOMAIN_LENGTH:
        message = f"{show(route.gateway)} has {len(route.gateway)} characters; at most {SUBDOMAIN_LENGTH} are allowed"
        yield Problem("spec.httpRoute.gatewayRef.name", message, rule="gateway")
    fault = check_namespace(route.gateway_namespace) if route.gateway_namespace else None
    if fault and route.gateway_namespace != service.namespace:
        yield Problem("spec.httpRoute.gatewayRef.namespace", fault, rule="gateway")
