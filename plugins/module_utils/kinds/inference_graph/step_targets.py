# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of what the steps of a graph lead to: addresses and services that answer.

Source: KServe v0.17.0, cmd/router/main.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from ...kube.manifest import Json, value_at
from ...kube.problem import Problem
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.schema_faults import show
from ...kube.url_form import is_url
from ..check import WARNING, Check, check
from ..kserve.service import is_stopped
from ..view import ServiceView
from .resolved import Resolved
from .spec import Step, all_steps

URL = Check(
    "graph-url",
    WARNING,
    finds="{url} is not a URL that the router can ask",
    fix="write http:// or https://, a host and the path of the request",
)
ITSELF = Check(
    "graph-cycle",
    WARNING,
    finds="{url} is this graph itself: each request to this step begins at root again",
    fix="name a service, or another node of the graph",
)
NOBODY = Check(
    "graph-url",
    WARNING,
    finds="Service {service} does not exist, so nobody answers at {url}",
    fix="correct the host, or create the Service",
)
STOPPED = Check(
    "graph-service",
    WARNING,
    finds="InferenceService {service} {state}, so this step fails",
    fix="{way}",
)


@check(URL)
def url(view: ServiceView) -> Iterator[Problem]:
    """Yield addresses that the router cannot ask."""
    for step, address in _addresses(view):
        if not is_url(address):
            yield URL.at(f"{step.path}.serviceUrl", url=show(address))


@check(ITSELF)
def itself(view: ServiceView) -> Iterator[Problem]:
    """Yield addresses that lead back to the graph."""
    own = view.basis.graph.reference
    outside = urlsplit(view.basis.url).hostname
    for step, address in _addresses(view):
        host = _host(address)
        # Within a namespace its name is enough, and within the cluster the two of them.
        short = host in (own.name, f"{own.name}.{own.namespace}")
        service = _service_behind(address, view.basis.settings.cluster_domain)
        inside = service is not None and (service.namespace, service.name) == (
            own.namespace,
            own.name,
        )
        if short or inside or (host and host == outside):
            yield ITSELF.at(f"{step.path}.serviceUrl", url=address)


@check(NOBODY, reads=("Services",))
def nobody(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield in-cluster addresses without a Service."""
    if not reader.complete:
        return
    for step, address in _addresses(view):
        service = _service_behind(address, view.basis.settings.cluster_domain)
        if service is None or service in view.run or service in map(Reference.of, view.made):
            continue
        if reader.get(service) is None:
            yield NOBODY.at(f"{step.path}.serviceUrl", service=service.full_name, url=address)


@check(STOPPED, reads=("InferenceServices",))
def stopped(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield steps to services that are not ready."""
    resolved: Resolved = view.basis
    for step in all_steps(resolved.graph.spec):
        name = step.value.get("serviceName")
        service = resolved.services.get(name or "")
        if service is None:
            continue
        where = f"{step.path}.serviceName"
        said = value_at(service, ("status", "conditions")) or ()
        ready: Json = next((each for each in said if each.get("type") == "Ready"), {})
        if is_stopped(service["metadata"].get("annotations") or {}):
            state, way = "is stopped by its annotation", "start it, or take the step out"
        elif reader.complete and ready.get("status") == "False":
            state, way = "is not ready", f"look why: kubectl describe inferenceservice {name}"
        else:
            continue
        yield STOPPED.at(where, service=name, state=state, way=way)


def _addresses(view: ServiceView) -> Iterator[tuple[Step, str]]:
    """Yield the addresses that the author wrote, each with its step."""
    for step in all_steps(view.basis.graph.spec):
        if step.value.get("serviceUrl"):
            yield step, step.value["serviceUrl"]


def _service_behind(address: str, cluster_domain: str) -> Reference | None:
    """Return the Service of the cluster that an address names, None for one outside."""
    name, dummy, rest = _host(address).partition(".")
    namespace, dummy, ending = rest.partition(".")
    if name and namespace and ending in ("svc", f"svc.{cluster_domain}"):
        return Reference("v1", "Service", namespace, name)
    return None


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
