# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at services: their children, conditions, drift, and objects whose service is gone. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..checks.run import problems_beside
from ..cluster.connection import Cluster
from ..engine.desired import owner_value
from ..engine.plan import Change
from ..engine.policy import Policy
from ..engine.service_plan import ServicePlan, is_record, removals
from ..engine.snapshot import Snapshot, take_snapshot
from ..fleet.cluster_reader import reader_of
from ..fleet.load import introduce, named
from ..fleet.release_finder import ReleaseFinder
from ..fleet.service import Service
from ..fleet.settings import Settings
from ..kinds.peers import Peers
from ..kinds.registry import KINDS
from ..kinds.view import Neighbour
from ..kube.manifest import Json
from ..kube.pod_health import UNREAD
from ..kube.problem import InputError, Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..reconcile.answer import Inquiry, ask_all
from ..reconcile.answer_options import CANARY_S, SPEC, AnswerOptions, answer_options
from ..reconcile.certificates import read_certificates
from ..reconcile.compiled_service import CompiledService, compiled_service, made_by
from ..reconcile.controller_mode import CONTROLLER, DIRECT, children_of_ours
from ..reconcile.planner import plan_target, services_of
from ..reconcile.service_pods import pods_of
from ..reconcile.state_gathered import as_written
from ..reconcile.status import observe, read_pods, recorded_service, request_for
from ..reconcile.topology import topology
from ..reconcile.upgrades import upgrades
from ..task import arguments
from ..task.manifest_loader import given, read
from ..task.result import Clock, ServiceResult, absent, service_warnings, stats

EMPTY: Mapping[str, Any] = {"changed": False, "services": [], "orphans": [], "stats": {}}
ARGUMENT_SPEC: arguments.Spec = {
    **arguments.SERVICES,
    "topology": {"type": "bool", "default": False},
    "upgrades": {"type": "bool", "default": False},
    "answer": {"type": "bool", "default": False},
    "answer_options": SPEC,
    **arguments.AUTH,
    **arguments.REQUESTS,
}


def run(
    params: Mapping[str, Any],
    *,
    check_mode: bool,  # noqa: ARG001  # reading is the same in check mode
    diff: bool,  # noqa: ARG001
    environment: Mapping[str, str],
    progress: Callable[[str], None],  # noqa: ARG001
) -> Json:
    """Return the services that are named, or all of the fleet. Raises InputError and ClusterError."""
    clock = Clock()
    fleet = params["fleet"] or arguments.DEFAULT_FLEET
    meant = named(
        [*given("services", params["services"]), *read(params["src"])], params["namespace"]
    )
    asked = _asked(params)
    with arguments.connection(params, environment) as cluster:
        wanted = {reference for _kind, reference in meant}
        places = {reference.namespace for reference in wanted} or {params["namespace"] or ""}
        # An empty one is the whole cluster.
        reach = "" in places or any(kind.reaches for kind, _reference in meant)
        namespaces = [] if reach else sorted(places)
        kinds = [pair for kind in KINDS.values() for pair in kind.kinds]
        snapshot = take_snapshot(cluster, kinds, fleet, namespaces)
        releases = ReleaseFinder(cluster, fleet, namespaces, params["settings"])
        releases.listed = snapshot
        settings = Settings(params["settings"], params["releases"], releases.find)
        documents = _documents(cluster, snapshot, wanted, namespaces)
        services, unusable = _load(documents, settings)
        reader = reader_of(cluster, services, snapshot.objects | documents)
        read_certificates(cluster, services, reader)
        targets = _compile(services, snapshot, reader, fleet, unusable)
        plans = [plan_target(target, snapshot, Policy(fleet)) for target in targets]
        results = _results(cluster, snapshot, targets, plans, reader) | unusable
        if asked is not None:
            _ask(cluster, asked, targets, snapshot, reader, results)
        if params["upgrades"]:
            for target in targets:
                if target.reconciler == DIRECT:
                    found = upgrades(target, settings, reader, fleet)
                    results[target.reference]["upgrades"] = list(found)
        if params["topology"]:
            for reference, rows in topology(cluster, targets, snapshot.objects, reader).items():
                results[reference]["topology"] = rows
        return {
            **EMPTY,
            "services": list(results.values()),
            "orphans": _orphans(snapshot, set(documents), namespaces),
            "warnings": _warnings(wanted - results.keys(), targets),
            "stats": stats(cluster.stats, clock),
        }


def _asked(params: Mapping[str, Any]) -> AnswerOptions | None:
    """Return what services are asked, None where they are not. Raises InputError."""
    if not params["answer"]:
        if params["answer_options"] is not None:
            raise InputError.single("answer_options", "", "is only for answer: true")
        return None
    return answer_options(params["answer_options"], CANARY_S, "answer_options")


def _ask(
    cluster: Cluster,
    asked: AnswerOptions,
    targets: Sequence[CompiledService],
    snapshot: Snapshot,
    others: Reader,
    results: Mapping[Reference, Json],
) -> None:
    """Ask every service, and put what came back into its result."""
    inquiries = {
        target.reference: Inquiry.of(
            cluster, target, snapshot.objects, others, results[target.reference]["url"]
        )
        for target in targets
    }
    for reference, answered in ask_all(cluster, inquiries, asked).items():
        results[reference]["answer"] = answered.to_dict()


def _warnings(missing: Iterable[Reference], targets: Sequence[CompiledService]) -> list[str]:
    """Return which of the named services are not there, and what the authors of the others should know."""
    return absent(missing) + service_warnings(
        (str(target.reference), problem)
        for target in targets
        for problem in target.service.problems
    )


