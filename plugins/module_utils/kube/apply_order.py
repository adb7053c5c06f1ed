# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which the objects of a set are applied: what others depend on comes first; they are removed the other way round."""

from __future__ import annotations

from enum import IntEnum

from . import gvk
from .reference import Reference


class SetStage(IntEnum):
    """One step of an installation.

    A webhook comes after the workload that answers it, or it refuses what it is asked about; custom resources come after the webhooks
    that complete them. CONVERSION: CRDs whose objects are to be converted by a workload of this very set, see `engine/applyset/examine`.
    """

    CRD = 0
    NAMESPACE = 1
    ACCESS = 2
    CONFIG = 3
    SERVICE = 4
    CERTIFICATE = 5
    WORKLOAD = 6
    CONVERSION = 7
    WEBHOOK = 8
    CUSTOM = 9


#: Groups whose kinds the API server has by itself; those of all others come with CRDs or with aggregated servers.
_BUILT_IN_GROUPS = frozenset(
    {
        "",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "apps",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "extensions",
        "flowcontrol.apiserver.k8s.io",
        "internal.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        gvk.RBAC_GROUP,
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
        "storagemigration.k8s.io",
    }
)

_BY_KIND = {
    ("apiextensions.k8s.io", "CustomResourceDefinition"): SetStage.CRD,
    ("", "Namespace"): SetStage.NAMESPACE,
    ("", "ServiceAccount"): SetStage.ACCESS,
    (gvk.RBAC_GROUP, "Role"): SetStage.ACCESS,
    (gvk.RBAC_GROUP, "ClusterRole"): SetStage.ACCESS,
    ("", "Service"): SetStage.SERVICE,
    ("cert-manager.io", "Issuer"): SetStage.CERTIFICATE,
    ("cert-manager.io", "ClusterIssuer"): SetStage.CERTIFICATE,
    ("cert-manager.io", "Certificate"): SetStage.CERTIFICATE,
    ("", "Pod"): SetStage.WORKLOAD,
    ("apps", "Deployment"): SetStage.WORKLOAD,
    ("apps", "DaemonSet"): SetStage.WORKLOAD,
    ("apps", "StatefulSet"): SetStage.WORKLOAD,
    ("batch", "Job"): SetStage.WORKLOAD,
    ("batch", "CronJob"): SetStage.WORKLOAD,
    ("autoscaling", "HorizontalPodAutoscaler"): SetStage.WORKLOAD,
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): SetStage.WEBHOOK,
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): SetStage.WEBHOOK,
    ("apiregistration.k8s.io", "APIService"): SetStage.WEBHOOK,
}
#: Kinds of which an object needs a moment, or more, until it works; so do webhooks.
SLOW = frozenset(
    {
        "APIService",
        "Certificate",
        "ClusterIssuer",
        "CustomResourceDefinition",
        "DaemonSet",
        "Deployment",
        "Issuer",
        "Job",
        "StatefulSet",
    }
)


def is_built_in(group: str) -> bool:
    """Tell whether the API server has a group's kinds by itself."""
    return group in _BUILT_IN_GROUPS


def set_stage(reference: Reference) -> SetStage:
    """Return when an object is applied. Bindings come with the configuration, after the roles that they bind."""
    known = _BY_KIND.get((reference.group, reference.kind))
    if known is not None:
        return known
    return SetStage.CONFIG if is_built_in(reference.group) else SetStage.CUSTOM
