# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the server keeps the kinds that we work with: known in advance, so that they cost no discovery request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from ..kube import gvk


@dataclass(frozen=True, slots=True)
class KindFacts:
    """One kind. `crd_hint`: how to install it; empty for kinds that each server has."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool = True
    crd_hint: str = ""

    @property
    def group(self) -> str:
        """The API group, empty for the core group."""
        return self.api_version.rpartition("/")[0]

    @property
    def resource(self) -> str:
        """The plural with its group, as RBAC and messages of the server have it: `deployments.apps`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Return the URL path of a collection, an object or a subresource."""
        root = f"/apis/{self.api_version}" if self.group else f"/api/{self.api_version}"
        parts = [root]
        if self.namespaced and namespace:
            parts += ["namespaces", quote(namespace, safe="")]
        parts.append(self.plural)
        if name:
            # RBAC names may hold ":"; a "/" or "%" is refused by the server, but must not change the path.
            parts.append(quote(name, safe=":"))
        if subresource:
            parts.append(subresource)
        return "/".join(parts)


_GATEWAY = "install the Gateway API CRDs (standard channel, v1.0 or newer)"
_POOL = "install the CRDs of the Gateway API Inference Extension (v1.0 or newer)"
_ISTIO = "install Istio's CRDs, or set `provider` to something other than istio"
_MONITORING = "install the CRDs of the Prometheus operator, or switch monitoring off in the service"
_KEDA = "install KEDA, or take the autoscaler out of the service"
_KSERVE = "install KServe's CRDs: playbook modelops.inference.install"
_MODEL_OPERATOR = "install the CRD of the model operator: playbook modelops.inference.install"
_LWS = "install LeaderWorkerSet: playbook modelops.inference.install"
_CERTIFICATES = "install cert-manager: playbook modelops.inference.install"
_KNATIVE = "install Knative Serving, or use the deployment mode Standard"

_KNOWN = (
    KindFacts("v1", "ConfigMap", "configmaps"),
    KindFacts("v1", "Event", "events"),
    KindFacts("v1", "LimitRange", "limitranges"),
    KindFacts("v1", "Namespace", "namespaces", namespaced=False),
    KindFacts("v1", "Node", "nodes", namespaced=False),
    KindFacts("v1", "PersistentVolume", "persistentvolumes", namespaced=False),
    KindFacts("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
    KindFacts("v1", "Pod", "pods"),
    KindFacts("v1", "ResourceQuota", "resourcequotas"),
    KindFacts("v1", "Secret", "secrets"),
    KindFacts("v1", "Service", "services"),
    KindFacts("v1", "ServiceAccount", "serviceaccounts"),
    KindFacts(gvk.APPS, "DaemonSet", "daemonsets"),
    KindFacts(gvk.APPS, "Deployment", "deployments"),
    KindFacts(gvk.APPS, "ReplicaSet", "replicasets"),
    KindFacts(gvk.APPS, "StatefulSet", "statefulsets"),
    KindFacts("batch/v1", "Job", "jobs"),
    KindFacts(gvk.AUTOSCALING, "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
    KindFacts("coordination.k8s.io/v1", "Lease", "leases"),
    KindFacts("discovery.k8s.io/v1", "EndpointSlice", "endpointslices"),
    KindFacts("resource.k8s.io/v1", "DeviceClass", "deviceclasses", namespaced=False),
    KindFacts("resource.k8s.io/v1", "ResourceClaim", "resourceclaims"),
    KindFacts("resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates"),
    KindFacts("resource.k8s.io/v1", "ResourceSlice", "resourceslices", namespaced=False),
    KindFacts("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", namespaced=False),
    KindFacts("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", namespaced=False),
    KindFacts("storage.k8s.io/v1", "CSIDriver", "csidrivers", namespaced=False),
    KindFacts("storage.k8s.io/v1", "StorageClass", "storageclasses", namespaced=False),
    KindFacts("networking.k8s.io/v1", "Ingress", "ingresses"),
    KindFacts("networking.k8s.io/v1", "IngressClass", "ingressclasses", namespaced=False),
    KindFacts("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
    KindFacts(gvk.RBAC, "ClusterRole", "clusterroles", namespaced=False),
    KindFacts(gvk.RBAC, "ClusterRoleBinding", "clusterrolebindings", namespaced=False),
    KindFacts(gvk.RBAC, "Role", "roles"),
    KindFacts(gvk.RBAC, "RoleBinding", "rolebindings"),
    KindFacts(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        namespaced=False,
    ),
    KindFacts(
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        namespaced=False,
    ),
    KindFacts(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        namespaced=False,
    ),
    KindFacts(
        "model.otterscale.io/v1alpha1", "ModelService", "modelservices", crd_hint=_MODEL_OPERATOR
    ),
    KindFacts(gvk.KSERVE_V1BETA1, "InferenceService", "inferenceservices", crd_hint=_KSERVE),
    KindFacts(gvk.KSERVE_V1ALPHA1, "InferenceGraph", "inferencegraphs", crd_hint=_KSERVE),
    KindFacts(gvk.KSERVE_V1ALPHA1, "ServingRuntime", "servingruntimes", crd_hint=_KSERVE),
    KindFacts(gvk.KSERVE_V1ALPHA1, "TrainedModel", "trainedmodels", crd_hint=_KSERVE),
    *(
        KindFacts(gvk.KSERVE_V1ALPHA1, kind, f"{kind.lower()}s", namespaced=False, crd_hint=_KSERVE)
        for kind in (
            "ClusterServingRuntime",
            "ClusterStorageContainer",
            "LocalModelCache",
            "LocalModelNodeGroup",
        )
    ),
    KindFacts(
        gvk.KSERVE_V1ALPHA1,
        "LocalModelNamespaceCache",
        "localmodelnamespacecaches",
        crd_hint=_KSERVE,
    ),
    *(
        KindFacts(f"serving.kserve.io/{version}", kind, f"{kind.lower()}s", crd_hint=_KSERVE)
        for version in ("v1alpha2", "v1alpha1")
        for kind in ("LLMInferenceService", "LLMInferenceServiceConfig")
    ),
    KindFacts(gvk.LEADER_WORKER_SET, "LeaderWorkerSet", "leaderworkersets", crd_hint=_LWS),
    KindFacts(
        gvk.GATEWAY,
        "GatewayClass",
        "gatewayclasses",
        namespaced=False,
        crd_hint=_GATEWAY,
    ),
    KindFacts(gvk.GATEWAY, "Gateway", "gateways", crd_hint=_GATEWAY),
    KindFacts(gvk.GATEWAY, "HTTPRoute", "httproutes", crd_hint=_GATEWAY),
    KindFacts(gvk.POOL, "InferencePool", "inferencepools", crd_hint=_POOL),
    KindFacts(
        gvk.OLD_POOL,
        "InferencePool",
        "inferencepools",
        crd_hint=_POOL,
    ),
    KindFacts(gvk.ISTIO, "DestinationRule", "destinationrules", crd_hint=_ISTIO),
    KindFacts(gvk.MONITORING, "PodMonitor", "podmonitors", crd_hint=_MONITORING),
    KindFacts(gvk.MONITORING, "ServiceMonitor", "servicemonitors", crd_hint=_MONITORING),
    KindFacts(gvk.KEDA, "ScaledObject", "scaledobjects", crd_hint=_KEDA),
    KindFacts(gvk.KEDA, "TriggerAuthentication", "triggerauthentications", crd_hint=_KEDA),
    KindFacts(
        gvk.KEDA,
        "ClusterTriggerAuthentication",
        "clustertriggerauthentications",
        namespaced=False,
        crd_hint=_KEDA,
    ),
    KindFacts(
        f"{gvk.GATEWAY_GROUP}/v1beta1", "ReferenceGrant", "referencegrants", crd_hint=_GATEWAY
    ),
)

_BY_NAME: Mapping[tuple[str, str], KindFacts] = {
    (facts.api_version, facts.kind): facts for facts in _KNOWN
}

#: What to install for kinds of a group that are not in the table.
_GROUP_HINTS: Mapping[str, str] = {
    "model.otterscale.io": _MODEL_OPERATOR,
    "serving.kserve.io": _KSERVE,
    gvk.GATEWAY_GROUP: _GATEWAY,
    gvk.POOL_GROUP: _POOL,
    gvk.OLD_POOL_GROUP: _POOL,
    "networking.istio.io": _ISTIO,
    "monitoring.coreos.com": _MONITORING,
    "keda.sh": _KEDA,
    "leaderworkerset.x-k8s.io": _LWS,
    "cert-manager.io": _CERTIFICATES,
    "serving.knative.dev": _KNATIVE,
}


def facts(api_version: str, kind: str) -> KindFacts | None:
    """Return what is known of a kind, or None: then the server has to be asked."""
    return _BY_NAME.get((api_version, kind))


def of_group(group: str, kind: str) -> KindFacts | None:
    """Return what is known of a kind in any version."""
    return next(
        (known for known in _KNOWN if (known.group, known.kind) == (group, kind)),
        None,
    )


def crd_hint(api_version: str, kind: str) -> str:
    """Return how to install a kind, empty where nothing is known."""
    known = facts(api_version, kind)
    return known.crd_hint if known else _GROUP_HINTS.get(api_version.rpartition("/")[0], "")
