# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that stand in each other's way, as far as their names tell it.

Which objects they become depends on the cluster's configuration; one that two of them claim is found when they are compiled.
Source: KServe pkg/constants/constants.go, pkg/apis/serving/v1beta1/configmap.go@v0.17.0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ...kube.problem import Problem
from ..fleet_conflicts import Found, given_twice
from . import names
from .settings import Settings
from .spec import InferenceService


def conflicts(
    services: Sequence[InferenceService],
    settings: Settings,  # noqa: ARG001
) -> dict[int, list[Problem]]:
    """Return the problems of each service with the others, by position; services without one are left out."""
    result: dict[int, list[Problem]] = defaultdict(list)
    for find in (given_twice, _same_host):
        for number, problem in find(services):
            result[number].append(problem)
    return dict(result)


def _same_host(services: Sequence[InferenceService]) -> Iterator[Found]:
    """Warn of services that get one host, since the name and the namespace are joined by a `-`, as the names of components are."""
    holders: dict[str, dict[int, str]] = defaultdict(dict)
    for number, service in enumerate(services):
        called = (service.name, *(names.component(service.name, role) for role in service.roles))
        for name in called:
            holders[f"{name}-{service.namespace}"].setdefault(number, name)
    warned: set[int] = set()
    for host, group in holders.items():
        places = {f"{services[number].namespace}/{services[number].name}" for number in group}
        for number in group:
            own = f"{services[number].namespace}/{services[number].name}"
            if len(places) > 1 and number not in warned:
                warned.add(number)
                yield (
                    number,
                    Problem(
                        "metadata.name", _shared(host, places - {own}), "warning", rule="same-host"
                    ),
                )


def _shared(host: str, others: set[str]) -> str:
    return (
        f"where inferenceservice-config has no domainTemplate of its own, {' and '.join(sorted(others))} is reached as "
        f"{host} as well, and requests go to either; rename one of them"
    )