def _documents(
    cluster: Cluster, snapshot: Snapshot, wanted: set[Reference], namespaces: Sequence[str]
) -> dict[Reference, Json]:
    """Return the custom resources to look at: the fleet's (or their records), and the named ones that are not the fleet's."""
    found = {
        reference: live
        for reference, live in snapshot.objects.items()
        if (reference.api_version, reference.kind) in KINDS
    }
    for service in services_of(snapshot):
        for reference in snapshot.owned_by(owner_value(service)):
            if is_record(reference, service) and service not in found:
                found[service] = recorded_service(snapshot.objects[reference])
    for reference in wanted - found.keys():
        served = (reference.api_version, reference.kind) not in snapshot.missing
        if served and (there := cluster.get(reference)):
            found[reference] = there
    return {
        reference: live
        for reference, live in sorted(found.items())
        if (not wanted or reference in wanted)
        and (not namespaces or reference.namespace in namespaces)
    }


def _load(
    documents: Mapping[Reference, Json], settings: Settings
) -> tuple[list[Service], dict[Reference, Json]]:
    """Return the services, and the results of those that cannot be read."""
    services: list[Service] = []
    unusable: dict[Reference, Json] = {}
    for reference, live in documents.items():
        kind = KINDS[reference.api_version, reference.kind]
        document = as_written(live, kind) if "resourceVersion" in live["metadata"] else live
        typed, release = settings.of(kind, reference)
        loaded = kind.load(document, typed)
        if loaded.service is None:
            unusable[reference] = _only_problems(reference, [*release.problems, *loaded.problems])
            continue
        problems = [*release.problems, *loaded.problems]
        services.append(
            Service(
                str(reference),
                kind,
                reference,
                loaded.service,
                typed,
                release,
                document,
                problems,
            )
        )
    introduce(services, Peers(service.typed for service in services))
    return services, unusable


def _only_problems(reference: Reference, problems: Iterable[Problem]) -> Json:
    result = ServiceResult(reference, "", list(problems))
    return {**result.to_dict(verbose=True), "drift": [], "pods": [], "topology": [], "upgrades": []}


def _compile(
    services: Sequence[Service],
    snapshot: Snapshot,
    reader: Reader,
    fleet: str,
    unusable: dict[Reference, Json],
) -> list[CompiledService]:
    """Return the services compiled. unusable: gets the results of those that cannot be built."""
    targets: list[CompiledService] = []
    neighbours: list[Neighbour] = []
    for service in services:
        reference = service.reference
        try:
            intent = service.compile(reader)
        except InputError as error:
            found = [problem for each in error.complaints for problem in each.problems]
            unusable[reference] = _only_problems(reference, found)
            continue
        neighbours.append(service.judge(intent))
        reconciler = DIRECT if children_of_ours(snapshot, reference) else CONTROLLER
        targets.append(compiled_service(service, intent, fleet, reconciler))
    beside = problems_beside(neighbours)
    made = made_by(targets)
    for target in targets:
        target.service.problems += beside.get(target.reference, [])
        target.service.problems += target.advice(reader, made)
    return targets


def _results(
    cluster: Cluster,
    snapshot: Snapshot,
    targets: Sequence[CompiledService],
    plans: Sequence[ServicePlan],
    others: Reader,
) -> dict[Reference, Json]:
    objects = dict(snapshot.objects)
    unready = [target for target in targets if not observe(target, objects, others=others).ready]
    for target in unready:
        served = (target.reference.api_version, target.reference.kind) not in snapshot.missing
        if served and target.reference not in objects and (live := cluster.get(target.reference)):
            objects[target.reference] = live
    pods = read_pods(cluster, unready)
    owned = pods_of(cluster, targets)
    results = {}
    for target, plan in zip(targets, plans, strict=True):
        problems: list[Problem] = [*target.service.problems, *plan.problems]
        result = ServiceResult(
            target.reference,
            target.reconciler,
            problems,
            release=target.service.release,
            unchanged=plan.unchanged,
        )
        found = pods.get(target.reference.namespace, UNREAD)
        result.observation = observe(target, objects, found, others)
        result.request = request_for(target, objects, others, result.observation.url)
        drift = (
            [_drift(change) for change in [*plan.changes, *removals(snapshot, plan)]]
            if target.reconciler == DIRECT
            else []
        )
        results[target.reference] = {
            **result.to_dict(verbose=True),
            "drift": drift,
            "pods": owned[target.reference],
            "topology": [],
            "upgrades": [],
        }
    return results


def _drift(change: Change) -> Json:
    return {
        "kind": change.reference.kind,
        "namespace": change.reference.namespace,
        "name": change.reference.name,
        "action": change.action.value,
        "reason": change.reason,
    }


def _orphans(snapshot: Snapshot, known: set[Reference], namespaces: Sequence[str]) -> list[Json]:
    """Return our objects whose service is gone: neither its custom resource nor its record is there.

    namespaces: of the services that were looked for, empty for all. Cluster-scoped objects of other services are no orphans.
    """
    orphans = []
    for service in sorted(services_of(snapshot) - known):
        owned = snapshot.owned_by(owner_value(service))
        if namespaces and service.namespace not in namespaces:
            continue
        if service in snapshot.objects or any(is_record(reference, service) for reference in owned):
            continue
        orphans += [
            {
                "kind": reference.kind,
                "namespace": reference.namespace,
                "name": reference.name,
                "service": service.full_name,
            }
            for reference in sorted(owned)
        ]
    return orphans
