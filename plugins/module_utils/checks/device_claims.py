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
from ..kube.problem import Problem
from ..kube.reader import Reader
from .names import find

REQUEST = Check(
    "claim-request",
    WARNING,
    finds="container {container} asks for request {request} of {claim}, which has {has}: it gets no device",
    fix="{way}",
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
            there = _requests(found or {})
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


def _requests(found: Json) -> list[str]:
    """Return the names of the requests of a claim or of a template of claims."""
    spec = found.get("spec") or {}
    spec = spec.get("spec") or {} if found.get("kind") == "ResourceClaimTemplate" else spec
    return [str(each.get("name")) for each in value_at(spec, ("devices", "requests")) or ()]
