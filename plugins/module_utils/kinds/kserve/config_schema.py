# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of each block of `inferenceservice-config`, which is JSON in a ConfigMap.

Source: KServe pkg/apis/serving/v1beta1/configmap.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...kube.schema import Anything, Boolean, Integer, ListOf, MapOf, Object, Schema, Text

_TEXT = Text()
_TEXTS = ListOf(items=_TEXT)
_BOOL = Boolean(default=False)
_AMOUNTS = ("cpuRequest", "cpuLimit", "memoryRequest", "memoryLimit")
_RESOURCES: Mapping[str, Schema] = dict.fromkeys(_AMOUNTS, _TEXT)


def _texts(*names: str) -> dict[str, Schema]:
    return dict.fromkeys(names, _TEXT)


_S3 = (
    "s3AccessKeyIDName",
    "s3SecretAccessKeyName",
    "s3Endpoint",
    "s3UseHttps",
    "s3Region",
    "s3VerifySSL",
    "s3UseVirtualBucket",
    "s3UseAccelerate",
    "s3UseAnonymousCredential",
    "s3CABundleConfigMap",
    "s3CABundle",
)

_LOGGER_STORAGE = Object(
    fields={
        **_texts("path", "key", "schemaPath", "serviceAccountName"),
        "parameters": MapOf(values=_TEXT),
    }
)

BLOCKS: Mapping[str, Object] = {
    "ingress": Object(
        fields={
            "enableGatewayApi": _BOOL,
            **_texts(
                "kserveIngressGateway",
                "ingressGateway",
                "localGateway",
                "localGatewayService",
                "knativeLocalGatewayService",
            ),
            "ingressDomain": Text(),
            "ingressClassName": Text(),
            "additionalIngressDomains": _TEXTS,
            **_texts("domainTemplate", "urlScheme", "pathTemplate"),
            "disableIstioVirtualHost": _BOOL,
            "disableIngressCreation": _BOOL,
            "disableHTTPRouteTimeout": _BOOL,
            "enableLLMInferenceServiceTLS": _BOOL,
            **_texts("modelBasedRoutingHeaderName", "modelBasedRoutingMode"),
        }
    ),
    "deploy": Object(
        fields={
            "defaultDeploymentMode": _TEXT,
            "deploymentRolloutStrategy": Object(
                fields={"defaultRollout": Object(fields=_texts("maxSurge", "maxUnavailable"))}
            ),
        }
    ),
    "storageInitializer": Object(
        fields={
            "image": _TEXT,
            **_RESOURCES,
            **_texts("caBundleConfigMapName", "caBundleVolumeMountPath"),
            "enableModelcar": _BOOL,
            "enableOciModelSupport": _BOOL,
            "ociInsecureRegistry": _BOOL,
            **_texts("ociModelMode", "cpuModelcar", "memoryModelcar"),
            "uidModelcar": Integer(bits=64),
        }
    ),
    "credentials": Object(
        fields={
            **_texts("storageSpecSecretName", "storageSecretNameAnnotation"),
            "gcs": Object(fields=_texts("gcsCredentialFileName")),
            "s3": Object(fields=_texts(*_S3)),
        }
    ),
    "logger": Object(
        fields={
            "image": _TEXT,
            **_RESOURCES,
            **_texts("defaultUrl", "caBundle", "caCertFile"),
            "tlsSkipVerify": _BOOL,
            "storage": _LOGGER_STORAGE,
            "marshallerUrl": _TEXT,
            "batchSize": Integer(bits=64),
            "batchInterval": _TEXT,
        }
    ),
    "batcher": Object(
        fields={"image": _TEXT, **_RESOURCES, **_texts("maxBatchSize", "maxLatency")}
    ),
    "agent": Object(fields={"image": _TEXT, **_RESOURCES}),
    "metricsAggregator": Object(
        fields=_texts("enableMetricAggregation", "enablePrometheusScraping")
    ),
    "router": Object(
        fields={
            "image": _TEXT,
            **_RESOURCES,
            # An empty list of headers says something else than none.
            "headers": Anything(type="object"),
            "imagePullPolicy": _TEXT,
            "imagePullSecrets": _TEXTS,
        }
    ),
    "explainers": Object(fields={"art": Object(fields=_texts("image", "defaultImageVersion"))}),
    "inferenceService": Object(
        fields={
            "serviceAnnotationDisallowedList": _TEXTS,
            "serviceLabelDisallowedList": _TEXTS,
            "resource": Object(fields=_RESOURCES),
        }
    ),
    "scheduler": Object(fields={"expirationAnnotations": _TEXTS, "restartAnnotation": _TEXT}),
    "autoscaling-wva-controller-config": Object(
        fields={
            "prometheus": Object(
                fields={
                    **_texts("url", "authModes", "triggerAuthName", "triggerAuthKind"),
                    "tlsInsecureSkipVerify": _BOOL,
                }
            )
        }
    ),
    "localModel": Object(
        fields={
            "enabled": _BOOL,
            **_texts("jobNamespace", "defaultJobImage"),
            "fsGroup": Integer(bits=64),
            "jobTTLSecondsAfterFinished": Integer(),
            "reconcilationFrequencyInSecs": Integer(bits=64),
            "disableVolumeManagement": _BOOL,
        }
    ),
    "security": Object(fields={"autoMountServiceAccountToken": _BOOL}),
    "service": Object(fields={"serviceClusterIPNone": _BOOL}),
    "multiNode": Object(fields={"customGPUResourceTypeList": _TEXTS}),
    "autoscaler": Object(
        fields=_texts("scaleUpStabilizationWindowSeconds", "scaleDownStabilizationWindowSeconds")
    ),
    "opentelemetryCollector": Object(
        fields={
            **_texts("scrapeInterval", "metricReceiverEndpoint", "metricScalerEndpoint"),
            "resource": Object(fields=_RESOURCES),
        }
    ),
}
