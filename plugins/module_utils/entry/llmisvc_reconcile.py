# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes services so: from the task's options to its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..cluster.connection import Cluster, connect
from ..engine import immutable
from ..engine.policy import Budget, Policy
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError
from ..kube.reader import GivenObjects
from ..kube.reference import Reference
from . import arguments
from .fleet import Service, Settings, compile_fleet, load_fleet, named
from .gathering import gather
from .observing import Wait, known_objects, lacking, observe, read_objects, write_status
from .removing import Remover
from .rendering import manifests, write
from .result import Clock, ServiceResult, diffs, left_out, stats, warnings
from .rounds import Reconciled, Reconciler
from .sources import Document, cluster_objects, given, read
from .target import CONTROLLER, Target

Params = Mapping[str, Any]
Progress = Callable[[str], None]

STATES = ("present", "absent", "overridden", "rendered", "gathered")
DEFAULT_FLEET = "default"

#: Every key of the result, with what it is where there is nothing to say.
EMPTY: Mapping[str, Any] = {
    "changed": False,
    "services": [],
    "manifests": [],
    "paths": [],
    "gathered": [],
    "stats": {},
}

ARGUMENT_SPEC: arguments.Spec = {
    **arguments.SERVICES,
    **arguments.AUTH,
    **arguments.REQUESTS,
    "state": {"type": "str", "choices": list(STATES), "default": "present"},
    "reconciler": {"type": "str", "choices": ["auto", "direct", "controller"], "default": "auto"},
    "create_namespaces": {"type": "bool", "default": False},
    "cluster_objects": {"type": "list", "elements": "raw", "default": []},
    "dest": {"type": "path"},
    "prune": {"type": "bool", "default": True},
    "max_deletions": {"type": "int"},
    "wait": {"type": "bool", "default": False},
    "wait_timeout": {"type": "float", "default": 600.0},
    "wait_for": {"type": "str", "default": "ready"},
    "force_conflicts": {"type": "bool", "default": True},
    "adopt": {"type": "bool", "default": False},
    "allow_restart": {"type": "bool", "default": False},
    "recreate": {
        "type": "list",
        "elements": "str",
        "choices": sorted(immutable.FIELDS),
        "default": [],
    },
    "skip_invalid": {"type": "bool", "default": False},
    "verbose_result": {"type": "bool", "default": False},
}


def run(
    params: Params,
    *,
    check_mode: bool,
    diff: bool,
    environment: Mapping[str, str],
    progress: Progress,
) -> Json:
    """Do what the task says and return its result; `failed` and `msg` stand in it where something failed after the first write.

    environment: where K8S_AUTH_* are read. progress: takes one line for each change while waiting.
    Raises InputError for everything that is found before the first write, ClusterError where the cluster cannot be used.
    """
    clock = Clock()
    state = params["state"]
    documents = [*given("services", params["services"]), *read(params["src"])]
    _check_options(params, documents)
    if state == "rendered":
        return _rendered(params, documents, clock, check_mode=check_mode, diff=diff)
    with _connection(params, environment) as cluster:
        if state == "gathered":
            meant = named(documents, params["namespace"])
            found = gather(cluster, meant, params["namespace"], params["fleet"])
            return {**EMPTY, "gathered": found, "stats": stats(cluster.stats, clock)}
        if state == "absent":
            return _absent(
                params,
                documents,
                cluster,
                clock,
                check_mode=check_mode,
                diff=diff,
                progress=progress,
            )
        return _reconciled(
            params, documents, cluster, clock, check_mode=check_mode, diff=diff, progress=progress
        )


def _check_options(params: Params, documents: Sequence[Document]) -> None:
    state = params["state"]
    if not documents and state in ("present", "absent", "rendered"):
        raise InputError.single(
            "services, src", "", f"no service is given, and state {state} needs at least one"
        )
    if state == "overridden":
        if not params["fleet"]:
            raise InputError.single(
                "fleet", "", "state overridden removes what the list does not name; name the fleet"
            )
        if not documents:
            raise InputError.single(
                "services, src",
                "",
                "no service is given; an empty list would remove the whole fleet",
            )
    if params["dest"] and state != "rendered":
        raise InputError.single("dest", "", "is for state rendered alone")


