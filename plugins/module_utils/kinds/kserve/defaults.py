# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of KServe where a cluster has none: what its manifests hold, with routes by Gateway API and no Knative.

Source: KServe pkg/apis/serving/v1beta1/configmap.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...kube.manifest import Json

_SMALL = {"cpuRequest": "100m", "cpuLimit": "1", "memoryRequest": "100Mi", "memoryLimit": "1Gi"}

DEFAULTS: Mapping[str, Json] = {
    "ingress": {
        "enableGatewayApi": True,
        "kserveIngressGateway": "kserve/kserve-ingress-gateway",
        "ingressGateway": "knative-serving/knative-ingress-gateway",
        "localGateway": "knative-serving/knative-local-gateway",
        "localGatewayService": "knative-local-gateway.istio-system.svc.cluster.local",
        "ingressDomain": "example.com",
        "ingressClassName": "istio",
        "urlScheme": "http",
    },
    "localModel": {
        "jobNamespace": "kserve-localmodel-jobs",
        "fsGroup": 1000,
        "jobTTLSecondsAfterFinished": 3600,
    },
    "deploy": {"defaultDeploymentMode": "Standard"},
    "storageInitializer": {
        "image": "kserve/storage-initializer:latest",
        **_SMALL,
        "enableModelcar": True,
        "cpuModelcar": "10m",
        "memoryModelcar": "15Mi",
        "uidModelcar": 1010,
        "caBundleVolumeMountPath": "/etc/ssl/custom-certs",
    },
    "credentials": {
        "storageSpecSecretName": "storage-config",
        "storageSecretNameAnnotation": "serving.kserve.io/storageSecretName",
        "gcs": {"gcsCredentialFileName": "gcloud-application-credentials.json"},
        "s3": {
            "s3AccessKeyIDName": "AWS_ACCESS_KEY_ID",
            "s3SecretAccessKeyName": "AWS_SECRET_ACCESS_KEY",
        },
    },
    "logger": {"image": "kserve/agent:latest", **_SMALL, "defaultUrl": "http://default-broker"},
    "batcher": {
        "image": "kserve/agent:latest",
        "cpuRequest": "1",
        "cpuLimit": "1",
        "memoryRequest": "1Gi",
        "memoryLimit": "1Gi",
        "maxBatchSize": "32",
        "maxLatency": "5000",
    },
    "agent": {"image": "kserve/agent:latest", **_SMALL},
    "metricsAggregator": {"enableMetricAggregation": "false", "enablePrometheusScraping": "false"},
    "router": {"image": "kserve/router:latest", **_SMALL, "imagePullPolicy": "IfNotPresent"},
    "explainers": {"art": {"image": "kserve/art-explainer", "defaultImageVersion": "latest"}},
    "inferenceService": {
        "resource": {
            "cpuLimit": "1",
            "memoryLimit": "2Gi",
            "cpuRequest": "1",
            "memoryRequest": "2Gi",
        }
    },
    "security": {"autoMountServiceAccountToken": True},
    "autoscaler": {
        "scaleUpStabilizationWindowSeconds": "0",
        "scaleDownStabilizationWindowSeconds": "300",
    },
    "opentelemetryCollector": {
        "scrapeInterval": "5s",
        "metricReceiverEndpoint": "keda-otel-scaler.keda.svc:4317",
        "metricScalerEndpoint": "keda-otel-scaler.keda.svc:4318",
        "resource": {
            "cpuLimit": "1",
            "memoryLimit": "2Gi",
            "cpuRequest": "200m",
            "memoryRequest": "512Mi",
        },
    },
}
