# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands around a picker and is given as manifests: its Deployment, its pool, its model servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kube.problem import Complaint, InputError, Problem
from ..kube.schema import Anything, Integer, ListOf, Object, Text
from ..kube.schema_check import check
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


def check_surroundings(params: Mapping[str, Any]) -> None:
    """Refuse given manifests in which nothing could be found: all that is wrong with their shape. Raises InputError."""
    problems: list[Problem] = []
    if params["deployment"] is not None:
        problems += workload_problems({**params["deployment"], "kind": "Deployment"}, "deployment")
    if params["pool"] is not None:
        found = check(_POOL, params["pool"], "pool").problems
        problems += [problem for problem in found if problem.rule != "unknown-field"]
    for number, workload in enumerate(params["workloads"]):
        problems += workload_problems(workload, f"workloads[{number}]")
    if problems:
        raise InputError([Complaint(SUBJECT, tuple(problems))])
