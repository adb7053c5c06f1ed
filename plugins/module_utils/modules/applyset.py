# SPDX-License-Identifier: GPL-3.0-or-later
"""A set of manifests as one unit: installed, upgraded, pruned, removed, looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..bundles.components import COMPONENTS
from ..engine.policy import Budget, SetPolicy
from ..kube.manifest import Json
from ..kube.problem import InputError
from ..kube.reader import GivenObjects
from ..sets.advice import advice, component_problems
from ..sets.checks import check
from ..sets.fitted_manifests import FittedManifests
from ..sets.input import SUBJECT, placed, read_set, rendered, the_set
from ..sets.options import check_options
from ..sets.release import SetRelease
from ..sets.result import EMPTY, SetResult, problems_of, result_of
from ..sets.state_absent import Remover
from ..sets.state_gathered import gather
from ..sets.state_present import Presenter
from ..task import arguments
from ..task.result import TROUBLES, Clock, stats
from ..task.result import told as said

__all__ = ["ARGUMENT_SPEC", "EMPTY", "run"]

#: How a bundle is fitted to a cluster.
TRANSFORM: arguments.Spec = {
    "leave_out": {"type": "list", "elements": "str"},
    "registry": {"type": "str"},
    "images": {"type": "dict"},
    "image_pull_secrets": {"type": "list", "elements": "str", "no_log": False},
    "namespaces": {"type": "dict"},
    "pod_security": {"type": "str", "choices": ["privileged", "baseline", "restricted"]},
    "config": {"type": "dict"},
    "workloads": {"type": "dict"},
}

ARGUMENT_SPEC: arguments.Spec = {
    **arguments.AUTH,
    **arguments.REQUESTS,
    "state": {
        "type": "str",
        "choices": ["present", "absent", "gathered", "rendered"],
        "default": "present",
    },
    "name": {"type": "str", "required": True},
    "namespace": {"type": "str", "default": "default"},
    "src": {"type": "list", "elements": "path", "default": []},
    "definition": {"type": "raw"},
    "component": {"type": "str", "choices": list(COMPONENTS)},
    "version": {"type": "str"},
    "checks": {"type": "bool", "default": False},
    "transform": {"type": "dict", "options": TRANSFORM},
    "prune": {"type": "bool", "default": True},
    "keep_crds": {"type": "bool", "default": True},
    "delete_objects": {"type": "bool", "default": False},
    "keep_edits": {"type": "list", "elements": "str"},
    "adopt": {"type": "bool", "default": False},
    "force_conflicts": {"type": "bool", "default": True},
    "wait": {"type": "bool", "default": True},
    "wait_timeout": {"type": "float", "default": 600.0},
    "max_deletions": {"type": "int"},
}


def run(
    params: Mapping[str, Any],
    *,
    check_mode: bool,
    diff: bool,
    environment: Mapping[str, str],
    progress: Callable[[str], None],
) -> Json:
    """Return what became of the set. Raises InputError, before the first write, and ClusterError."""
    clock = Clock()
    applyset = the_set(params)
    given = read_set(params)
    check_options(params, given)
    if params["state"] == "present" and not given:
        text = "src and definition hold no object; a set is not emptied like this, state: absent removes it"
        raise InputError.single(SUBJECT, "src", text)
    policy = _policy(params, dry_run=check_mode)
    if params["state"] == "rendered":
        manifests, problems = rendered(given, params["namespace"])
        problems += [
            *component_problems(manifests, COMPONENTS.get(params["component"] or "")),
            *advice(manifests, GivenObjects()),
        ]
        return {**EMPTY, "id": applyset.id, "manifests": manifests, **problems_of(problems)}
    with arguments.connection(params, environment) as cluster:
        fitting = FittedManifests.of(cluster, params)
        if params["state"] == "absent":
            worker: _Worker = Remover(cluster, applyset, policy, SetRelease.of(params))
            manifests = [one.manifest for one in given]
        else:
            worker = Presenter(cluster, applyset, policy, fitting, progress)
            manifests = placed(cluster, given, params["namespace"])
        if params["state"] == "gathered":
            looked = gather(cluster, applyset, manifests, fitting)
            found = {**EMPTY, "id": applyset.id, **looked.result}
            if params["checks"]:
                release, version = fitting.release, looked.result["version"]
                found |= check(cluster, looked.members, params, environment, release, version)
            return {**found, "stats": stats(cluster.stats, clock)}
        told = _work(worker, manifests)
        exists = params["state"] == "present"
        return result_of(told, applyset.id, cluster.stats, clock, diff=diff, exists=exists)


class _Worker(Protocol):
    """What changes a set, and tells what it did."""

    told: SetResult

    def run(self, manifests: Sequence[Json]) -> None:
        """Do it."""


def _work(worker: _Worker, manifests: Sequence[Json]) -> SetResult:
    """Do the work; what ends it after the first write is reported beside what was done."""
    try:
        worker.run(manifests)
    except TROUBLES as error:
        if not worker.told.outcomes:
            raise
        worker.told.troubles.append(said(error))
    return worker.told


def _policy(params: Mapping[str, Any], *, dry_run: bool) -> SetPolicy:
    return SetPolicy(
        prune=params["prune"],
        keep_crds=params["keep_crds"],
        delete_objects=params["delete_objects"],
        adopt=params["adopt"],
        force_conflicts=params["force_conflicts"],
        wait=params["wait"],
        wait_timeout=params["wait_timeout"],
        max_deletions=Budget(params["max_deletions"]),
        dry_run=dry_run,
    )
