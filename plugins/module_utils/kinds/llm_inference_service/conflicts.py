# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that stand in each other's way: what they would share, found before anything is written.

Judged by what a service says itself; what presets add shows when the children are there, and the same object is claimed twice.
Source: KServe pkg/controller/v1alpha2/llmisvc/{workload,scheduler,router}.go@v0.17.0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ...kube.manifest import value_at
from ...kube.problem import Problem
from ..fleet_conflicts import Found, given_twice, same_cluster_object
from . import names
from .settings import Settings
from .spec import LlmInferenceService


def conflicts(
    services: Sequence[LlmInferenceService],
    settings: Settings,  # noqa: ARG001
) -> dict[int, list[Problem]]:
    """Return the problems of each service with the others, by position; services without one are left out."""
    result: dict[int, list[Problem]] = defaultdict(list)
    for find in (given_twice, _cluster_role_bindings, _borrowed):
        for number, problem in find(services):
            result[number].append(problem)
    return dict(result)


def _pool_ref(service: LlmInferenceService) -> str:
    return value_at(service.spec, ("router", "scheduler", "pool", "ref", "name")) or ""


def _binding(service: LlmInferenceService) -> str | None:
    """Return the name of the service's ClusterRoleBinding, None where it has no picker of its own."""
    scheduler = value_at(service.spec, ("router", "scheduler"))
    if scheduler is None or service.stopped or _pool_ref(service):
        return None
    return names.picker_cluster_role_binding(service.name, service.namespace)


def _cluster_role_bindings(services: Sequence[LlmInferenceService]) -> Iterator[Found]:
    yield from same_cluster_object(services, _binding, "ClusterRoleBinding")


def _borrowed(services: Sequence[LlmInferenceService]) -> Iterator[Found]:
    """Warn of a pool or route that another service makes, and takes along when it goes or stops."""
    pools = {(each.namespace, names.inference_pool(each.name)): each.name for each in services}
    routes = {(each.namespace, names.route(each.name)): each.name for each in services}
    for number, service in enumerate(services):
        owner = pools.get((service.namespace, _pool_ref(service)))
        if owner not in (None, service.name):
            path = "spec.router.scheduler.pool.ref.name"
            yield number, _borrowed_from(path, f"InferencePool {_pool_ref(service)}", owner)
        refs = value_at(service.spec, ("router", "route", "http", "refs")) or ()
        for position, ref in enumerate(refs):
            owner = routes.get((service.namespace, ref.get("name") or ""))
            if owner not in (None, service.name):
                path = f"spec.router.route.http.refs[{position}].name"
                yield number, _borrowed_from(path, f"HTTPRoute {ref['name']}", owner)


def _borrowed_from(path: str, what: str, owner: str | None) -> Problem:
    message = (
        f"{what} is made for service {owner}: requests go to the pods of {owner}, and it is gone when {owner} is stopped, "
        "deleted or changed; refer to one that no service makes, or leave the reference out"
    )
    return Problem(path, message, "warning", rule="borrowed")
