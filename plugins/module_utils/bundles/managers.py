# SPDX-License-Identifier: GPL-3.0-or-later
"""The managers of KServe and of LeaderWorkerSet: how each chooses a leader, which kinds it works with, and which webhooks it answers.

Source: KServe cmd/manager/main.go, cmd/llmisvc/main.go, cmd/localmodel/main.go, cmd/localmodelnode/main.go@v0.17.0,
config/webhook, config/crd@v0.17.0; sigs.k8s.io/lws v0.7.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..kube import crds
from ..kube.crds import is_older
from ..kube.manifest import Json, value_at
from ..kube.reference import Reference

_GROUP = "serving.kserve.io"
ADMISSION = "admissionregistration.k8s.io/v1"
#: With this argument a manager of KServe takes part in the choice of a leader; without it, each pod works.
ELECTS = "--leader-elect"


@dataclass(frozen=True, slots=True)
class ServedKind:
    """A kind that a manager works with. versions: those that have to be served. storage: the one that objects are kept in.

    since: the first release that knows the kind, empty for every release.
    """

    plural: str
    versions: tuple[str, ...]
    storage: str
    since: str = ""

    @property
    def crd(self) -> Reference:
        """The CRD that defines it."""
        return Reference(crds.API_VERSION, crds.KIND, "", f"{self.plural}.{_GROUP}")


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook configuration that leads to a manager. since: the first release that has it, empty for every release."""

    kind: str
    name: str
    since: str = ""

    @property
    def reference(self) -> Reference:
        """The object that registers it."""
        return Reference(ADMISSION, f"{self.kind}WebhookConfiguration", "", self.name)


@dataclass(frozen=True, slots=True)
class Manager:
    """One workload that reconciles.

    workload: the name of its Deployment or DaemonSet. lease: by which its pods choose the one that works, empty where each works for
    itself. elects: the argument without which it chooses none, empty where it always does. secret: the certificate of its webhooks.
    per_node: whether a pod works on each node that takes it.
    """

    workload: str
    lease: str = ""
    elects: str = ""
    secret: str = ""
    per_node: bool = False
    kinds: tuple[ServedKind, ...] = ()
    webhooks: tuple[Webhook, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of its workload."""
        return "DaemonSet" if self.per_node else "Deployment"

    def kinds_at(self, version: str) -> Iterator[ServedKind]:
        """Yield the kinds that a release of it works with. version: empty where it is not known."""
        return (each for each in self.kinds if _has(each.since, version))

    def webhooks_at(self, version: str) -> Iterator[Webhook]:
        """Yield the webhook configurations of a release of it."""
        return (each for each in self.webhooks if _has(each.since, version))

    def chooses(self, live: Json) -> bool:
        """Tell whether the pods of its workload choose a leader."""
        if not self.lease:
            return False
        containers = value_at(live, ("spec", "template", "spec", "containers")) or []
        given = [str(text) for each in containers for text in each.get("args") or []]
        return not self.elects or bool({self.elects, f"{self.elects}=true"} & set(given))


def _has(since: str, version: str) -> bool:
    """Tell whether a release has what came with another. Of a release that is not known, only what all have is known."""
    return not since or (bool(version) and not is_older(version, since))


def _alpha(*plurals: str) -> tuple[ServedKind, ...]:
    return tuple(ServedKind(each, ("v1alpha1",), "v1alpha1") for each in plurals)


_BOTH = ("v1alpha1", "v1alpha2")

CONTROLLER_MANAGER = Manager(
    "kserve-controller-manager",
    "kserve-controller-manager-leader-lock",
    ELECTS,
    "kserve-webhook-server-cert",
    kinds=(
        ServedKind("inferenceservices", ("v1beta1",), "v1beta1"),
        *_alpha(
            "servingruntimes",
            "clusterservingruntimes",
            "inferencegraphs",
            "trainedmodels",
            "clusterstoragecontainers",
        ),
    ),
    webhooks=(
        Webhook("Mutating", f"inferenceservice.{_GROUP}"),
        *(
            Webhook("Validating", f"{name}.{_GROUP}")
            for name in (
                "inferenceservice",
                "trainedmodel",
                "inferencegraph",
                "clusterservingruntime",
                "servingruntime",
            )
        ),
    ),
)
LLMISVC_MANAGER = Manager(
    "llmisvc-controller-manager",
    "llminferenceservice-kserve-controller-manager",
    ELECTS,
    "llmisvc-webhook-server-cert",
    kinds=(
        ServedKind("llminferenceservices", _BOTH, "v1alpha2"),
        ServedKind("llminferenceserviceconfigs", _BOTH, "v1alpha2"),
    ),
    webhooks=(
        Webhook("Validating", f"llminferenceservice.{_GROUP}"),
        Webhook("Validating", f"llminferenceserviceconfig.{_GROUP}"),
        Webhook("Mutating", f"llminferenceservice.{_GROUP}", since="v0.19.0"),
    ),
)
LOCALMODEL_MANAGER = Manager(
    "kserve-localmodel-controller-manager",
    "kserve-local-model-manager-leader-lock",
    ELECTS,
    "localmodel-webhook-server-cert",
    kinds=(
        *_alpha("localmodelcaches", "localmodelnodegroups", "localmodelnodes"),
        ServedKind("localmodelnamespacecaches", ("v1alpha1",), "v1alpha1", since="v0.18.0"),
    ),
    webhooks=(Webhook("Validating", f"localmodelcache.{_GROUP}"),),
)
NODE_AGENT = Manager(
    "kserve-localmodelnode-agent",
    per_node=True,
    kinds=_alpha("localmodelnodes", "localmodelnodegroups", "clusterstoragecontainers"),
)
LWS_MANAGER = Manager("lws-controller-manager", "b8b2488c.x-k8s.io")

_BY_WORKLOAD = {
    each.workload: each
    for each in (CONTROLLER_MANAGER, LLMISVC_MANAGER, LOCALMODEL_MANAGER, NODE_AGENT)
}


def managers_of(manifests: Iterable[Json]) -> list[Manager]:
    """Return the managers of KServe whose workloads are among objects."""
    found = (_BY_WORKLOAD.get(each["metadata"]["name"]) for each in manifests if _works(each))
    return list(dict.fromkeys(each for each in found if each is not None))


def _works(manifest: Json) -> bool:
    return manifest["kind"] in ("Deployment", "DaemonSet")
