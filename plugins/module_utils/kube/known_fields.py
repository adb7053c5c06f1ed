# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields that objects of common kinds have, so that one of another name is found without an API server.

Source: k8s.io/api v0.36 (core, apps, batch, autoscaling, networking, policy, rbac, admissionregistration),
KServe pkg/apis/serving/v1alpha1/trained_model.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from . import gvk
from .manifest import Json
from .pod_schema import POD_SPEC
from .problem import Problem
from .schema import Anything, ListOf, Object, Schema
from .schema_check import check

_ANY = Anything()


def _of(names: str, **known: Schema) -> Object:
    """Return what has fields of these names. known: those of which the inner fields are known as well."""
    return Object(fields={**dict.fromkeys(names.split(), _ANY), **known})


_METADATA = _of(
    "annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers generateName generation labels managedFields"
    " name namespace ownerReferences resourceVersion selfLink uid"
)
_TEMPLATE = _of("", metadata=_METADATA, spec=POD_SPEC)
_SELECTOR = _of("matchExpressions matchLabels")
_ROLLING = _of("type", rollingUpdate=_of("maxSurge maxUnavailable partition"))
_WORKLOAD = "minReadySeconds replicas revisionHistoryLimit"
_JOB = _of(
    "activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy manualSelector maxFailedIndexes"
    " parallelism podFailurePolicy podReplacementPolicy selector successPolicy suspend ttlSecondsAfterFinished",
    template=_TEMPLATE,
)
_SERVICE = _of(
    "allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalName externalTrafficPolicy healthCheckNodePort"
    " internalTrafficPolicy ipFamilies ipFamilyPolicy loadBalancerClass loadBalancerIP loadBalancerSourceRanges publishNotReadyAddresses"
    " selector sessionAffinity sessionAffinityConfig trafficDistribution type",
    ports=ListOf(items=_of("appProtocol name nodePort port protocol targetPort")),
)
_RULES = ListOf(items=_of("apiGroups nonResourceURLs resourceNames resources verbs"))
_BINDING: Mapping[str, Schema] = {
    "roleRef": _of("apiGroup kind name"),
    "subjects": ListOf(items=_of("apiGroup kind name namespace")),
}
_WEBHOOKS: Mapping[str, Schema] = {
    "webhooks": ListOf(
        items=_of(
            "admissionReviewVersions failurePolicy matchConditions matchPolicy name namespaceSelector objectSelector"
            " reinvocationPolicy rules sideEffects timeoutSeconds",
            clientConfig=_of("caBundle url", service=_of("name namespace path port")),
        )
    )
}
_ROLE, _HOOK = "rbac.authorization.k8s.io/v1", "admissionregistration.k8s.io/v1"
#: By apiVersion and kind: what is beside metadata, and beside status where there is a spec.
_KNOWN: Mapping[tuple[str, str], Mapping[str, Schema]] = {
    ("v1", "ConfigMap"): _of("binaryData data immutable").fields,
    ("v1", "Namespace"): {"spec": _of("finalizers")},
    ("v1", "PersistentVolumeClaim"): {
        "spec": _of(
            "accessModes dataSource dataSourceRef resources storageClassName volumeAttributesClassName volumeMode volumeName",
            selector=_SELECTOR,
        )
    },
    ("v1", "Pod"): {"spec": POD_SPEC},
    ("v1", "Secret"): _of("data immutable stringData type").fields,
    ("v1", "Service"): {"spec": _SERVICE},
    ("v1", "ServiceAccount"): _of("automountServiceAccountToken imagePullSecrets secrets").fields,
    ("apps/v1", "DaemonSet"): {
        "spec": _of(
            "minReadySeconds revisionHistoryLimit",
            selector=_SELECTOR,
            template=_TEMPLATE,
            updateStrategy=_ROLLING,
        )
    },
    ("apps/v1", "Deployment"): {
        "spec": _of(
            f"{_WORKLOAD} paused progressDeadlineSeconds",
            selector=_SELECTOR,
            strategy=_ROLLING,
            template=_TEMPLATE,
        )
    },
    ("apps/v1", "StatefulSet"): {
        "spec": _of(
            f"{_WORKLOAD} ordinals persistentVolumeClaimRetentionPolicy podManagementPolicy serviceName volumeClaimTemplates",
            selector=_SELECTOR,
            template=_TEMPLATE,
            updateStrategy=_ROLLING,
        )
    },
    ("batch/v1", "CronJob"): {
        "spec": _of(
            "concurrencyPolicy failedJobsHistoryLimit schedule startingDeadlineSeconds successfulJobsHistoryLimit suspend timeZone",
            jobTemplate=_of("", metadata=_METADATA, spec=_JOB),
        )
    },
    ("batch/v1", "Job"): {"spec": _JOB},
    ("autoscaling/v2", "HorizontalPodAutoscaler"): {
        "spec": _of("behavior maxReplicas metrics minReplicas scaleTargetRef")
    },
    ("networking.k8s.io/v1", "NetworkPolicy"): {
        "spec": _of("egress ingress policyTypes", podSelector=_SELECTOR)
    },
    ("policy/v1", "PodDisruptionBudget"): {
        "spec": _of("maxUnavailable minAvailable unhealthyPodEvictionPolicy", selector=_SELECTOR)
    },
    (gvk.KSERVE_V1ALPHA1, "TrainedModel"): {
        "spec": _of("inferenceService", model=_of("framework memory storageUri"))
    },
    (_ROLE, "Role"): {"rules": _RULES},
    (_ROLE, "ClusterRole"): {"aggregationRule": _ANY, "rules": _RULES},
    **dict.fromkeys(((_ROLE, "RoleBinding"), (_ROLE, "ClusterRoleBinding")), _BINDING),
    **dict.fromkeys(
        ((_HOOK, "MutatingWebhookConfiguration"), (_HOOK, "ValidatingWebhookConfiguration")),
        _WEBHOOKS,
    ),
}


def unknown_fields(manifest: Json) -> Iterator[Problem]:
    """Yield fields that objects of this kind do not have, as the API server refuses them in server-side apply; nothing of kinds that are not known here."""
    fields = _KNOWN.get((str(manifest.get("apiVersion")), str(manifest.get("kind"))))
    if fields is None:
        return
    status = {"status": _ANY} if "spec" in fields else {}
    whole = {"apiVersion": _ANY, "kind": _ANY, "metadata": _METADATA, **status, **fields}
    for problem in check(Object(fields=whole), manifest, "").problems:
        if problem.rule == "unknown-field":
            yield problem
