# SPDX-License-Identifier: GPL-3.0-or-later
"""What is around a picker and is given as manifests: its Deployment, its pool, its model servers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.schema import Anything, Integer, ListOf, Object, Text
from ..kube.schema_check import check
from ..kube.schema_faults import show
from ..kube.workload_schemas import workload_problems
from .input import SUBJECT

_PORT = Object(fields={"number": Integer()}, required=("number",))
_POOL = Object(
    fields={
        "spec": Object(
            fields={
                "appProtocol": Text(),
                "targetPorts": ListOf(items=_PORT),
                "selector": Anything(type="object"),
            }
        )
    },
    required=("spec",),
)


#: Fields that the first API of pools and the second one name differently.
_NEW_NAMES = {"targetPortNumber": "targetPorts", "extensionRef": "endpointPickerRef"}
_OLD_API = "inference.networking.x-k8s.io/"


def _pool_problems(pool: Json) -> Iterator[Problem]:
    """Yield what the API would refuse of a pool, or would drop."""
    kind = pool.get("kind", "InferencePool")
    if kind != "InferencePool":
        yield Problem("pool.kind", f"{show(kind)} is no InferencePool, as a pool has to be")
        return
    version, spec = str(pool.get("apiVersion", "")), pool.get("spec")
    if not version or not isinstance(spec, dict):
        return
    old = version.startswith(_OLD_API)
    for first, second in _NEW_NAMES.items():
        wrong, right = (second, first) if old else (first, second)
        if wrong in spec:
            yield Problem(f"pool.spec.{wrong}", f"is no field of {version}, which calls it {right}")
    selector = spec.get("selector")
    if isinstance(selector, dict) and selector and ("matchLabels" in selector) == old:
        told = f"{version} takes the labels in selector.matchLabels"
        yield Problem(
            "pool.spec.selector",
            f"{version} takes the labels directly in selector" if old else told,
        )
    picker = {} if old else spec.get("endpointPickerRef")
    of_service = isinstance(picker, dict) and picker.get("kind", "Service") == "Service"
    if isinstance(picker, dict) and picker and of_service and not picker.get("port"):
        text = "missing: a Service needs it; write port: {number: 9002}"
        yield Problem("pool.spec.endpointPickerRef.port", text)


def check_surroundings(params: Mapping[str, Any]) -> None:
    """Refuse given manifests in which nothing could be found: all that is wrong with their shape. Raises InputError."""
    problems: list[Problem] = []
    if params["deployment"] is not None:
        problems += workload_problems({**params["deployment"], "kind": "Deployment"}, "deployment")
    if params["pool"] is not None:
        problems += check(_POOL, params["pool"], "pool", unknown=False).problems
        problems += _pool_problems(params["pool"])
    for number, workload in enumerate(params["workloads"]):
        problems += workload_problems(workload, f"workloads[{number}]")
    if problems:
        raise InputError([Complaint(SUBJECT, tuple(problems))])
