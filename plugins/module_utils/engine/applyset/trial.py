# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the API server takes what a set wants, asked by dry runs before the first write.

A bundle holds any kind, and nothing but the server knows what each may be like. So half a bundle is not written because of an object
in the middle of it that is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...cluster.connection import Cluster
from ...cluster.errors import Conflict, Forbidden, Invalid
from ...kube.crds import is_crd
from ...kube.dry_run_exempt import GRANTS, is_exempt
from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reference import Reference
from ..plan import Action
from .custom import needs_preparing
from .members import ApplySet
from .plan import SetPlan, Step
from .policy import SetPolicy

#: Characters of a name that the one of a trial keeps: no kind allows fewer than 63.
TRIAL_NAME = 57


def try_out(
    cluster: Cluster,
    applyset: ApplySet,
    plan: SetPlan,
    policy: SetPolicy,
    new_namespaces: frozenset[str],
) -> list[Problem]:
    """Return a problem for each object that the server would refuse for what it is, or for a field of somebody else.

    Other refusals say nothing about the object: a right that is missing, a webhook or a kind that comes with the set.
    """
    # Whether somebody may grant what a role does is told by a trial alone, unless everything is allowed.
    grants = not cluster.allowed_everything()
    steps = [step for step in plan.steps if _is_tried(step, grants=grants)]
    calls = [
        partial(
            cluster.apply,
            _trial(applyset, step, new_namespaces),
            manager=applyset.manager,
            force=policy.force_conflicts or step.action is Action.CREATE,
            dry_run=True,
        )
        for step in steps
    ]
    problems = []
    for step, answer in zip(steps, cluster.parallel(calls), strict=True):
        if isinstance(answer, Invalid):
            text = f"{step.reference} would be refused: {answer.message}{_beside(step, applyset)}"
            problems.append(Problem("", text, rule="refused"))
        elif isinstance(answer, Forbidden) and _tells_of_rights(step, new_namespaces):
            problems.append(Problem("", f"{step.reference}: {answer}", rule="rights"))
        elif isinstance(answer, Conflict) and answer.conflicts:
            problems.append(Problem("", _conflict(step.reference, answer), rule="conflict"))
    return problems


def _tells_of_rights(step: Step, new_namespaces: frozenset[str]) -> bool:
    """Tell whether a forbidden trial forbids the object: where its namespace is to come, it was tried in another one."""
    return step.reference.kind in GRANTS and step.reference.namespace not in new_namespaces


def _is_tried(step: Step, *, grants: bool) -> bool:
    """Tell whether a dry run says something.

    Nothing about a new object in which nothing can be wrong; and a CRD that drops a version or its converter is refused until that is
    prepared.
    """
    if step.member is None:
        return False
    if step.action is Action.CREATE and not (grants and step.reference.kind in GRANTS):
        return not is_exempt(step.member.desired.manifest("", create=True))
    if step.live is not None and is_crd(step.live):
        return not needs_preparing(step.member.desired.manifest(""), step.live)
    return True


def _trial(applyset: ApplySet, step: Step, new_namespaces: frozenset[str]) -> Json:
    """Return what is sent; where the namespace is not there yet, under another name beside the parent."""
    if step.member is None:
        raise ValueError(f"{step.reference}: nothing to try")
    manifest = step.member.desired.manifest("", create=step.action is Action.CREATE)
    if step.reference.namespace in new_namespaces:
        metadata = manifest["metadata"]
        metadata["namespace"] = applyset.parent.namespace
        metadata["name"] = f"{metadata['name'][:TRIAL_NAME].rstrip('-.')}-trial"
    return manifest


def _beside(step: Step, applyset: ApplySet) -> str:
    """Return who else has put fields into an object: an apply leaves them there, and they may not go together with ours."""
    entries = ((step.live or {}).get("metadata") or {}).get("managedFields") or []
    others = dict.fromkeys(
        str(entry.get("manager"))
        for entry in entries
        if entry.get("manager") != applyset.manager and not entry.get("subresource")
    )
    if not others:
        return ""
    return f"; fields of {', '.join(others)} stay in it beside those of the set: take them away where that is the reason"


def _conflict(reference: Reference, error: Conflict) -> str:
    fields = "; ".join(f"{each.field} of {each.manager}" for each in error.conflicts)
    return f"{reference} has fields that others own: {fields}; set force_conflicts: true to take them, or take them out of the set"


def namespaces_to_come(steps: Sequence[Step]) -> frozenset[str]:
    """Return the namespaces that a plan would create."""
    return frozenset(
        step.reference.name
        for step in steps
        if step.reference.kind == "Namespace" and step.action is Action.CREATE
    )
