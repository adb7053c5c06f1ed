# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that stand in each other's way: what they would share, found before anything is written.

Each function takes every service that is known, those of the task and those that are there, and answers by the service's
position. Source: model-operator internal/modelservice/{helpers,epp_cluster_rbac}.go@v0.9.0-alpha.2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence

from ...kube.problem import Problem
from ..fleet_conflicts import Found, becomes_one, given_twice, groups, same_cluster_object
from . import names
from .settings import Settings
from .spec import ModelService


def conflicts(services: Sequence[ModelService], settings: Settings) -> dict[int, list[Problem]]:
    """Return the problems of each service with the others, by position; services without one are left out."""
    result: dict[int, list[Problem]] = defaultdict(list)
    for number, problem in given_twice(services):
        result[number].append(problem)
    for find in (_picker_names, _cluster_roles, _routes):
        for number, problem in find(services, settings):
            result[number].append(problem)
    return dict(result)


def _picker_names(services: Sequence[ModelService], _settings: Settings) -> Iterator[Found]:
    for group in groups(services, lambda service: (service.namespace, names.picker(service.name))):
        called = sorted({services[number].name for number in group})
        if len(called) == 1:
            continue
        message = becomes_one(called, f'Service "{names.picker(called[0])}"')
        yield from (
            (number, Problem("metadata.name", message, rule="picker-collision")) for number in group
        )


def _cluster_roles(services: Sequence[ModelService], settings: Settings) -> Iterator[Found]:
    def key(service: ModelService) -> str | None:
        made = service.pool is not None and settings.metrics_endpoint_auth
        return names.picker_cluster_role(service.name, service.namespace) if made else None

    yield from same_cluster_object(services, key, "ClusterRole")


def _routes(services: Sequence[ModelService], settings: Settings) -> Iterator[Found]:
    """Warn of two routes on one gateway that take the same requests: the gateway serves the older one only."""

    def gateway(service: ModelService) -> Hashable | None:
        if service.route is not None:
            return (
                service.route.gateway_namespace or service.namespace,
                service.route.gateway,
                service.name,
            )
        return (
            (settings.gateway_namespace, settings.gateway_name, service.name)
            if settings.gateway_name
            else None
        )

    for group in groups(services, gateway):
        for number in group:
            others = [
                f"{services[other].namespace}/{services[other].name}"
                for other in group
                if services[other].namespace != services[number].namespace
                and _share_a_host(services[number], services[other])
            ]
            if others:
                yield number, _shared_route(services[number], others, settings)


def _shared_route(service: ModelService, others: list[str], settings: Settings) -> Problem:
    name = service.route.gateway if service.route else settings.gateway_name
    path = "spec.httpRoute.hostnames" if service.route else "spec.httpRoute"
    message = (
        f"the route takes the requests of {', '.join(others)} too: same gateway {name} and same header "
        f"OtterScale-Model-Name: {service.name}. Only the older route is served; give each its own hostnames or name"
    )
    return Problem(path, message, "warning", rule="route-collision")


def _share_a_host(one: ModelService, other: ModelService) -> bool:
    first = set(one.route.hostnames) if one.route else set()
    second = set(other.route.hostnames) if other.route else set()
    return not first or not second or bool(first & second)