def _connection(params: Params, environment: Mapping[str, str]) -> Cluster:
    auth = {name: params[name] for name in arguments.AUTH if params.get(name) is not None}
    return connect(
        {**auth, "environment": environment},
        concurrency=params["concurrency"],
        request_timeout=params["request_timeout"],
        deadline=params["deadline"],
    )


def _policy(params: Params, *, check_mode: bool, diff: bool) -> Policy:
    return Policy(
        fleet=params["fleet"] or DEFAULT_FLEET,
        prune=params["prune"],
        max_deletions=Budget(params["max_deletions"]),
        force_conflicts=params["force_conflicts"],
        adopt=params["adopt"],
        allow_restart=params["allow_restart"],
        recreate=frozenset(params["recreate"]),
        create_namespaces=params["create_namespaces"],
        dry_run=check_mode,
        diff=diff,
    )


def _load(params: Params, documents: Sequence[Document]) -> tuple[list[Service], list[Complaint]]:
    settings = Settings(params["settings"], params["releases"])
    return load_fleet(documents, settings, params["namespace"], skip_invalid=params["skip_invalid"])


def _rendered(
    params: Params, documents: Sequence[Document], clock: Clock, *, check_mode: bool, diff: bool
) -> Json:
    services, complaints = _load(params, documents)
    reader = GivenObjects(cluster_objects(params["cluster_objects"]))
    compiled = compile_fleet(services, reader)
    for service in services:
        service.problems += service.kind.advise(service.typed, service.settings, reader)
    rendered = manifests(compiled, params["fleet"] or DEFAULT_FLEET)
    results = [ServiceResult(service.reference, "", service.problems) for service in services]
    result = {**EMPTY, **_summary(results, services, params), "stats": stats(None, clock)}
    result["warnings"] += left_out(complaints)
    if not params["dest"]:
        return {**result, "manifests": rendered}
    paths, changed = write(rendered, params["dest"], dry_run=check_mode)
    return {
        **result,
        "paths": paths,
        "changed": bool(changed),
        **({"diff": changed} if diff else {}),
    }


def _reconciled(
    params: Params,
    documents: Sequence[Document],
    cluster: Cluster,
    clock: Clock,
    *,
    check_mode: bool,
    diff: bool,
    progress: Progress,
) -> Json:
    services, complaints = _load(params, documents)
    reconciler = Reconciler(
        cluster,
        _policy(params, check_mode=check_mode, diff=diff),
        reconciler=params["reconciler"],
        overridden=params["state"] == "overridden",
        skip_invalid=params["skip_invalid"],
        report=lambda dummy: None,
    )
    done = reconciler.run(services)
    results = _results(done)
    objects = known_objects(done.snapshot.objects, done.outcomes)
    failing = {result.reference for result in results.values() if result.failures}
    waiting = [target for target in done.targets if target.reference not in failing]
    unready: list[str] = []
    if params["wait"] and not check_mode:
        unready = _wait(params, cluster, waiting, results, clock, progress)
    else:
        _observe(cluster, done.targets, results, objects)
    if not check_mode:
        _write_statuses(cluster, done, results, objects, clock)
    summary = _summary(list(results.values()), [target.service for target in done.targets], params)
    summary["warnings"] += [str(problem) for problem in done.warnings] + left_out(
        [*complaints, *done.left_out]
    )
    summary["warnings"] += cluster.warnings
    changed = any(outcome.changed for outcome in done.outcomes)
    counters = stats(cluster.stats, clock, skipped=_skipped(done), rounds=1)
    return {
        **EMPTY,
        **summary,
        "changed": changed,
        "stats": counters,
        **({"diff": diffs(done.outcomes)} if diff else {}),
        **_failure(done.outcomes, unready),
    }


def _results(done: Reconciled) -> dict[Reference, ServiceResult]:
    results = {}
    for target, plan in zip(done.targets, done.plans, strict=True):
        problems = list(dict.fromkeys([*target.service.problems, *plan.problems]))
        results[target.reference] = ServiceResult(
            target.reference, target.reconciler, problems, unchanged=plan.unchanged
        )
    for outcome in done.outcomes:
        result = results.setdefault(outcome.service, ServiceResult(outcome.service, "direct"))
        result.outcomes.append(outcome)
    return results


