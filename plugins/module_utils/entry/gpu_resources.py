# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices for model servers: what to ask for, setting it on a workload, and whether it fits the cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..accelerators.build import Accelerator, Placement, place, read_accelerator
from ..accelerators.capacity import asked_for, capacity
from ..accelerators.devices import Parallelism, Shape, read_parallelism
from ..accelerators.explain import report
from ..accelerators.fit import Verdict
from ..accelerators.memory import UTILIZATION, check_model, read_model, size
from ..cluster.errors import Forbidden
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from . import arguments
from .fitting import CHECKS, GivenManifests, Judged, LiveObjects, Source, judge
from .given_workloads import given_workloads
from .result import Clock, stats, warnings
from .sources import cluster_objects, given, read
from .workload import Workload, reference_of

Params = Mapping[str, Any]

STATES = ("present", "absent", "rendered", "gathered")
#: Every key of the result, with what it is where there is nothing to say.
EMPTY: Mapping[str, Any] = {
    "changed": False,
    "resources": {},
    "node_selector": {},
    "tolerations": [],
    "env": [],
    "resource_claims": [],
    "claim_templates": [],
    "devices": {},
    "memory": [],
    "fit": {},
    "capacity": [],
    "waiting": [],
    "stats": {},
}

ARGUMENT_SPEC: arguments.Spec = {
    "state": {"type": "str", "choices": list(STATES), "default": "present"},
    "accelerator": {
        "type": "dict",
        "options": {
            "type": {"type": "str", "required": True},
            "profile": {"type": "str"},
            "shared": {"type": "bool", "default": False},
            "device_class": {"type": "str"},
            "product": {"type": "str"},
            "memory": {"type": "float"},
            "devices_per_node": {"type": "int"},
            "ranks_per_device": {"type": "int"},
        },
    },
    "parallelism": {
        "type": "dict",
        "default": {},
        "options": {
            "tensor": {"type": "int"},
            "pipeline": {"type": "int"},
            "data": {"type": "int"},
            "data_local": {"type": "int"},
            "expert": {"type": "bool", "default": False},
        },
    },
    "devices": {"type": "int"},
    "model": {
        "type": "dict",
        "options": {
            "parameters": {"type": "str", "required": True},
            "precision": {"type": "str"},
            "kv_precision": {"type": "str"},
            "layers": {"type": "int"},
            "attention_heads": {"type": "int"},
            "kv_heads": {"type": "int"},
            "head_dim": {"type": "int"},
            "hidden_size": {"type": "int"},
            "kv_lora_rank": {"type": "int"},
            "rope_head_dim": {"type": "int"},
            "context": {"type": "int"},
        },
    },
    "utilization": {"type": "float", "default": UTILIZATION},
    "workload": {
        "type": "dict",
        "options": {
            "api_version": {"type": "str"},
            "kind": {"type": "str", "required": True},
            "name": {"type": "str", "required": True},
            "namespace": {"type": "str"},
            "container": {"type": "str", "default": ""},
        },
    },
    "force_conflicts": {"type": "bool", "default": False},
    "services": {"type": "list", "elements": "dict", "default": []},
    "src": {"type": "list", "elements": "path", "default": []},
    "namespace": {"type": "str"},
    "checks": {
        "type": "list",
        "elements": "str",
        "choices": list(CHECKS),
        "default": list(CHECKS),
    },
    "cluster_objects": {"type": "list", "elements": "raw", "default": []},
    **arguments.AUTH,
    **arguments.REQUESTS,
}


def run(
    params: Params,
    *,
    check_mode: bool,
    diff: bool,
    environment: Mapping[str, str],
    progress: Callable[[str], None],  # noqa: ARG001  # nothing takes long
) -> Json:
    """Do what the task says and return its result.

    Raises InputError for everything that is found before a write, ClusterError where the cluster cannot be used.
    """
    clock = Clock()
    state = params["state"]
    if state == "gathered":
        return _gathered(params, environment, clock)
    if state == "rendered":
        return {**EMPTY, **_rendered(params), "stats": stats(None, clock)}
    if not params["workload"]:
        raise InputError.single("workload", "", f"state {state} needs a workload")
    reference = reference_of(params["workload"], params["namespace"])
    asked = _rendered(params) if state == "present" else {}
    if asked.get("claim_templates"):
        raise InputError.single(
            "accelerator",
            "device_class",
            "claims are for state rendered alone; apply what it returns",
        )
    with arguments.connection(params, environment) as cluster:
        workload = Workload(
            cluster,
            reference,
            params["workload"]["container"],
            force=params["force_conflicts"],
        )
        if state == "present":
            fields = ("resources", "node_selector", "tolerations", "env")
            placement = Placement(**{name: asked[name] for name in fields})
            written = workload.put(placement, dry_run=check_mode)
        else:
            written = workload.clear(dry_run=check_mode)
        shown = _diff(str(reference), written.before, written.after)
        return {
            **EMPTY,
            **asked,
            "changed": written.changed,
            "stats": stats(cluster.stats, clock),
            **({"diff": [shown]} if diff and written.changed else {}),
        }


