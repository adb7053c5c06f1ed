# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether we may write what is planned: asked before the first write, and never where nothing is to be written.

One question is enough for an administrator. Others are asked for their rules, once for each namespace, and for each verb and kind
of cluster-scoped objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden
from ..cluster.lease import lease_reference
from ..cluster.rules import Rules
from ..kube.problem import Problem
from ..kube.reference import Reference
from . import FIELD_MANAGER
from .desired import PLACEHOLDER_UID
from .plan import Action, Change
from .service_plan import ServicePlan

#: What each action needs; a server-side apply needs `create` too where the object is not there.
VERBS: Mapping[Action, tuple[str, ...]] = {
    Action.CREATE: ("create", "patch"),
    Action.UPDATE: ("patch",),
    Action.ADOPT: ("patch",),
    Action.RECREATE: ("create", "delete", "patch"),
    Action.DELETE: ("delete",),
    Action.REPLACE: ("delete",),
    Action.GIVE_BACK: ("patch",),
}
LEASE_VERBS = ("create", "delete", "get", "patch")
#: Kinds of which a writer has to hold every right that they grant.
ROLES = frozenset({"Role", "ClusterRole"})


@dataclass(frozen=True, slots=True)
class Need:
    """One right that a service's writes need. target: the object that is written. subresource: for example `status`."""

    service: Reference
    verb: str
    target: Reference
    subresource: str = ""


#: verb, apiVersion, kind, namespace, subresource
_Question = tuple[str, str, str, str, str]


def needs_of(changes: Iterable[Change], fleet: str, home: str = "") -> Iterator[Need]:
    """Yield what planned writes need, with the Lease under which they are done. home: where that of the whole cluster is."""
    services: dict[Reference, None] = {}
    for change in changes:
        services[change.service] = None
        for verb in VERBS[change.action]:
            yield Need(change.service, verb, change.reference)
    for service in services:
        for verb in LEASE_VERBS:
            yield Need(service, verb, lease_reference(fleet, service.namespace or home))


def missing_rights(
    cluster: Cluster, needs: Iterable[Need], plans: Sequence[ServicePlan] = ()
) -> dict[Reference, list[Problem]]:
    """Return the problems of each service that may not be written for. What the server does not tell is taken for allowed.

    plans: whose roles are tried out, since nobody may write a role that grants more than its writer holds.
    """
    wanted = list(dict.fromkeys(needs))
    if not wanted or cluster.allowed_everything():
        return {}
    denied = _denied(cluster, wanted)
    return _problems(cluster, denied) if denied else _unheld_grants(cluster, plans)


def _problems(cluster: Cluster, denied: Sequence[Need]) -> dict[Reference, list[Problem]]:
    grouped: dict[tuple[Reference, str, str], list[Need]] = {}
    for need in denied:
        facts = cluster.kind(need.target.api_version, need.target.kind)
        resource = f"{facts.resource}/{need.subresource}" if need.subresource else facts.resource
        key = (need.service, resource, need.target.namespace)
        grouped.setdefault(key, []).append(need)
    user = cluster.who_am_i() or "this user"
    problems: dict[Reference, list[Problem]] = {}
    for (service, resource, namespace), members in grouped.items():
        problems.setdefault(service, []).append(_problem(user, resource, namespace, members))
    return problems


def _problem(user: str, resource: str, namespace: str, members: Sequence[Need]) -> Problem:
    verbs = ", ".join(sorted({need.verb for need in members}))
    targets = list(dict.fromkeys(need.target for need in members))
    more = f" and {len(targets) - 1} more" if len(targets) > 1 else ""
    place = f"in namespace {namespace}" if namespace else "in the whole cluster"
    text = (
        f"{user} may not {verbs} {resource} {place}, which {targets[0]}{more} need{'' if more else 's'}; "
        f"grant that user {verbs} on {resource} {place}"
    )
    return Problem("", text, rule="rights")


def _denied(cluster: Cluster, needs: Sequence[Need]) -> list[Need]:
    rules = _rules(cluster, needs)
    open_needs: list[Need] = []
    denied: list[Need] = []
    for need in needs:
        known = rules.get(need.target.namespace)
        if known is not None and _covered(cluster, known, need):
            continue
        (denied if known is not None and known.complete else open_needs).append(need)
    answers = _ask(cluster, {_question(need) for need in open_needs})
    return denied + [need for need in open_needs if answers[_question(need)] is False]


def _rules(cluster: Cluster, needs: Sequence[Need]) -> dict[str, Rules]:
    namespaces = sorted({need.target.namespace for need in needs if need.target.namespace})
    answers = cluster.parallel([partial(cluster.rules, namespace) for namespace in namespaces])
    return dict(zip(namespaces, answers, strict=True))


def _covered(cluster: Cluster, rules: Rules, need: Need) -> bool:
    facts = cluster.kind(need.target.api_version, need.target.kind)
    resource = f"{facts.plural}/{need.subresource}" if need.subresource else facts.plural
    return rules.allow(need.verb, facts.group, resource, need.target.name)


def _question(need: Need) -> _Question:
    target = need.target
    return need.verb, target.api_version, target.kind, target.namespace, need.subresource


def _ask(cluster: Cluster, questions: set[_Question]) -> dict[_Question, bool | None]:
    asked = sorted(questions)
    answers = cluster.parallel([partial(cluster.allowed, *question) for question in asked])
    return dict(zip(asked, answers, strict=True))


def _unheld_grants(
    cluster: Cluster, plans: Sequence[ServicePlan]
) -> dict[Reference, list[Problem]]:
    """Return the problems of services whose roles grant what we do not hold ourselves, found by dry runs."""
    roles = [
        (plan, change.desired)
        for plan in plans
        for change in plan.changes
        if change.reference.kind in ROLES and change.desired is not None
    ]
    calls = [
        partial(
            cluster.apply,
            role.manifest(plan.owner_uid or PLACEHOLDER_UID),
            manager=FIELD_MANAGER,
            force=True,
            dry_run=True,
        )
        for plan, role in roles
    ]
    problems: dict[Reference, list[Problem]] = {}
    for (plan, dummy), answer in zip(roles, cluster.parallel(calls, Exception), strict=True):
        if isinstance(answer, Forbidden):
            problems.setdefault(plan.service, []).append(Problem("", str(answer), rule="rights"))
    return problems
