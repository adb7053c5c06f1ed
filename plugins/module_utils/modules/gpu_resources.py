# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices for model servers: what to ask for, setting it on a workload, and whether it fits the cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..accelerators.capacity import asked_for, capacity
from ..accelerators.explain import report
from ..accelerators.fit import Verdict
from ..accelerators.input_schemas import INPUT_SCHEMAS
from ..accelerators.memory import UTILIZATION
from ..capacity.check import CHECKS, Judged, judge
from ..capacity.source import GivenManifests, LiveObjects, Source
from ..cluster.connection import Cluster
from ..devices.device_request import Wanted, wanted_devices
from ..devices.partial_apply import Written
from ..devices.service import ServiceDevices, check_role
from ..devices.workload import Workload, reference_of
from ..devices.workload_input import GivenWorkload, given_workloads, with_names, workloads_of
from ..fleet.cluster_reader import reader_of
from ..fleet.installation import GivenReleases
from ..fleet.load import input_schemas_of
from ..fleet.release_finder import ReleaseFinder, places_of
from ..fleet.service import Service
from ..fleet.settings import Find, Settings, asks_cluster
from ..kinds.device_fields import DEVICE_FIELDS
from ..kinds.device_request import DeviceRequest
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reader import GivenObjects
from ..kube.reference import Reference
from ..task import arguments
from ..task.manifest_loader import Document, given, object_documents, read
from ..task.result import Clock, stats, warnings

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
            "topology": {"type": "str"},
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
            "config": {"type": "raw"},
            "index": {"type": "raw"},
            "parameters": {"type": "str"},
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
            "role": {"type": "str", "default": ""},
        },
    },
    "force_conflicts": {"type": "bool", "default": False},
    "settings": arguments.SERVICES["settings"],
    "releases": arguments.SERVICES["releases"],
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
        return _rendered(params, clock)
    if not params["workload"]:
        raise InputError.single("workload", "", f"state {state} needs a workload")
    reference = reference_of(params["workload"], params["namespace"])
    is_service = reference.kind in DEVICE_FIELDS
    if is_service:
        check_role(reference.kind, params["workload"]["role"])
    wanted = wanted_devices(params) if state == "present" else None
    if wanted and wanted.placement.claim_templates and not is_service:
        raise InputError.single(
            "accelerator",
            "device_class",
            "claims are only for state rendered; apply what it returns",
        )
    with arguments.connection(params, environment) as cluster:
        change = _change_service if is_service else _change_workload
        written = change(cluster, reference, params, wanted, dry_run=check_mode)
        shown = _diff(str(reference), written.before, written.after)
        found = [("gpu_resources", problem) for problem in wanted.problems] if wanted else []
        found += [(str(reference), problem) for problem in written.warnings]
        return {
            **EMPTY,
            **(wanted.result if wanted else {}),
            "warnings": warnings(found),
            "changed": written.changed,
            "stats": stats(cluster.stats, clock),
            **({"diff": [shown]} if diff and written.changed else {}),
        }


#: What only another state looks at.
_UNJUDGED = "has no effect with state rendered; state gathered judges workloads and services"


def _rendered(params: Params, clock: Clock) -> Json:
    wanted = wanted_devices(params)
    unread = [name for name in ("services", "src") if params[name]]
    problems = [
        *wanted.problems,
        *(Problem(name, _UNJUDGED, "warning", rule="option") for name in unread),
    ]
    found = warnings(("gpu_resources", problem) for problem in problems)
    return {**EMPTY, **wanted.result, "warnings": found, "stats": stats(None, clock)}


def _change_workload(
    cluster: Cluster, reference: Reference, params: Params, wanted: Wanted | None, *, dry_run: bool
) -> Written:
    """Set what is wanted on a workload; without it, take back what was set."""
    container = params["workload"]["container"]
    workload = Workload(cluster, reference, container, force=params["force_conflicts"])
    if wanted is None:
        return workload.clear(dry_run=dry_run)
    return workload.put(wanted.placement, dry_run=dry_run)


def _change_service(
    cluster: Cluster, reference: Reference, params: Params, wanted: Wanted | None, *, dry_run: bool
) -> Written:
    """Set what is wanted on a service; without it, take back what was set."""
    role = params["workload"]["role"]
    service = ServiceDevices(cluster, reference, role, force=params["force_conflicts"])
    if wanted is None:
        return service.clear(dry_run=dry_run)
    shape = wanted.shape
    wish = DeviceRequest(
        wanted.accelerator,
        wanted.parallelism,
        shape.devices_per_pod,
        shape.pods_per_replica,
        wanted.placement,
    )
    return service.put(wish, dry_run=dry_run)


def _diff(subject: str, before: Json, after: Json) -> Json:
    import yaml

    texts = [yaml.safe_dump(each, sort_keys=True) if each else "" for each in (before, after)]
    return {
        "before_header": subject,
        "after_header": subject,
        "before": texts[0],
        "after": texts[1],
    }


def _gathered(params: Params, environment: Mapping[str, str], clock: Clock) -> Json:
    documents = [*given("services", params["services"]), *read(params["src"])]
    given_objects = object_documents(params["cluster_objects"])
    offline = params["cluster_objects"] or not asks_cluster(documents, params["releases"])
    known = GivenReleases(given_objects.values, params["settings"])
    workloads, services = _given(params, documents, known.find) if offline else ([], [])
    if params["cluster_objects"]:
        objects = given_objects.well_formed({**input_schemas_of(services), **INPUT_SCHEMAS})
        reader = GivenObjects(objects)
        workloads = [with_names(each, reader) for each in workloads]
        workloads += workloads_of(services, reader)
        return {**_judged(params, workloads, GivenManifests(objects)), "stats": stats(None, clock)}
    with arguments.connection(params, environment) as cluster:
        if not offline:
            places = places_of(documents, params["namespace"])
            releases = ReleaseFinder(cluster, "", places, params["settings"])
            workloads, services = _given(params, documents, releases.find)
        live = reader_of(cluster, services, {})
        workloads = [with_names(each, live) for each in workloads]
        workloads += workloads_of(services, live)
        found = _judged(params, workloads, LiveObjects(cluster))
        return {**found, "stats": stats(cluster.stats, clock)}


def _given(
    params: Params, documents: Sequence[Document], find: Find
) -> tuple[list[GivenWorkload], list[Service]]:
    settings = Settings(params["settings"], params["releases"], find)
    return given_workloads(documents, settings, params["namespace"])


def _judged(params: Params, workloads: Sequence[GivenWorkload], source: Source) -> Json:
    manifests = [workload.manifest for workload in workloads]
    judged = judge(source, manifests, checks=params["checks"], with_classes=True, rollouts=True)
    # A service has several workloads, and what concerns its namespace concerns each of them.
    by_subject: dict[str, dict[Problem, None]] = {}
    for number, workload in enumerate(workloads):
        problems = [*judged.problems.get(number, []), *workload.warnings]
        by_subject.setdefault(workload.subject, {}).update(dict.fromkeys(problems))
    found = [(subject, problem) for subject, told in by_subject.items() for problem in told]
    complaints = (
        Complaint(subject, tuple(each for each in told if each.severity == "error"))
        for subject, told in by_subject.items()
    )
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
