# SPDX-License-Identifier: GPL-3.0-or-later
"""What does a component's work, and what it may say.

Source: KServe pkg/apis/serving/v1beta1/inference_service_validation.go, pkg/controller/v1beta1/inferenceservice/components/predictor.go@v0.17.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....kube.manifest import Json
from ....kube.problem import Problem
from ....kube.schema_faults import show
from ...kserve.framework import FRAMEWORKS
from ..implementations import (
    CUSTOM,
    KSERVE_CONTAINER,
    TRANSFORMER_CONTAINER,
    implementations,
    variable,
)
from ..names import Role

#: Source: github.com/distribution/reference, regexp.go.
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_PROTOCOLS = ("v1", "v2")
_WAYS = {
    "predictor": f"model, one of {', '.join(FRAMEWORKS)}, or containers",
    "transformer": "containers",
    "explainer": "art or containers",
}


def component_problems(component: Json, role: Role) -> Iterator[Problem]:
    """Yield what is wrong with the work of a component."""
    path = f"spec.{role}"
    found = implementations(component, role)
    if len(found) != 1 and not _overwritten(found):
        given = f"{' and '.join(dict.fromkeys(found))} are given" if found else "none is given"
        rule = (
            "a container called kserve-container is one, too"
            if CUSTOM in found
            else "one is needed"
        )
        yield Problem(path, f"exactly one of {_WAYS[role]}: {given}; {rule}", rule="implementation")
    if role == "predictor":
        yield from _predictor(component, found)


def _overwritten(found: list[str]) -> bool:
    """Return whether a framework's field takes the place of `model`, which KServe does without a word."""
    return len(found) == len(("framework", "model")) and found[1] == "model"


def _predictor(predictor: Json, found: list[str]) -> Iterator[Problem]:
    for field in (*FRAMEWORKS, *(() if _overwritten(found) else ("model",))):
        server = predictor.get(field) or {}
        if server.get("name"):
            message = f"{show(server['name'])}: the container of a model server is called {KSERVE_CONTAINER}; leave name out"
            yield Problem(f"spec.predictor.{field}.name", message, rule="server-name")
        version = server.get("runtimeVersion")
        if version is not None and not _TAG.fullmatch(version):
            message = f"{show(version)} is not the tag of an image, and it becomes that of the server's: the pods would not start; write a tag such as v0.17.0"
            where = f"spec.predictor.{field}.runtimeVersion"
            yield Problem(where, message, "warning", rule="image")
    if _overwritten(found):
        message = f"{found[0]} takes its place, as KServe does it; leave one of them out"
        yield Problem("spec.predictor.model", message, "warning", rule="implementation")
    model = predictor.get("model")
    if (
        found == ["model"]
        and model is not None
        and not (model.get("modelFormat") or {}).get("name")
    ):
        message = "missing: the format by which a runtime is found, such as sklearn"
        yield Problem("spec.predictor.model.modelFormat", message, rule="missing")
    if found == [CUSTOM]:
        yield from _custom(predictor["containers"])
    for number, container in enumerate(predictor.get("containers") or ()):
        if (
            container.get("name") == TRANSFORMER_CONTAINER
            and variable(container, "STORAGE_URI") is not None
        ):
            message = f"STORAGE_URI belongs to {KSERVE_CONTAINER}: a transformer next to the predictor shares its model"
            yield Problem(f"spec.predictor.containers[{number}].env", message, rule="collocation")


def _custom(containers: list[Json]) -> Iterator[Problem]:
    path = "spec.predictor.containers"
    protocol = variable(containers[0], "PROTOCOL")
    if protocol is not None and protocol not in _PROTOCOLS:
        message = f"PROTOCOL: {show(protocol)} is not one of {', '.join(_PROTOCOLS)}"
        yield Problem(f"{path}[0].env", message, rule="protocol")
    called = [container.get("name") for container in containers]
    if len(containers) > 1 and called[0] and KSERVE_CONTAINER not in called:
        message = f"none of them is called {KSERVE_CONTAINER}, which distinguishes the model server from its helpers"
        yield Problem(path, message, rule="custom-predictor")
