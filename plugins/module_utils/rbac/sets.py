# SPDX-License-Identifier: GPL-3.0-or-later
"""The rights that somebody needs who installs, upgrades, checks and removes sets: from what is in them, in two groups, and no more.

What is used is asked for by a run itself; what is held only has to be held, since nobody may write a role, or bind one, that grants more
than its writer has. Neither `escalate` nor `bind` is ever among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..bundles.managers import ADMISSION, managers_of
from ..cluster.kinds import facts
from ..kube.apply_order import SLOW, SetStage, set_stage
from ..kube.applyset import GroupKind
from ..kube.crds import Definition, conversion_service, definitions
from ..kube.gvk import KSERVE_V1ALPHA1, KSERVE_V1BETA1
from ..kube.manifest import Json
from ..kube.reference import Reference
from .roles import LIST, WATCH, WRITE, Kind, Right, both, bound, granted, rules_of

_CRD = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_TRAINED_MODEL = "TrainedModel"
_INJECT = "cert-manager.io/inject-ca-from"


@dataclass(frozen=True, slots=True)
class SetRights:
    """name: of the roles. subject: whom they are bound to. namespace: of the sets' parents.

    upgrade: whether a CRD may lose a version, so that its objects are moved. checks: whether it is looked whether sets work.
    cluster_rights: whether rights beyond namespaces that are there already may be given.
    """

    name: str
    subject: Json
    namespace: str
    upgrade: bool = True
    checks: bool = True
    cluster_rights: bool = True


def set_privilege(manifests: Sequence[Json], wanted: SetRights) -> Json:
    """Return `manifests`, the roles and bindings, and `lost`, what does not work without rights that are not given.

    manifests: everything that the sets hold, each with its namespace.
    """
    defined = definitions(manifests)
    plurals = _plurals(manifests, defined)
    if wanted.cluster_rights:
        used = rules_of(_used(manifests, defined, wanted), plurals)
        roles = both(
            wanted.name,
            wanted.subject,
            "",
            [*used, *_accounts(manifests, wanted)],
            _held(manifests),
        )
        roles += _own(wanted)
        roles += _bound_elsewhere(manifests, wanted)
        return {"manifests": roles, "lost": []}
    roles = _own(wanted)
    for namespace in sorted({_namespace(each) for each in manifests} - {""}):
        within = [each for each in manifests if _namespace(each) == namespace]
        used = rules_of(_used_within(within), plurals)
        roles += both(wanted.name, wanted.subject, namespace, used, granted(within, "Role"))
    return {"manifests": roles, "lost": list(_lost(manifests))}


def _own(wanted: SetRights) -> list[Json]:
    """Return the rights on the parents of sets and on the Leases under which they are written."""
    needs: list[Right] = [
        (("v1", "ConfigMap"), "", WRITE),
        (("coordination.k8s.io/v1", "Lease"), "", WRITE),
    ]
    return both(f"{wanted.name}-sets", wanted.subject, wanted.namespace, rules_of(needs), [])


def _used(
    manifests: Sequence[Json], defined: dict[GroupKind, Definition], wanted: SetRights
) -> Iterator[Right]:
    """Yield what runs ask for in the whole cluster."""
    yield from _used_within(manifests)
    if any(each["kind"] == _TRAINED_MODEL for each in manifests):
        yield (KSERVE_V1ALPHA1, "ClusterServingRuntime"), "", LIST
    yield ("v1", "Namespace"), "", ("get",)
    for kind in defined.values():
        # Whether objects of it are there, before it goes or is changed.
        key = (kind.api_version(kind.storage), kind.kind.kind)
        yield key, "", ("list", "patch") if wanted.upgrade else ("list",)
        if wanted.checks and _is_guarded(kind, manifests):
            yield key, "", ("create",)
    if wanted.upgrade and defined:
        yield _CRD, "status", ("patch",)
    if wanted.checks:
        yield ("coordination.k8s.io/v1", "Lease"), "", ("get",)
        yield from _around_managers(manifests)
        if any(_INJECT in (each["metadata"].get("annotations") or {}) for each in manifests):
            yield ("cert-manager.io/v1", "Certificate"), "", ("get",)
            yield ("v1", "Secret"), "", ("get",)


def _around_managers(manifests: Sequence[Json]) -> Iterator[Right]:
    """Yield what is asked about managers of KServe whose kinds and webhooks may have come with another set."""
    managers = managers_of(manifests)
    webhooks = {hook.reference.kind for each in managers for hook in each.webhooks}
    for kind in sorted(webhooks):
        yield (ADMISSION, kind), "", ("get",)
    if webhooks:
        yield ("v1", "Secret"), "", ("get",)
    if managers:
        yield _CRD, "", ("get",)
    if any(each.per_node for each in managers):
        yield (KSERVE_V1ALPHA1, "LocalModelCache"), "", ("list",)


def _used_within(manifests: Sequence[Json]) -> Iterator[Right]:
    """Yield what is asked for where the members of sets are."""
    for each in manifests:
        waited = each["kind"] in SLOW or "webhooks" in each
        yield (each["apiVersion"], each["kind"]), "", (*WRITE, *(WATCH if waited else LIST))
    if any(each["kind"] == _TRAINED_MODEL for each in manifests):
        # Which service is to load them, and what its server takes.
        yield (KSERVE_V1BETA1, "InferenceService"), "", ("get",)
        yield (KSERVE_V1ALPHA1, "ServingRuntime"), "", LIST
    if any(set_stage(Reference.of(each)) is SetStage.WORKLOAD for each in manifests):
        yield ("v1", "Pod"), "", WATCH
    if any("webhooks" in each or conversion_service(each) for each in manifests):
        yield ("v1", "Service"), "", ("get",)
        yield ("discovery.k8s.io/v1", "EndpointSlice"), "", WATCH


def _is_guarded(kind: Definition, manifests: Iterable[Json]) -> bool:
    """Tell whether a webhook among the manifests is asked about a kind; checks try whether it answers."""
    rules = [
        rule
        for each in manifests
        for webhook in each.get("webhooks") or []
        for rule in webhook.get("rules") or []
    ]
    return any(
        {kind.kind.group, "*"} & set(rule.get("apiGroups") or [])
        and {kind.plural, "*"} & set(rule.get("resources") or [])
        for rule in rules
    )


def _accounts(manifests: Sequence[Json], wanted: SetRights) -> list[Json]:
    """Return the right to ask as the accounts of the sets what they may do."""
    names = {
        subject["name"]
        for each in manifests
        if each["kind"] in ("RoleBinding", "ClusterRoleBinding")
        for subject in each.get("subjects") or []
        if subject["kind"] == "ServiceAccount"
    }
    if not names or not wanted.checks:
        return []
    rule = {"apiGroups": [""], "resources": ["serviceaccounts"], "resourceNames": sorted(names)}
    return [{**rule, "verbs": ["impersonate"]}]


def _held(manifests: Sequence[Json]) -> list[Json]:
    rules = granted(manifests, "ClusterRole")
    return rules + [rule for rule in granted(manifests, "Role") if rule not in rules]


def _bound_elsewhere(manifests: Sequence[Json], wanted: SetRights) -> list[Json]:
    """Return bindings to roles that the sets bind and do not bring: who binds a role has to hold what it grants."""
    brought = {(each["kind"], _namespace(each), each["metadata"]["name"]) for each in manifests}
    found: dict[tuple[str, str, str], None] = {}
    for each in manifests:
        if each["kind"] in ("RoleBinding", "ClusterRoleBinding"):
            to = each["roleRef"]
            home = _namespace(each) if to["kind"] == "Role" else ""
            if (to["kind"], home, to["name"]) not in brought:
                found[(to["kind"], _namespace(each), to["name"])] = None
    return [
        bound(f"{wanted.name}-{name.replace(':', '-')}", namespace, kind, name, wanted.subject)
        for kind, namespace, name in found
    ]


def _lost(manifests: Sequence[Json]) -> Iterator[str]:
    """Yield what a run without rights of the whole cluster cannot do."""
    for each in manifests:
        if not _namespace(each):
            name = f"{each['kind']} {each['metadata']['name']}"
            yield f"{name} cannot be written: leave it out, and ask somebody to install it"
    yield "the run does not see what others keep in a namespace of the set"
    yield "whether accounts may do what their roles say is not checked"


def _plurals(manifests: Sequence[Json], defined: dict[GroupKind, Definition]) -> dict[Kind, str]:
    """Return how kinds are called as resources, where the sets' own CRDs say so."""
    found = {
        (kind.api_version(kind.storage), kind.kind.kind): kind.plural for kind in defined.values()
    }
    for each in manifests:
        kind = defined.get(GroupKind.of(Reference.of(each)))
        if kind is not None:
            found[(each["apiVersion"], each["kind"])] = kind.plural
    return found


def _namespace(manifest: Json) -> str:
    known = facts(manifest["apiVersion"], manifest["kind"])
    if known is not None and not known.namespaced:
        return ""
    return str(manifest["metadata"].get("namespace") or "")
