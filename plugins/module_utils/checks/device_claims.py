# SPDX-License-Identifier: GPL-3.0-or-later
"""Claims of devices (DRA) against what containers ask of them.

Source: Kubernetes API reference, ResourceClaim v1 core (of a container) and ResourceClaim v1 resource.k8s.io.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.containers import containers_of
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json, value_at
from ..kube.named_objects import Named, named_by_claim
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.validation.device_claim import device_claim_problems, device_class_problems
from .names import find

_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")

REQUEST = Check(
    "claim-request",
    WARNING,
    finds="container {container} asks for request {request} of {claim}, which has {has}: it gets no device",
    fix="{way}",
)
FORM = Check(
    "claim-form",
    WARNING,
    finds="{claim} is of {version}, which has {field} of request {request} {home}: the API server refuses it, or forgets which devices are meant",
    fix="write {example}",
)
REFUSED = Check(
    "claim-form",
    WARNING,
    finds="the API server refuses {claim}: {field}: {fault}",
    fix="correct it there",
)
SEVERAL = Check(
    "claim-of-several",
    WARNING,
    finds="{count} pods name {claim}: they share its devices, and all run on the node that has them",
    fix="name a template (resourceClaimTemplateName), of which each pod gets a claim of its own, or run one pod",
)
#: The version in which a request has its class beside its name; in later ones the class is below `exactly` or `firstAvailable`.
_FLAT = "resource.k8s.io/v1beta1"
_CLASS = "deviceClassName"


@check(FORM, reads=("ResourceClaims", "ResourceClaimTemplates"))
def claim_form(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield requests of claims that are written as in another version of the API."""
    for named, place in view.names:
        found = find(named, reader) if named.kind in _CLAIMS else None
        for request in _requests(found or {}):
            flat = (found or {}).get("apiVersion") == _FLAT
            inner = request.get("exactly") or {}
            if flat and inner and not request.get(_CLASS):
                home, example = "beside its name", f"{_CLASS}: {inner.get(_CLASS)} without exactly"
            elif not flat and request.get(_CLASS) and not inner:
                home, example = "below exactly", f"exactly: {{{_CLASS}: {request[_CLASS]}}}"
            else:
                continue
            version = str((found or {})["apiVersion"])
            yield FORM.at(
                place,
                claim=named,
                version=version,
                field=_CLASS,
                request=request.get("name"),
                home=home,
                example=example,
            )


@check(REFUSED, reads=("ResourceClaims", "ResourceClaimTemplates", "DeviceClasses"))
def claim_refused(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield claims, and the classes that they name, that the API server would refuse, where they are given in place of a cluster."""
    told: set[tuple[str, str]] = set()
    for named, place in () if reader.complete else view.names:
        found = find(named, reader) if named.kind in _CLAIMS else None
        for claim, problem in _refused(named, found, reader) if found else ():
            if (str(claim), problem.path) not in told:
                told.add((str(claim), problem.path))
                yield REFUSED.at(place, claim=claim, field=problem.path, fault=problem.message)


def _refused(named: Named, claim: Json, reader: Reader) -> Iterator[tuple[Named, Problem]]:
    for problem in device_claim_problems(claim):
        yield named, problem
    for inner in named_by_claim(claim, named):
        found = find(inner, reader)
        for problem in device_class_problems(found) if found else ():
            yield inner, problem


@check(SEVERAL, costly=True)
def claim_of_several(view: ServiceView) -> Iterator[Problem]:
    """Yield claims that several pods of a workload name."""
    for workload in view.serving:
        pods = workload.replicas or 0
        for number, claim in enumerate(workload.pod.get("resourceClaims") or ()):
            if pods > 1 and claim.get("resourceClaimName"):
                yield SEVERAL.at(
                    workload.fields(f"resourceClaims[{number}].resourceClaimName"),
                    count=pods,
                    claim=f"ResourceClaim {claim['resourceClaimName']}",
                )


@check(REQUEST, reads=("ResourceClaims", "ResourceClaimTemplates"))
def claim_request(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield requests that a claim does not have."""
    for workload in view.workloads:
        wanted = [
            (container, f"{path}.resources.claims[{number}]", claim)
            for container, path in containers_of(workload.pod)
            for number, claim in enumerate(value_at(container, ("resources", "claims")) or ())
            if claim.get("request")
        ]
        named = {each.path: each for each, dummy in view.names_of(workload)} if wanted else {}
        pods = enumerate(workload.pod.get("resourceClaims") or ())
        claims = {each.get("name"): named.get(f"resourceClaims[{number}]") for number, each in pods}
        for container, path, claim in wanted:
            source = claims.get(claim.get("name"))
            found = find(source, reader) if source else None
            there = [str(each.get("name")) for each in _requests(found or {})]
            request = str(claim["request"])
            if found and request not in there:
                near = nearest(request, there)
                yield REQUEST.at(
                    workload.fields(f"{path}.request"),
                    container=container.get("name"),
                    request=request,
                    claim=source,
                    has=", ".join(there) or "none",
                    way=f"write {near}" if near else "name one of these, or none for all",
                )


def _requests(found: Json) -> list[Json]:
    """Return the requests of a claim or of a template of claims."""
    spec = found.get("spec") or {}
    spec = spec.get("spec") or {} if found.get("kind") == "ResourceClaimTemplate" else spec
    return list(value_at(spec, ("devices", "requests")) or ())
