# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables that no container may set. Source: KServe pkg/validation/env_policy.go, pkg/apis/serving/v1beta1/inference_service_validation.go@v0.19.0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....kube.containers import containers_of
from ....kube.manifest import Json
from ....kube.problem import Problem
from ....kube.release import Since
from ...kserve.framework import model_of
from ...kserve.releases import KServe
from ..names import Role

_REFUSED: Since[frozenset[str]] = Since(
    {KServe.V0_17: frozenset(), KServe.V0_18: frozenset({"PYTHONPATH"})}
)


def environment_problems(component: Json, role: Role, release: KServe) -> Iterator[Problem]:
    """Yield variables of a component's containers that KServe's webhook refuses."""
    path = f"spec.{role}"
    field, server = model_of(component) if role == "predictor" else ("art", component.get("art"))
    servers = [(f"{path}.{field}", server)] if server is not None else []
    yield from refused_variables([*pod_containers(component, path), *servers], release)
    workers = component.get("workerSpec")
    if workers is not None:
        yield from refused_variables(pod_containers(workers, f"{path}.workerSpec"), release)


def pod_containers(pod: Json, path: str) -> list[tuple[str, Json]]:
    """Return the containers of a pod and where each is written."""
    found = containers_of(pod, ("containers", "initContainers"))
    return [(f"{path}.{place}", container) for container, place in found]


def refused_variables(containers: Iterable[tuple[str, Json]], release: KServe) -> Iterator[Problem]:
    """Yield variables of containers that a release refuses. containers: each with where it is written."""
    refused = _REFUSED.at(release)
    for path, container in containers:
        for number, one in enumerate(container.get("env") or ()):
            if one.get("name") in refused:
                message = (
                    f"{one['name']} may not be set: KServe {release} refuses it, since it decides which code a server runs; "
                    "build the image with what it needs"
                )
                yield Problem(f"{path}.env[{number}]", message, rule="refused-variable")
