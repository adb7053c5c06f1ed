# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an installed set really works: each statement is a check with a name, and none of them writes anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from ...cluster.connection import Cluster
from ...cluster.errors import ApiError, ClusterError
from ...kube.apply_order import SetStage, set_stage
from ...kube.crds import Definition, conversion_service, definition, is_crd, stored_versions
from ...kube.manifest import Json, value_at
from ...kube.reference import Reference
from .access import Access
from .authority import INJECT, held_texts, served_secret
from .not_ready import is_not_ready
from .readiness import is_served, lacks
from .served_certificate import certificate_fault, same_authority

_PROBE = "modelops-probe"
#: How often a Lease is looked at while it has to be renewed, in seconds.
LEASE_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Check:
    """One statement. name: what is looked at, for example `webhook/x`. message: what is wrong, empty where it holds."""

    name: str
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether it holds."""
        return not self.message


class Checks:
    """Looks at the members of a set.

    namespace: in which probes are tried, as dry runs. access: asks what accounts may do. secrets: the Secret of the certificate with
    which a webhook configuration is answered, where no annotation of cert-manager says it.
    """

    def __init__(
        self,
        cluster: Cluster,
        members: Iterable[Json],
        namespace: str,
        access: Access,
        secrets: Mapping[Reference, str],
    ) -> None:
        self._cluster = cluster
        self._members = list(members)
        self._namespace = namespace
        self._access = access
        self._secrets = secrets
        self._kinds = [
            kind for each in self._members if is_crd(each) and (kind := definition(each))
        ]

    def run(self, leases: Sequence[str]) -> list[Check]:
        """Return every check. leases: by which the managers of the set choose their leader."""
        found: list[Check] = []
        for live in self._members:
            found += self._of_member(live)
        found += [self._try(f"leader/{name}", partial(self._leader, name)) for name in leases]
        found += [
            self._try(f"access/{account}", partial(self._access.lacks, account))
            for account in self._access.accounts
        ]
        return found

    def _of_member(self, live: Json) -> Iterator[Check]:
        reference = Reference.of(live)
        stage = set_stage(reference)
        if stage in (SetStage.WORKLOAD, SetStage.CERTIFICATE, SetStage.NAMESPACE):
            yield Check(f"{live['kind'].lower()}/{reference.name}", lacks(live))
        if is_crd(live):
            yield Check(f"crd/{reference.name}", lacks(live) or _unmoved(live))
            if conversion_service(live):
                yield self._try(f"conversion/{reference.name}", lambda: self._converts(live))
        if "webhooks" in live:
            yield self._try(f"webhook/{reference.name}", lambda: self._answers(live))
        if list(_clients(live)) and (self._is_injected(live) or reference in self._secrets):
            yield self._try(f"authority/{reference.name}", lambda: self._authority(live))

    def _is_injected(self, live: Json) -> bool:
        return INJECT in (live["metadata"].get("annotations") or {})

    def _try(self, name: str, look: Callable[[], str]) -> Check:
        try:
            return Check(name, look())
        except ClusterError as error:
            return Check(name, str(error))

    def _leader(self, name: str) -> str:
        """Return what is wrong with the Lease of a leader: it has to be held, and renewed while we look."""
        places = {each["metadata"].get("namespace") for each in self._members} - {None}
        for namespace in sorted(map(str, places)):
            reference = Reference("coordination.k8s.io/v1", "Lease", namespace, name)
            live = self._cluster.get(reference)
            if live is not None:
                return self._renewed(reference, live)
        return "no manager holds it: there is no such Lease"

    def _renewed(self, reference: Reference, first: Json) -> str:
        holder = value_at(first, ("spec", "holderIdentity"))
        if not holder:
            return "nobody holds it"
        timing = self._cluster.requests.timing
        end = timing.monotonic() + float(value_at(first, ("spec", "leaseDurationSeconds")) or 15)
        while timing.monotonic() < end:
            live = self._cluster.get(reference)
            if live and value_at(live, ("spec", "renewTime")) != value_at(
                first, ("spec", "renewTime")
            ):
                return ""
            self._cluster.requests.pause(LEASE_PAUSE_S)
        return f"{holder} holds it and does not renew it"

    def _answers(self, live: Json) -> str:
        """Return what is wrong with the webhooks of a configuration: each Service has an endpoint, and a call gets through."""
        for webhook in live["webhooks"] or []:
            service = webhook["clientConfig"].get("service")
            if service and (wrong := self._unserved(service)):
                return f"{webhook['name']}: {wrong}"
            for rule in webhook.get("rules") or []:
                for kind in self._kinds:
                    if _is_asked(rule, kind) and (wrong := self._probe(rule, kind)):
                        return f"{webhook['name']}: {wrong}"
        return ""

    def _unserved(self, service: Json) -> str:
        reference = Reference("v1", "Service", service["namespace"], service["name"])
        if is_served(self._cluster, reference):
            return ""
        return f"{reference} does not exist, or has no ready endpoint"

    def _probe(self, rule: Json, kind: Definition) -> str:
        """Try to create an object that is not stored; a refusal that the webhook, or the schema, gives is an answer."""
        version = next((v for v in kind.versions if v in rule["apiVersions"]), kind.storage)
        place = {"namespace": self._namespace} if kind.namespaced else {}
        probe = {
            "apiVersion": kind.api_version(version),
            "kind": kind.kind.kind,
            "metadata": {"name": _PROBE, **place},
            "spec": {},
        }
        try:
            self._cluster.create(probe, dry_run=True)
        except ApiError as error:
            return str(error) if is_not_ready(error) else ""
        return ""

    def _converts(self, crd: Json) -> str:
        """Return what is wrong with the conversion of a CRD: its objects have to be readable in each version."""
        kind = definition(crd)
        for version in kind.versions if kind else ():
            api_version = kind.api_version(version) if kind else ""
            self._cluster.list(api_version, crd["spec"]["names"]["kind"], metadata_only=True)
        return ""

    def _authority(self, live: Json) -> str:
        """Return what is wrong with the authority of webhooks: it has to be that of the certificate which is served, and that has to be valid."""
        secret = self._secret(live)
        texts = held_texts(self._cluster, secret)
        for entry, client in _clients(live):
            bundle = str(client.get("caBundle") or "")
            if not bundle:
                return f"{entry}: no caBundle was injected; does cert-manager's cainjector run?"
            if not same_authority(bundle, texts):
                return f"{entry}: caBundle is not the authority in {secret}; restart cert-manager's cainjector"
            if wrong := certificate_fault(bundle, texts, [_called(client)], datetime.now(UTC)):
                return f"{entry}: {secret}: {wrong}"
        return ""

    def _secret(self, live: Json) -> Reference:
        if self._is_injected(live):
            return served_secret(self._cluster, live)
        namespace = next(client["service"]["namespace"] for dummy, client in _clients(live))
        return Reference("v1", "Secret", namespace, self._secrets[Reference.of(live)])


def _clients(live: Json) -> Iterator[tuple[str, Json]]:
    """Yield how a Service is asked, and by which entry."""
    if is_crd(live):
        if conversion_service(live):
            yield "conversion", live["spec"]["conversion"]["webhook"]["clientConfig"]
        return
    for each in live.get("webhooks") or []:
        if each["clientConfig"].get("service"):
            yield each["name"], each["clientConfig"]


def _called(client: Json) -> str:
    """Return the name under which the API server calls a Service."""
    return f"{client['service']['name']}.{client['service']['namespace']}.svc"


def _is_asked(rule: Json, kind: Definition) -> bool:
    def among(values: Sequence[str], wanted: str) -> bool:
        return wanted in values or "*" in values

    return (
        among(rule.get("operations") or [], "CREATE")
        and among(rule.get("apiGroups") or [], kind.kind.group)
        and among(rule.get("resources") or [], kind.plural)
    )


def _unmoved(crd: Json) -> str:
    kind = definition(crd)
    stored = stored_versions(crd)
    if kind is None or set(stored) <= {kind.storage}:
        return ""
    return f"objects may still be kept in {', '.join(stored)}, and {kind.storage} is stored: they were not written since"
