# SPDX-License-Identifier: GPL-3.0-or-later
"""How the API wants to be asked: paths, parameters and content types, one function for each thing that can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ..kube.reference import Reference
from .call import Account, Call
from .discovery import Discovery
from .errors import ClusterError
from .kinds import KindFacts

PAGE = "500"
_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
_METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
_PATCHES = {"merge": "application/merge-patch+json", "json": "application/json-patch+json"}
_LEASE = "coordination.k8s.io/v1"
_AUTHORIZATION = "authorization.k8s.io/v1"


class Calls:
    """Makes calls. `discovery` is asked for kinds that are not in the table; each method may raise KindMissing."""

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery

    def get(self, reference: Reference, *, metadata_only: bool) -> Call:
        """Read one object."""
        facts = self._facts(reference)
        return Call(
            verb="get",
            method="GET",
            path=_path(facts, reference),
            subject=f"read {reference}",
            facts=facts,
            reference=reference,
            accept=_METADATA if metadata_only else "application/json",
            account=_account(facts, "read"),
        )

    def list(
        self,
        api_version: str,
        kind: str,
        namespace: str,
        selector: str,
        fields: str,
        *,
        metadata_only: bool,
    ) -> Call:
        """Read the first page of a kind. selector: on labels. fields: a selector on fields."""
        selectors = {"labelSelector": selector, "fieldSelector": fields}
        facts = self._discovery.facts(api_version, kind)
        return Call(
            verb="list",
            method="GET",
            path=facts.path(namespace),
            subject=f"list {kind}s{_place(namespace)}",
            facts=facts,
            reference=Reference(api_version, kind, namespace, ""),
            query={"limit": PAGE} | {name: text for name, text in selectors.items() if text},
            accept=_METADATA_LIST if metadata_only else "application/json",
        )

    def watch(self, api_version: str, kind: str, namespace: str, selector: str) -> Call:
        """Watch a kind; the watch adds where and how long."""
        facts = self._discovery.facts(api_version, kind)
        return Call(
            verb="watch",
            method="GET",
            path=facts.path(namespace),
            subject=f"watch {kind}s{_place(namespace)}",
            facts=facts,
            reference=Reference(api_version, kind, namespace, ""),
            query={"labelSelector": selector} if selector else {},
        )

    def apply(
        self,
        manifest: Mapping[str, Any],
        *,
        manager: str,
        force: bool,
        dry_run: bool,
        subresource: str,
    ) -> Call:
        """Apply on the server's side; unknown and duplicate fields are errors."""
        reference = Reference.of(dict(manifest))
        facts = self._facts(reference)
        query = {"fieldManager": manager, "fieldValidation": "Strict"}
        if force:
            query["force"] = "true"
        return Call(
            verb="patch",
            method="PATCH",
            path=_path(facts, reference, subresource),
            subject=f"apply {_with(subresource, reference)}",
            facts=facts,
            reference=reference,
            query=query | _dry(dry_run),
            body=manifest,
            content_type="application/apply-patch+yaml",
            # One that is bound to a version would lose again each time, also against itself where its answer was lost.
            races="resourceVersion" not in manifest["metadata"],
            account=_account(facts, "read" if dry_run else "write"),
        )

    def patch(
        self,
        reference: Reference,
        body: Any,
        *,
        kind: Literal["merge", "json"],
        dry_run: bool,
        subresource: str,
    ) -> Call:
        """Patch one object."""
        facts = self._facts(reference)
        return Call(
            verb="patch",
            method="PATCH",
            path=_path(facts, reference, subresource),
            subject=f"patch {_with(subresource, reference)}",
            facts=facts,
            reference=reference,
            query={"fieldValidation": "Strict"} | _dry(dry_run),
            body=body,
            content_type=_PATCHES[kind],
            idempotent=dry_run or kind == "merge",
            account=_account(facts, "read" if dry_run else "write"),
        )

    def create(self, manifest: Mapping[str, Any], *, dry_run: bool) -> Call:
        """Create one object."""
        reference = Reference.of(dict(manifest))
        facts = self._facts(reference)
        return Call(
            verb="create",
            method="POST",
            path=facts.path(reference.namespace),
            subject=f"create {reference}",
            facts=facts,
            reference=reference,
            query={"fieldValidation": "Strict"} | _dry(dry_run),
            body=manifest,
            account=_account(facts, "read" if dry_run else "write"),
        )

    def delete(
        self,
        reference: Reference,
        *,
        uid: str,
        resource_version: str,
        propagation: str,
        dry_run: bool,
    ) -> Call:
        """Delete one object."""
        facts = self._facts(reference)
        body: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": propagation,
        }
        wanted = {"uid": uid, "resourceVersion": resource_version}
        preconditions = {name: value for name, value in wanted.items() if value}
        if preconditions:
            body["preconditions"] = preconditions
        if dry_run:
            body["dryRun"] = ["All"]
        return Call(
            verb="delete",
            method="DELETE",
            path=_path(facts, reference),
            subject=f"delete {reference}",
            facts=facts,
            reference=reference,
            query=_dry(dry_run),
            body=body,
            account=_account(facts, "read" if dry_run else "write"),
        )

    def log(self, pod: Reference, container: str, *, lines: int, previous: bool) -> Call:
        """Read the last lines that a container printed. previous: before it was started the last time."""
        facts = self._facts(pod)
        query = {"container": container, "tailLines": str(lines)}
        return Call(
            verb="get",
            method="GET",
            path=_path(facts, pod, "log"),
            subject=f"read the log of {pod}",
            facts=facts,
            reference=pod,
            query=query | ({"previous": "true"} if previous else {}),
            accept="*/*",
        )

    def who_am_i(self) -> Call:
        """Ask whom the server takes us for."""
        return _review("authentication.k8s.io/v1", "SelfSubjectReview", "ask who we are", {})

    def may_i(
        self, verb: str, api_version: str, kind: str, namespace: str, subresource: str
    ) -> Call:
        """Ask whether we may do something."""
        facts = self._discovery.facts(api_version, kind)
        attributes = {"verb": verb, "group": facts.group, "resource": facts.plural}
        if namespace:
            attributes["namespace"] = namespace
        if subresource:
            attributes["subresource"] = subresource
        return _review(
            _AUTHORIZATION,
            "SelfSubjectAccessReview",
            f"ask whether we may {verb} {facts.resource}",
            {"resourceAttributes": attributes},
        )

    def may_i_do_everything(self) -> Call:
        """Ask whether we may do everything everywhere."""
        everything = dict.fromkeys(("verb", "group", "version", "resource"), "*")
        return _review(
            _AUTHORIZATION,
            "SelfSubjectAccessReview",
            "ask whether we may do everything",
            {"resourceAttributes": everything},
        )

    def what_may_i(self, namespace: str) -> Call:
        """Ask what we may do in a namespace."""
        return _review(
            _AUTHORIZATION,
            "SelfSubjectRulesReview",
            f"ask what we may do in namespace {namespace}",
            {"namespace": namespace},
        )

    def _facts(self, reference: Reference) -> KindFacts:
        return self._discovery.facts(reference.api_version, reference.kind)


def _review(api_version: str, kind: str, subject: str, spec: Mapping[str, Any]) -> Call:
    return Call(
        verb="create",
        method="POST",
        path=f"/apis/{api_version}/{kind.lower()}s",
        subject=subject,
        body={"apiVersion": api_version, "kind": kind, "spec": spec},
    )


def _path(facts: KindFacts, reference: Reference, subresource: str = "") -> str:
    if not reference.name:
        raise ClusterError(f"{reference.kind}: an object without a name cannot be addressed")
    if facts.namespaced and not reference.namespace:
        raise ClusterError(f"{reference}: a namespace is needed")
    return facts.path(reference.namespace, reference.name, subresource)


def _account(facts: KindFacts, usual: Account) -> Account:
    return "lease" if (facts.api_version, facts.kind) == (_LEASE, "Lease") else usual


def _dry(dry_run: bool) -> dict[str, str]:
    return {"dryRun": "All"} if dry_run else {}


def _place(namespace: str) -> str:
    return f" in namespace {namespace}" if namespace else " in all namespaces"


def _with(subresource: str, reference: Reference) -> str:
    return f"the {subresource} of {reference}" if subresource else str(reference)
