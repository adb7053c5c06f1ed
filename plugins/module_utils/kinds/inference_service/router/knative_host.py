# SPDX-License-Identifier: GPL-3.0-or-later
"""Under which host name Knative serves a component: what its Service reports, else what Knative's configuration promises."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from ....kube.manifest import value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from ...kserve.host_name import local_host
from ...kserve.knative.names import KNATIVE_API, KNATIVE_NAMESPACE
from ..resolved import Resolved
from .front_component import asks_to_be_local, front_name, front_role

#: Where Knative says which domain a Service gets.
DOMAINS = Reference("v1", "ConfigMap", KNATIVE_NAMESPACE, "config-domain")
#: A key of Knative's ConfigMaps that only explains the others.
_EXAMPLE = "_example"


def knative_domains(reader: Reader) -> list[str]:
    """Return the domains that Knative gives to Services, the longest first, since a shorter one may be its end."""
    data = (reader.get(DOMAINS) or {}).get("data") or {}
    return sorted((key for key in data if key != _EXAMPLE), key=lambda key: (-len(key), key))


def knative_host(resolved: Resolved, labels: Mapping[str, str], reader: Reader) -> str:
    """Return the host name of the component that takes requests, empty where nobody can tell yet. labels: the component's.

    The controller waits for Knative to report it. Where Knative has not, it is the name that it gives by its usual template,
    so that the way to a service is there as soon as the service is.
    """
    service, name = resolved.service, front_name(resolved.service)
    live = reader.get(Reference(KNATIVE_API, "Service", service.namespace, name)) or {}
    reported = value_at(live, ("status", "url")) or value_at(
        resolved.status, ("components", front_role(service), "url")
    )
    if reported:
        return urlsplit(reported).hostname or ""
    if asks_to_be_local(labels):
        return local_host(name, service.namespace, resolved.settings.cluster_domain)
    domain = _usual_domain(reader)
    return f"{name}.{service.namespace}.{domain}" if domain else ""


def knative_service_host(resolved: Resolved, host: str) -> str:
    """Return the host name of the whole service. host: that of the component that takes requests.

    A name of old, `chat-predictor-default`, is cut alike; the controller knows it by `-default` anywhere in the host name.
    """
    part = f"-{front_role(resolved.service)}"
    return host.replace(f"{part}-default" if "-default" in host else part, "", 1)


def _usual_domain(reader: Reader) -> str:
    """Return the domain of Services that no selector of `config-domain` takes."""
    data = (reader.get(DOMAINS) or {}).get("data") or {}
    usual = [key for key, rule in data.items() if key != _EXAMPLE and not (rule or "").strip()]
    return usual[0] if usual else ""
