# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that a service asks for by annotations: a ResourceClaimTemplate is made of them, and its pods claim by it.

Source: KServe pkg/controller/v1alpha2/llmisvc/managed_dra.go, pkg/apis/serving/v1alpha2/llm_inference_service_validation.go@v0.20.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...kube.manifest import Json, value_at
from ...kube.names import check_dns_label, check_dns_subdomain
from ...kube.problem import Problem
from ...kube.release import Since
from ..kserve.releases import KServe
from . import names

_PREFIX = "serving.kserve.io/exp-dra-"
DEVICE_CLASS = f"{_PREFIX}device-class"
COUNT, SELECTORS, CONTAINER = (
    f"{_PREFIX}{name}" for name in ("device-count", "cel-selector", "container-name")
)
#: How pods and containers call the claim.
_CLAIM = "managed-device"
#: How the claim calls what it asks for.
REQUEST = "device"
#: Whether the annotations are read.
_READ: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})
_PODS = (("template",), ("worker",), ("prefill", "template"), ("prefill", "worker"))


@dataclass(frozen=True, slots=True)
class ManagedDevices:
    """What is asked for. selectors: CEL expressions. container: who gets the devices, empty for the first of a pod."""

    device_class: str
    count: int
    selectors: tuple[str, ...]
    container: str


def managed_devices(annotations: Mapping[str, str], release: KServe) -> ManagedDevices | None:
    """Return the devices that a service asks for, None where it does not. annotations: without a problem."""
    if not _READ.at(release) or DEVICE_CLASS not in annotations:
        return None
    return ManagedDevices(
        annotations[DEVICE_CLASS].strip(),
        int(annotations.get(COUNT, "").strip() or "1"),
        tuple(_expressions(annotations.get(SELECTORS, ""))),
        annotations.get(CONTAINER, "").strip(),
    )


def _expressions(text: str) -> Iterator[str]:
    return filter(None, (line.strip() for line in text.split("\n")))


def annotation_problems(annotations: Mapping[str, str], release: KServe) -> Iterator[Problem]:
    """Yield what the webhook refuses of the annotations."""
    if not _READ.at(release):
        return
    others = [key for key in (COUNT, SELECTORS, CONTAINER) if key in annotations]
    if others and DEVICE_CLASS not in annotations:
        message = (
            f"{DEVICE_CLASS} is required to enable managed DRA when {COUNT}, {SELECTORS}, or {CONTAINER} is set; "
            "name the class of the devices"
        )
        yield _problem(DEVICE_CLASS, message)
    for key, message in _faults(annotations):
        yield _problem(key, message)


def _problem(key: str, message: str) -> Problem:
    return Problem(f'metadata.annotations["{key}"]', message, rule="managed-claim")


def _faults(annotations: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key, what, fault in (
        (DEVICE_CLASS, "device class", check_dns_subdomain),
        (CONTAINER, "container name", check_dns_label),
    ):
        if key in annotations:
            name = annotations[key].strip()
            wrong = fault(name) if name else None
            if wrong or not name:
                yield key, f"{what}: {wrong}" if wrong else f"{what} must not be empty"
    if annotations.get(COUNT, "").strip():
        text = annotations[COUNT]
        digits = text.strip().removeprefix("+").removeprefix("-")
        if not (digits.isascii() and digits.isdigit()):
            yield COUNT, f'"{text}" is not a whole number'
        elif int(text.strip()) < 1:
            yield COUNT, f'"{text}": request at least 1 device'
    if SELECTORS in annotations and not list(_expressions(annotations[SELECTORS])):
        yield SELECTORS, "cel selector must contain at least one non-empty CEL expression"


def with_managed_devices(spec: Json, service: str, wanted: ManagedDevices | None) -> Json:
    """Return a merged spec whose pods claim the devices. service: its name."""
    if wanted is None:
        return spec
    for path in _PODS:
        pod = value_at(spec, path)
        if pod is not None:
            spec = _with(spec, path, _claiming(pod, service, wanted))
    return spec


def _with(spec: Json, path: tuple[str, ...], pod: Json) -> Json:
    first, *rest = path
    return {**spec, first: _with(spec[first], tuple(rest), pod) if rest else pod}


def _claiming(pod: Json, service: str, wanted: ManagedDevices) -> Json:
    claims = pod.get("resourceClaims") or []
    if not any(each.get("name") == _CLAIM for each in claims):
        template = names.managed_devices(service)
        claims = [*claims, {"name": _CLAIM, "resourceClaimTemplateName": template}]
    containers = list(pod.get("containers") or ())
    for number, container in enumerate(containers):
        if not wanted.container or container.get("name") == wanted.container:
            containers[number] = _with_claim(container)
            break
    return {**pod, "resourceClaims": claims, **({"containers": containers} if containers else {})}


def _with_claim(container: Json) -> Json:
    resources = container.get("resources") or {}
    claims = resources.get("claims") or []
    if any(each.get("name") == _CLAIM for each in claims):
        return container
    return {**container, "resources": {**resources, "claims": [*claims, {"name": _CLAIM}]}}
