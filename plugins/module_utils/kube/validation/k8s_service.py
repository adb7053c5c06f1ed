# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of a Service. Source: k8s.io/kubernetes v1.36.3, pkg/apis/core/validation."""

from __future__ import annotations

from collections.abc import Iterator

from ..manifest import Json
from ..names import check_dns_subdomain
from ..problem import Problem
from ..schema_faults import show
from .forms import address_fault
from .metadata import label_problems

_HEADLESS = "None"
_DAY = 86_400


def k8s_service_problems(service: Json) -> Iterator[Problem]:
    """Yield what is wrong with a Service whose fields are right by themselves."""
    spec = service["spec"]
    kind = spec.get("type") or "ClusterIP"
    yield from label_problems(spec.get("selector") or {}, "spec.selector")
    yield from _ports(spec, kind)
    yield from _addresses(spec, kind)
    if kind == "ExternalName":
        fault = check_dns_subdomain((spec.get("externalName") or "").removesuffix("."))
        if fault:
            yield Problem("spec.externalName", fault, rule="k8s-service")
    config = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
    seconds = config.get("timeoutSeconds", 1)
    # What is said of another affinity is passed over.
    if spec.get("sessionAffinity") == "ClientIP" and not 1 <= seconds <= _DAY:
        message = f"{seconds} is not from 1 to {_DAY} seconds"
        where = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
        yield Problem(where, message, rule="k8s-service")
    outside = kind in ("NodePort", "LoadBalancer") or (
        kind == "ClusterIP" and spec.get("externalIPs")
    )
    if spec.get("externalTrafficPolicy") and not outside:
        message = f"has no meaning for the type {kind}"
        yield Problem("spec.externalTrafficPolicy", message, rule="k8s-service")
    for field in ("loadBalancerSourceRanges", "allocateLoadBalancerNodePorts", "loadBalancerClass"):
        if spec.get(field) not in (None, []) and kind != "LoadBalancer":
            message = f"is for the type LoadBalancer, and this is {kind}"
            yield Problem(f"spec.{field}", message, rule="k8s-service")


def _ports(spec: Json, kind: str) -> Iterator[Problem]:
    ports = spec.get("ports") or ()
    if not ports and kind != "ExternalName" and not _is_headless(spec):
        yield Problem("spec.ports", "missing: a Service has at least one port", rule="k8s-service")
    seen: set[str] = set()
    for number, port in enumerate(ports):
        name, where = port.get("name"), f"spec.ports[{number}]"
        if not name and len(ports) > 1:
            message = f"port {port.get('port')} has no name, which each of several ports needs; name it in the container"
            yield Problem(f"{where}.name", message, rule="k8s-service")
        if name and name in seen:
            yield Problem(f"{where}.name", f"{show(name)} is listed twice", rule="k8s-service")
        seen.add(name or "")
        if port.get("nodePort") and kind == "ClusterIP":
            message = "is for the types NodePort and LoadBalancer"
            yield Problem(f"{where}.nodePort", message, rule="k8s-service")


def _is_headless(spec: Json) -> bool:
    first: str = spec.get("clusterIP") or (spec.get("clusterIPs") or [""])[0]
    return first == _HEADLESS


def _addresses(spec: Json, kind: str) -> Iterator[Problem]:
    own, several = spec.get("clusterIP"), spec.get("clusterIPs") or []
    if kind == "ExternalName":
        for field in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            if spec.get(field):
                message = "is not for the type ExternalName"
                yield Problem(f"spec.{field}", message, rule="k8s-service")
        return
    if _is_headless(spec) and kind != "ClusterIP":
        message = f"None is for the type ClusterIP, and this is {kind}"
        yield Problem("spec.clusterIP", message, rule="k8s-service")
    elif own and own != _HEADLESS and address_fault(own):
        yield Problem("spec.clusterIP", address_fault(own) or "", rule="k8s-service")
    if several and own and several[0] != own:
        message = f"the first is not clusterIP, {own}"
        yield Problem("spec.clusterIPs", message, rule="k8s-service")
    families = spec.get("ipFamilies") or ()
    if len(set(families)) < len(families):
        yield Problem("spec.ipFamilies", "one is listed twice", rule="k8s-service")
