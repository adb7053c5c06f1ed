# SPDX-License-Identifier: GPL-3.0-or-later
"""What is looked at before the first write, and only then: a run that changes nothing asks none of this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError, Forbidden
from ..kube.labels import selector_text
from ..kube.manifest import value_at
from ..kube.problem import Problem
from ..kube.reference import Reference
from . import FIELD_MANAGER
from .desired import PLACEHOLDER_UID
from .plan import Action, ServicePlan


def running_controller(cluster: Cluster, labels: Mapping[str, str]) -> str | None:
    """Return which Deployment runs a kind's controller, None where none does. Raises Forbidden where looking is not allowed."""
    for item in cluster.list("apps/v1", "Deployment", selector=selector_text(labels)).items:
        if (item.get("spec") or {}).get("replicas", 1) > 0:
            return f"Deployment {item['metadata']['namespace']}/{item['metadata']['name']}"
    return None


def missing_namespaces(cluster: Cluster, plans: Iterable[ServicePlan]) -> list[str]:
    """Return the namespaces that planned objects need and that do not exist, sorted.

    Where reading namespaces is not allowed they are taken to exist; a create then fails by itself.
    """
    names = sorted(
        {
            change.reference.namespace
            for plan in plans
            for change in plan.changes
            if change.action is Action.CREATE and change.reference.namespace
        }
    )
    calls = [
        partial(cluster.get, Reference("v1", "Namespace", "", name), metadata_only=True)
        for name in names
    ]
    missing = []
    for name, answer in zip(names, cluster.parallel(calls), strict=True):
        if isinstance(answer, Forbidden):
            continue
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            missing.append(name)
    return missing


def restarts(cluster: Cluster, plans: Sequence[ServicePlan]) -> None:
    """Add a problem for each workload whose pods adoption would restart: a dry run shows another pod template."""
    for plan in plans:
        for change in plan.changes:
            if change.action is not Action.ADOPT or change.desired is None:
                continue
            template = value_at(change.live or {}, ("spec", "template"))
            if template is None:
                continue
            uid = plan.owner_uid or PLACEHOLDER_UID
            try:
                answer = cluster.apply(
                    change.desired.manifest(uid), manager=FIELD_MANAGER, force=True, dry_run=True
                )
            except ClusterError as error:
                plan.problems.append(
                    Problem("", f"{change.reference} cannot be adopted: {error}", rule="adopt")
                )
                continue
            if fields := sorted(
                _differing(template, answer.object["spec"]["template"], "spec.template")
            ):
                plan.problems.append(
                    Problem(
                        "",
                        f"adopting {change.reference} would restart its pods, since these fields change: "
                        f"{', '.join(fields)}; set allow_restart: true to permit that",
                        rule="adopt-restart",
                    )
                )


def _differing(before: object, after: object, path: str) -> Iterable[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            yield from _differing(before.get(key), after.get(key), f"{path}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (left, right) in enumerate(zip(before, after, strict=True)):
            yield from _differing(left, right, f"{path}[{number}]")
    elif before != after:
        yield path