def _observe(
    cluster: Cluster,
    targets: Sequence[Target],
    results: Mapping[Reference, ServiceResult],
    objects: dict[Reference, Json],
) -> None:
    """Read the state of every service once; pods are read for those that are not ready."""
    observations = {target.reference: observe(target, objects) for target in targets}
    unready = [target for target in targets if not observations[target.reference].ready]
    if unready:
        objects |= read_objects(cluster, unready)
        observations |= {target.reference: observe(target, objects) for target in unready}
    for reference, observation in observations.items():
        results[reference].observation = observation


def _wait(
    params: Params,
    cluster: Cluster,
    targets: Sequence[Target],
    results: Mapping[Reference, ServiceResult],
    clock: Clock,
    progress: Progress,
) -> list[str]:
    """Wait, and return a text for each service that did not get there."""
    if not targets:
        return []
    waiting = Wait(targets, params["wait_for"], clock.monotonic, progress)
    observations = waiting.run(cluster, params["wait_timeout"])
    texts = []
    for target in targets:
        observation = observations.get(target.reference)
        results[target.reference].observation = observation
        if observation is None or not waiting.reached(observation):
            why = (
                "; ".join(lacking(observation)) if observation else "it could not be listed in time"
            )
            how = (
                "failed"
                if observation and observation.failed
                else f"is not {params['wait_for']} after {clock.elapsed:.0f} s"
            )
            texts.append(f"{target.reference} {how}: {why}")
    return texts


def _write_statuses(
    cluster: Cluster,
    done: Reconciled,
    results: Mapping[Reference, ServiceResult],
    objects: Mapping[Reference, Json],
    clock: Clock,
) -> None:
    """Write the status of each service that this run reconciles; a failure to do so is a warning, the service itself is made."""
    for target, plan in zip(done.targets, done.plans, strict=True):
        result = results[target.reference]
        parent = objects.get(plan.parent.reference)
        if target.reconciler == CONTROLLER or parent is None:
            continue
        observation = result.observation or observe(target, objects)
        if result.failures:
            error = f"{result.failures[0].reference}: {result.failures[0].reason}"
            observation = target.service.kind.reconcile_error(observation, error)
        result.observation = observation
        write_status(cluster, target, parent, observation, clock.now())


def _absent(
    params: Params,
    documents: Sequence[Document],
    cluster: Cluster,
    clock: Clock,
    *,
    check_mode: bool,
    diff: bool,
    progress: Progress,
) -> Json:
    remover = Remover(
        cluster, _policy(params, check_mode=check_mode, diff=diff), params["reconciler"]
    )
    removed = remover.run(named(documents, params["namespace"]))
    unready: list[str] = []
    if params["wait"] and not check_mode:
        unready = remover.wait(params["wait_timeout"], clock.monotonic, progress)
    results = []
    for reference, reconciler in removed.services:
        outcomes = [outcome for outcome in removed.outcomes if outcome.service == reference]
        results.append(ServiceResult(reference, reconciler, outcomes=outcomes))
    return {
        **EMPTY,
        **_summary(results, [], params),
        "changed": any(outcome.changed for outcome in removed.outcomes),
        "stats": stats(cluster.stats, clock, rounds=1),
        **({"diff": diffs(removed.outcomes)} if diff else {}),
        **_failure(removed.outcomes, unready),
    }


def _summary(results: Sequence[ServiceResult], services: Sequence[Service], params: Params) -> Json:
    texts = [text for service in services for text in warnings(service.subject, service.problems)]
    subjects = {service.reference: service.subject for service in services}
    texts += [
        text
        for result in results
        for text in warnings(subjects.get(result.reference, str(result.reference)), result.problems)
    ]
    entries = [result.to_dict(verbose=params["verbose_result"]) for result in results]
    return {"services": entries, "warnings": list(dict.fromkeys(texts))}


def _skipped(done: Reconciled) -> int:
    return sum(len(plan.unchanged) for plan in done.plans)


def _failure(outcomes: Sequence[Any], unready: Sequence[str]) -> Json:
    failed = [
        f"{outcome.reference}: {outcome.reason}"
        for outcome in outcomes
        if outcome.action == "failed"
    ]
    skipped = sum(outcome.action == "skipped" for outcome in outcomes)
    texts = (
        failed
        + ([f"{skipped} objects that depend on them were skipped"] if skipped else [])
        + list(unready)
    )
    return {"failed": True, "msg": "\n".join(texts)} if failed or unready else {}
