# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes services so: from the task's options to its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..cluster.connection import Cluster
from ..engine import immutable
from ..engine.policy import Budget, Policy
from ..fleet.compile import compile_fleet, paired, without_errors
from ..fleet.installation import GivenReleases
from ..fleet.load import input_schemas_of, load_fleet, named
from ..fleet.release_finder import ReleaseFinder, places_of
from ..fleet.service import Service
from ..fleet.settings import Find, Settings
from ..kinds.request import request_of
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError
from ..kube.reader import GivenObjects
from ..kube.redact import redact
from ..kube.reference import Reference
from ..reconcile.answer_options import ANSWER, SPEC, AnswerOptions, answer_options
from ..reconcile.run import Run
from ..reconcile.state_present import make_present
from ..reconcile.wait_options import READY, check_wait
from ..task import arguments
from ..task.manifest_loader import Document, given, object_documents, read
from ..task.result import (
    TROUBLES,
    Clock,
    ServiceResult,
    absent,
    diffs,
    failure_of,
    left_out,
    masks,
    stats,
    summary_of,
    told,
)

Params = Mapping[str, Any]
Progress = Callable[[str], None]

STATES = ("present", "absent", "overridden", "rendered", "gathered")

#: Every key of the result, with what it is where there is nothing to say.
EMPTY: Mapping[str, Any] = {
    "changed": False,
    "services": [],
    "manifests": [],
    "paths": [],
    "gathered": [],
    "runtimes": [],
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
    "wait_for": {"type": "str", "default": READY},
    "answer": SPEC,
    "force_conflicts": {"type": "bool", "default": True},
    "adopt": {"type": "bool", "default": False},
    "allow_restart": {"type": "bool", "default": False},
    "recreate": {
        "type": "list",
        "elements": "str",
        "choices": sorted(immutable.COSTS),
        "default": [],
    },
    "skip_invalid": {"type": "bool", "default": False},
    "fit": {
        "type": "str",
        "choices": [arguments.REQUIRE, arguments.WARN, arguments.IGNORE],
        "default": arguments.WARN,
    },
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
    """Do what the task says and return its result; `failed` and `msg` are in it where something failed after the first write.

    environment: where K8S_AUTH_* are read. progress: takes one line for each change while waiting.
    Raises InputError for everything that is found before the first write, ClusterError where the cluster cannot be used.
    """
    clock = Clock()
    state = params["state"]
    documents = [*given("services", params["services"]), *read(params["src"])]
    _check_options(params, documents)
    answer = _answer(params, documents)
    if state == "rendered":
        return _rendered(params, documents, clock, check_mode=check_mode, diff=diff)
    with arguments.connection(params, environment) as cluster:
        if state == "gathered":
            from ..reconcile.runtimes import gathered_runtimes
            from ..reconcile.state_gathered import gather

            meant = named(documents, params["namespace"])
            found = gather(cluster, meant, params["namespace"], params["fleet"])
            missing = {each for dummy, each in meant} - {Reference.of(each) for each in found}
            # Of one fleet, a service may be there and belong to another.
            lost = [] if params["fleet"] else absent(missing)
            shown: Json = {
                "gathered": [redact(item) for item in found],
                "warnings": [*lost, *masks(found)],
            }
            places = [each["metadata"].get("namespace") or "" for each in found]
            releases = ReleaseFinder(
                cluster, params["fleet"] or arguments.DEFAULT_FLEET, places, params["settings"]
            )
            settings = Settings(params["settings"], params["releases"], releases.find)
            shown["runtimes"] = gathered_runtimes(found, cluster, settings)
            return {**EMPTY, **shown, "stats": stats(cluster.stats, clock)}
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
        releases = ReleaseFinder(
            cluster,
            params["fleet"] or arguments.DEFAULT_FLEET,
            [] if state == "overridden" else places_of(documents, params["namespace"]),
            params["settings"],
        )
        services, complaints = _load(params, documents, releases.find)
        # A service that is named stays, however wrong its document is.
        keeps = (
            frozenset(reference for dummy, reference in named(documents, params["namespace"]))
            if state == "overridden"
            else None
        )
        wait_for = READY if answer is not None else params["wait_for"]
        told_to = Run(
            cluster,
            _policy(params, check_mode=check_mode, diff=diff),
            releases=releases,
            reconciler=params["reconciler"],
            skip_invalid=params["skip_invalid"],
            fit=params["fit"],
            keeps=keeps,
            wait_for=wait_for if params["wait"] else "",
            wait_timeout=params["wait_timeout"],
            answer=answer,
            clock=clock,
            progress=progress,
        )
        made = make_present(told_to, services, complaints, verbose=params["verbose_result"])
        return {**EMPTY, **made}


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
        raise InputError.single("dest", "", "is only for state rendered")


def _answer(params: Params, documents: Sequence[Document]) -> AnswerOptions | None:
    """Return what is sent where a real answer is waited for, None where none is. Raises InputError."""
    check_wait(params, documents)
    if params["wait_for"] != ANSWER:
        if params["answer"] is not None:
            raise InputError.single(ANSWER, "", "is only for wait_for: answer")
        return None
    return answer_options(params["answer"])


def _policy(params: Params, *, check_mode: bool, diff: bool) -> Policy:
    return Policy(
        fleet=params["fleet"] or arguments.DEFAULT_FLEET,
        prune=params["prune"],
        max_deletions=Budget(params["max_deletions"]),
        force_conflicts=params["force_conflicts"],
        adopt=params["adopt"],
        allow_restart=params["allow_restart"],
        recreate=frozenset(params["recreate"]),
        create_namespaces=params["create_namespaces"],
        home=str((params["settings"] or {}).get("kserve_namespace") or Policy().home),
        dry_run=check_mode,
        diff=diff,
    )


def _load(
    params: Params, documents: Sequence[Document], find: Find
) -> tuple[list[Service], list[Complaint]]:
    settings = Settings(params["settings"], params["releases"], find)
    return load_fleet(documents, settings, params["namespace"], skip_invalid=params["skip_invalid"])


def _rendered(
    params: Params, documents: Sequence[Document], clock: Clock, *, check_mode: bool, diff: bool
) -> Json:
    from ..reconcile.given_objects import refused_given
    from ..reconcile.runtimes import runtimes_of
    from ..reconcile.state_rendered import manifests, write

    objects = object_documents(params["cluster_objects"])
    releases = GivenReleases(objects.values, params["settings"])
    services, complaints = _load(params, documents, releases.find)
    reader = GivenObjects(objects.well_formed(input_schemas_of(services)))
    compiled, colliding = compile_fleet(
        services, reader, paired, skip_invalid=params["skip_invalid"], judged=True
    )
    made = frozenset(
        child.manifest.reference for dummy, intent in compiled for child in intent.children
    )
    for service, intent in compiled:
        manifests_of_it = [child.manifest.to_dict() for child in intent.children]
        service.problems += service.advice(intent.basis, manifests_of_it, reader, made)
    compiled, refused = without_errors(compiled, skip_invalid=params["skip_invalid"])
    kept = [service for service, dummy in compiled]
    rendered = manifests(compiled, params["fleet"] or arguments.DEFAULT_FLEET)
    results = [
        ServiceResult(
            service.reference,
            "",
            service.problems,
            release=service.release,
            request=request_of(
                service.kind.entrance(intent.basis, service.settings, reader),
                service.reference,
                reader,
            ),
        )
        for service, intent in compiled
    ]
    subjects = {service.reference: service.subject for service in kept}
    result = {
        **EMPTY,
        **summary_of(results, subjects, verbose=params["verbose_result"]),
        "runtimes": runtimes_of(kept, reader),
        "stats": stats(None, clock),
    }
    result["warnings"] += left_out([*complaints, *colliding, *refused])
    result["warnings"] += list(refused_given(kept, objects.values, result["warnings"]))
    if not params["dest"]:
        result["warnings"] += masks(rendered)
        return {**result, "manifests": [redact(manifest) for manifest in rendered]}
    written = write(rendered, params["dest"], dry_run=check_mode, diff=diff)
    return {
        **result,
        "paths": written.paths,
        "changed": written.changed,
        **({"diff": written.diffs} if diff else {}),
    }


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
    from ..reconcile.state_absent import Remover

    remover = Remover(
        cluster, _policy(params, check_mode=check_mode, diff=diff), params["reconciler"]
    )
    removed = remover.removed
    troubles: list[str] = []
    try:
        remover.run(named(documents, params["namespace"]))
        if params["wait"] and not check_mode:
            troubles = remover.wait(params["wait_timeout"], clock.monotonic, progress)
    except TROUBLES as error:
        if not removed.outcomes:
            raise
        troubles.append(told(error))
    results = []
    for reference, reconciler in removed.services:
        outcomes = [outcome for outcome in removed.outcomes if outcome.service == reference]
        results.append(ServiceResult(reference, reconciler, outcomes=outcomes))
    summary = summary_of(results, {}, verbose=params["verbose_result"])
    summary["warnings"] += [str(problem) for problem in removed.warnings]
    return {
        **EMPTY,
        **summary,
        "changed": any(outcome.changed for outcome in removed.outcomes),
        "stats": stats(cluster.stats, clock, rounds=1),
        **({"diff": diffs(removed.outcomes)} if diff else {}),
        **failure_of(removed.outcomes, troubles),
    }