def _diff(subject: str, before: Json, after: Json) -> Json:
    import yaml

    texts = [yaml.safe_dump(each, sort_keys=True) if each else "" for each in (before, after)]
    return {
        "before_header": subject,
        "after_header": subject,
        "before": texts[0],
        "after": texts[1],
    }


def _rendered(params: Params) -> Json:
    """Return what a container asks for, and what the model takes. Raises InputError with every problem."""
    if not params["accelerator"]:
        raise InputError.single("accelerator", "", f"state {params['state']} needs an accelerator")
    accelerator, problems = read_accelerator(params["accelerator"], "accelerator")
    parallelism, found = read_parallelism(params["parallelism"], "parallelism")
    problems += found
    placement, replica = Placement(), Shape(0, 0, "")
    if not any(problem.severity == "error" for problem in problems):
        placement, replica, found = place(accelerator, parallelism, params["devices"])
        problems += found
    memory, found = _memory(params, accelerator, parallelism)
    problems += found
    if any(problem.severity == "error" for problem in problems):
        errors = tuple(problem for problem in problems if problem.severity == "error")
        raise InputError([Complaint("gpu_resources", errors)])
    return {
        **asdict(placement),
        "devices": {"resource": accelerator.resource, **asdict(replica)},
        "memory": memory,
        "warnings": warnings(("gpu_resources", problem) for problem in problems),
    }


def _memory(
    params: Params, accelerator: Accelerator, parallelism: Parallelism
) -> tuple[list[Json], list[Problem]]:
    if not params["model"]:
        return [], []
    problems = []
    device = params["accelerator"]["memory"] or 0
    if device < 0:
        problems.append(Problem("accelerator.memory", f"{device} is negative", rule="memory"))
    if not 0 < params["utilization"] <= 1:
        text = f"{params['utilization']} is not above 0 and at most 1"
        problems.append(Problem("utilization", text, rule="memory"))
    model, found = read_model(params["model"], "model")
    problems += found
    if model is None or problems:
        return [], problems
    ranks = accelerator.ranks_per_device
    # A rank has its part of a device that runs several.
    figures = size(model, parallelism, device / ranks, params["utilization"])
    problems += check_model(model, parallelism, figures, "parallelism")
    return [asdict(figure) for figure in figures], problems


def _gathered(params: Params, environment: Mapping[str, str], clock: Clock) -> Json:
    documents = [*given("services", params["services"]), *read(params["src"])]
    workloads = given_workloads(documents, params["namespace"])
    if params["cluster_objects"]:
        source = GivenManifests(cluster_objects(params["cluster_objects"]))
        return {**_judged(params, workloads, source), "stats": stats(None, clock)}
    with arguments.connection(params, environment) as cluster:
        try:
            found = _judged(params, workloads, LiveObjects(cluster))
        except Forbidden as error:
            raise InputError.single(
                "nodes", "", f"have to be listed to see what they have: {error}"
            ) from error
        return {**found, "stats": stats(cluster.stats, clock)}


def _judged(params: Params, workloads: Sequence[tuple[str, Json]], source: Source) -> Json:
    manifests = [manifest for dummy, manifest in workloads]
    judged = judge(source, manifests, checks=params["checks"])
    complaints = []
    found = []
    for number, (subject, dummy) in enumerate(workloads):
        problems = judged.problems.get(number, [])
        found += [(subject, problem) for problem in problems]
        errors = tuple(problem for problem in problems if problem.severity == "error")
        complaints.append(Complaint(subject, errors))
    failed = [str(complaint) for complaint in complaints if complaint.problems]
    result = {
        **EMPTY,
        "fit": _fit(judged),
        "capacity": capacity(judged.inventory),
        "waiting": asked_for(judged.inventory),
        "warnings": warnings([*found, *(("fit", note) for note in judged.notes)]),
    }
    return {**result, "failed": True, "msg": "\n".join(failed)} if failed else result


def _fit(judged: Judged) -> Json:
    if not judged.answers:
        return {}
    verdicts = [answer.verdict for answer in judged.answers]
    return {
        "fits": all(verdict is Verdict.FITS for verdict in verdicts),
        "workloads": [report(answer, judged.inventory) for answer in judged.answers],
    }
