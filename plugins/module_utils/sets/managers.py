# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of managers: each runs and leads, and its kinds and webhooks are there, whichever set or hand brought them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..bundles.managers import Manager, ServedKind, managers_of
from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError
from ..engine.applyset.checks import Check
from ..kube import gvk
from ..kube.crds import definition
from ..kube.manifest import Json, value_at
from ..kube.reference import Reference
from .release import SetRelease

_CACHES = (gvk.KSERVE_V1ALPHA1, "LocalModelCache")
#: What does not happen while a kind of webhooks is missing.
_WITHOUT = {
    "MutatingWebhookConfiguration": "objects are stored without its defaults",
    "ValidatingWebhookConfiguration": "what it would refuse is stored",
}


class Managers:
    """The managers of a set. around: their CRDs and webhook configurations that are not members. lacking: a check for each that is missing."""

    def __init__(
        self, cluster: Cluster, members: Sequence[Json], release: SetRelease, version: str
    ) -> None:
        self._cluster = cluster
        self._version = version
        self._workloads = {(each["kind"], each["metadata"]["name"]): each for each in members}
        self._there = {Reference.of(each): each for each in members}
        own = release.component.managers if release.component else ()
        self._managers = list(dict.fromkeys([*own, *managers_of(members)]))
        self.around: list[Json] = []
        self.lacking = [Check(*each) for each in self._look()]

    @property
    def leases(self) -> list[str]:
        """The Leases by which they choose a leader."""
        return [
            each.lease
            for each in self._managers
            if (live := self._workload(each)) is not None and each.chooses(live)
        ]

    @property
    def secrets(self) -> Mapping[Reference, str]:
        """The Secret with the certificate of each webhook configuration."""
        return {
            webhook.reference: each.secret
            for each in self._managers
            for webhook in each.webhooks_at(self._version)
        }

    def checks(self) -> Iterator[Check]:
        """Yield a check for each manager and for each of its kinds."""
        kinds: dict[Reference, tuple[ServedKind, str]] = {}
        for each in self._managers:
            live = self._workload(each)
            if live is None:
                yield Check(f"manager/{each.workload}", f"the set holds no such {each.kind}")
            elif each.lease and not each.chooses(live):
                yield Check(f"leader/{each.lease}", _alone(each, live))
            elif each.per_node:
                yield self._nodes(each, live)
            for kind in each.kinds_at(self._version):
                kinds.setdefault(kind.crd, (kind, each.workload))
        for crd, (kind, workload) in kinds.items():
            if crd in self._there:
                yield Check(f"version/{crd.name}", _version(self._there[crd], kind, workload))

    def _workload(self, manager: Manager) -> Json | None:
        return self._workloads.get((manager.kind, manager.workload))

    def _look(self) -> Iterator[tuple[str, str]]:
        """Look for what the managers depend on and the set does not hold; yield what is not there."""
        for each in self._managers:
            for kind in each.kinds_at(self._version):
                if wrong := self._missing(kind.crd):
                    yield f"crd/{kind.crd.name}", f"{wrong}; {each.workload} works with it"
            for webhook in each.webhooks_at(self._version):
                if wrong := self._missing(webhook.reference):
                    without = _WITHOUT[webhook.reference.kind]
                    yield f"webhook/{webhook.name}", f"{webhook.reference}: {wrong}: {without}"

    def _missing(self, reference: Reference) -> str:
        if reference in self._there:
            return ""
        try:
            live = self._cluster.get(reference)
        except ClusterError as error:
            return str(error)
        if live is None:
            return "it does not exist"
        self._there[reference] = live
        self.around.append(live)
        return ""

    def _nodes(self, manager: Manager, live: Json) -> Check:
        """Return whether a node takes the pods of an agent; without local models none has to."""
        name = f"nodes/{manager.workload}"
        if value_at(live, ("status", "desiredNumberScheduled")):
            return Check(name)
        try:
            caches = self._cluster.list(*_CACHES, metadata_only=True).items
        except ClusterError as error:
            return Check(name, str(error))
        selector = value_at(live, ("spec", "template", "spec", "nodeSelector")) or {}
        labels = ", ".join(f"{key}={value}" for key, value in selector.items())
        text = f"no node takes its pods, so no model is fetched for {len(caches)} LocalModelCaches; label nodes {labels}"
        return Check(name, text if caches else "")


def _alone(manager: Manager, live: Json) -> str:
    """Return what is wrong with a manager whose pods choose no leader."""
    replicas = value_at(live, ("spec", "replicas"))
    pods = 1 if replicas is None else int(replicas)
    if pods <= 1:
        return ""
    return f"{pods} pods work at the same time and choose no leader: start them with {manager.elects}, or let one run"


def _version(crd: Json, kind: ServedKind, workload: str) -> str:
    """Return how a CRD differs from what a manager works with."""
    found = definition(crd)
    if found is None:
        return "it defines no kind"
    missing = [each for each in kind.versions if each not in found.versions]
    if missing:
        return f"it does not serve {', '.join(missing)}, with which {workload} works; install the CRDs of the same release"
    if found.storage != kind.storage:
        return f"objects are kept in {found.storage}, and {workload} keeps them in {kind.storage}; install the CRDs of the same release"
    return ""
