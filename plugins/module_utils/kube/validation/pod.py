# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses of a whole pod spec, whose fields are right by themselves. Source: k8s.io/kubernetes v1.36.3, pkg/apis/core/validation."""

from __future__ import annotations

from collections.abc import Iterator

from ..manifest import Json
from ..names import check_dns_subdomain
from ..problem import Problem
from ..schema_faults import show
from .containers import container_problems
from .resources import pod_resource_problems, resource_problems
from .scheduling import scheduling_problems
from .security import pod_security_problems
from .volumes import volume_problems

_LONGEST_SEARCH = 2048
_LONGEST_HOSTNAME = 64


def pod_problems(pod: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong with a pod spec. path: where it is."""
    yield from container_problems(pod, path)
    yield from volume_problems(pod.get("volumes") or (), f"{path}.volumes")
    yield from _claims(pod, f"{path}.resourceClaims")
    yield from pod_resource_problems(pod, path)
    overhead = {"limits": pod.get("overhead") or {}}
    for problem in resource_problems(overhead, path):
        where = problem.path.replace(f"{path}.limits", f"{path}.overhead", 1)
        yield Problem(where, problem.message, rule=problem.rule)
    yield from scheduling_problems(pod, path)
    yield from pod_security_problems(pod, path)
    yield from _names(pod, path)


def _claims(pod: Json, path: str) -> Iterator[Problem]:
    for number, claim in enumerate(pod.get("resourceClaims") or ()):
        if ("resourceClaimName" in claim) == ("resourceClaimTemplateName" in claim):
            message = "give exactly one of resourceClaimName, resourceClaimTemplateName"
            yield Problem(f"{path}[{number}]", message, rule="resource-claims")


def _names(pod: Json, path: str) -> Iterator[Problem]:
    """Yield what is wrong about names: of the pod, and where others are looked up."""
    config, policy = pod.get("dnsConfig") or {}, pod.get("dnsPolicy")
    if policy == "None" and not config.get("nameservers"):
        message = "missing: the policy None needs one"
        yield Problem(f"{path}.dnsConfig.nameservers", message, rule="pod")
    if len(" ".join(config.get("searches") or ())) > _LONGEST_SEARCH:
        message = f"more than {_LONGEST_SEARCH} characters together"
        yield Problem(f"{path}.dnsConfig.searches", message, rule="pod")
    # The old name of the field, which is read where the new one says nothing.
    account = "" if pod.get("serviceAccountName") else pod.get("serviceAccount")
    fault = check_dns_subdomain(account) if account else None
    if fault:
        yield Problem(f"{path}.serviceAccount", fault, rule="pod")
    override = pod.get("hostnameOverride")
    if override is None:
        return
    for field in ("setHostnameAsFQDN", "hostNetwork"):
        if pod.get(field):
            yield Problem(
                f"{path}.hostnameOverride", f"cannot be combined with {field}", rule="pod"
            )
    if len(override) > _LONGEST_HOSTNAME:
        message = f"{show(override)} has {len(override)} characters; at most {_LONGEST_HOSTNAME} are allowed"
        yield Problem(f"{path}.hostnameOverride", message, rule="pod")
