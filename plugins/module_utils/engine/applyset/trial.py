# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the API server takes what a set wants, asked by dry runs before the first write.

A bundle holds any kind, and nothing but the server knows what each may be like. So half a bundle is not written because of an object
in the middle of it that is refused.
"""

from __future__ import annotations

from collections.abc import Container
from functools import partial

from ...cluster.connection import Cluster
from ...cluster.errors import Conflict, Forbidden, Invalid
from ...kube.crds import is_crd
from ...kube.dry_run_exempt import GRANTS, is_exempt
from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reference import Reference
from ..plan import Action, Change
from ..policy import SetPolicy
from ..write import trial_name
from .custom import needs_preparing
from .members import ApplySet
from .plan import SetPlan, coming_namespaces


def try_out(
    cluster: Cluster, plan: SetPlan, policy: SetPolicy, but: Container[Reference] = ()
) -> list[Problem]:
    """Return a problem for each object that the server would refuse for what it is, or for a field of somebody else.

    but: objects of which that is known, and which are not tried.
    Other refusals say nothing about the object: a right that is missing, a webhook or a kind that comes with the set.
    """
    # Whether somebody may grant what a role does only a trial shows, unless everything is allowed.
    grants = not cluster.allowed_everything()
    applyset, new_namespaces = plan.applyset, coming_namespaces(plan.changes)
    changes = [
        change
        for change in plan.changes
        if change.reference not in but and _is_tried(change, grants=grants)
    ]
    calls = [
        partial(
            cluster.apply,
            _trial(applyset, change, new_namespaces),
            manager=applyset.manager,
            force=policy.force_conflicts or change.action is Action.CREATE,
            dry_run=True,
        )
        for change in changes
    ]
    problems = []
    for change, answer in zip(changes, cluster.parallel(calls, Exception), strict=True):
        if isinstance(answer, Invalid):
            text = (
                f"{change.reference} would be refused: {answer.message}{_beside(change, applyset)}"
            )
            problems.append(Problem("", text, rule="refused"))
        elif isinstance(answer, Forbidden) and _tells_of_rights(change, new_namespaces):
            problems.append(Problem("", f"{change.reference}: {answer}", rule="rights"))
        elif isinstance(answer, Conflict) and answer.conflicts:
            problems.append(Problem("", _conflict(change.reference, answer), rule="conflict"))
    return problems


def _tells_of_rights(change: Change, new_namespaces: frozenset[str]) -> bool:
    """Tell whether a forbidden trial forbids the object: where its namespace is to come, it was tried in another one."""
    return change.reference.kind in GRANTS and change.reference.namespace not in new_namespaces


def _is_tried(change: Change, *, grants: bool) -> bool:
    """Tell whether a dry run says something.

    Nothing about a new object in which nothing can be wrong; and a CRD that drops a version or its converter is refused until that is
    prepared.
    """
    if change.desired is None:
        return False
    if change.action is Action.CREATE and not (grants and change.reference.kind in GRANTS):
        return not is_exempt(change.desired.manifest(create=True))
    if change.live is not None and is_crd(change.live):
        return not needs_preparing(change.desired.manifest(), change.live)
    return True


def _trial(applyset: ApplySet, change: Change, new_namespaces: frozenset[str]) -> Json:
    """Return what is sent; where the namespace is not there yet, under another name beside the parent."""
    if change.desired is None:
        raise ValueError(f"{change.reference}: nothing to try")
    manifest = change.desired.manifest(create=change.action is Action.CREATE)
    if change.reference.namespace in new_namespaces:
        metadata = manifest["metadata"]
        metadata["namespace"] = applyset.parent.namespace
        metadata["name"] = trial_name(metadata["name"])
    return manifest


def _beside(change: Change, applyset: ApplySet) -> str:
    """Return who else has put fields into an object: an apply leaves them there, and they may not go together with ours."""
    entries = ((change.live or {}).get("metadata") or {}).get("managedFields") or []
    others = dict.fromkeys(
        str(entry.get("manager"))
        for entry in entries
        if entry.get("manager") != applyset.manager and not entry.get("subresource")
    )
    if not others:
        return ""
    return f"; fields of {', '.join(others)} stay in it next to those of the set: remove them if they are the reason"


def _conflict(reference: Reference, error: Conflict) -> str:
    fields = "; ".join(f"{each.field} of {each.manager}" for each in error.conflicts)
    return f"{reference} has fields that others own: {fields}; set force_conflicts: true to take them, or take them out of the set"
