# SPDX-License-Identifier: GPL-3.0-or-later
"""The proxy between prefill and decode."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.problem import Problem
from ....kube.schema_faults import show
from ..children.routing_proxy import SECURE_BY_DEFAULT
from ..settings import Settings
from ..spec import ModelService

#: What the routing sidecar v0.6.0 understands; it ends at once with any other, and is started again for ever.
CONNECTORS = ("nixlv2", "shared-storage", "sglang")


def connector(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of a connector that the proxy does not know (docs/differences.md, W46)."""
    proxy = service.routing_proxy
    if proxy is not None and proxy.connector not in CONNECTORS:
        message = (
            f"{show(proxy.connector)} is not one of {', '.join(CONNECTORS)}; the proxy of llm-d 0.6 ends at once and is "
            "started again for ever"
        )
        yield Problem("spec.routingProxy.connector", message, "warning", rule="connector")


def proxy_tls(service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Warn of TLS that nobody asked for (docs/differences.md, W45), and of a certificate that nobody mounts (docs/differences.md, W47)."""
    proxy = service.routing_proxy
    if proxy is None:
        return
    if proxy.secure_proxy is None and not SECURE_BY_DEFAULT.at(settings.release):
        message = (
            "missing: the proxy then serves TLS with a certificate of its own, which gateways and metrics scraping refuse; "
            "set it to false"
        )
        yield Problem("spec.routingProxy.secureProxy", message, "warning", rule="secure-proxy")
    if proxy.cert_path:
        message = f"{show(proxy.cert_path)} is passed on, but nothing is mounted there; the image must contain the certificate"
        yield Problem("spec.routingProxy.certPath", message, "warning", rule="certificate")
