# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of InferenceServices with values as authors write them, from which services at random take some."""

from __future__ import annotations

import random
from typing import Any

Json = dict[str, Any]

URIS = (
    "gs://models/one",
    "gs://models/one",
    "s3://bucket/models/tiny",
    "s3://bucket",
    "pvc://claim/models/tiny",
    "pvc://claim",
    "hf://acme/tiny",
    "hf://acme/tiny:main",
    "https://example.com/m.tar.gz",
    "https://acct.blob.core.windows.net/c/m",
    "hdfs://nn/m",
    "webhdfs://nn:9870/m",
    "oci://registry.example.com/models/tiny:1",
    "git://x/y",
    "",
)
LATER_URIS = (
    "oci+native://registry.example.com/models/tiny:1",
    "oci://registry.example.com/models/one:1",
    "oci://registry.example.com/models/two@sha256:" + "0" * 64,
    "gs://models/one",
)
CONFIDENTIAL: tuple[Json, ...] = (
    {"enabled": True, "resourceId": "kbs:///team/key/one"},
    {"enabled": True},
    {"enabled": False, "resourceId": "kbs:///team/key/one"},
)
FORMATS = (
    "sklearn",
    "xgboost",
    "lightgbm",
    "onnx",
    "pytorch",
    "triton",
    "huggingface",
    "paddle",
    "tensorflow",
    "mlflow",
    "pmml",
    "unknown",
)
RUNTIMES = (
    "kserve-sklearnserver",
    "kserve-mlserver",
    "kserve-tritonserver",
    "kserve-huggingfaceserver",
    "kserve-huggingfaceserver-multinode",
    "kserve-xgbserver",
    "own",
    "missing",
)
MODEL: tuple[tuple[str, Any], ...] = (
    ("protocolVersion", "v1"),
    ("protocolVersion", "v2"),
    ("protocolVersion", "grpc-v2"),
    ("runtimeVersion", "v9"),
    ("storage", {"key": "one", "path": "models/x"}),
    ("storage", {"path": "models/x", "parameters": {"type": "s3", "bucket": "b"}}),
    ("storage", {"key": "gone"}),
)
CONTAINER: tuple[tuple[str, Any], ...] = (
    ("args", ["--own", "x"]),
    ("command", ["own"]),
    ("env", [{"name": "HOME", "value": "/own"}]),
    ("env", [{"name": "PROTOCOL", "value": "v2"}, {"name": "X", "value": "$(HOME)"}]),
    ("env", [{"name": "PYTHONPATH", "value": "/own"}]),
    ("envFrom", [{"configMapRef": {"name": "c"}}]),
    ("resources", {"limits": {"nvidia.com/gpu": "1"}, "requests": {"cpu": "1000m"}}),
    ("resources", {"limits": {"memory": "0.5Gi", "cpu": 2}}),
    ("volumeMounts", [{"name": "own", "mountPath": "/own"}]),
    ("ports", [{"containerPort": 9000, "name": "h2c"}]),
    ("ports", [{"containerPort": 8080, "name": "http1"}, {"containerPort": 9000, "name": "h2c"}]),
    ("ports", [{"containerPort": 9081}]),
    ("ports", [{"containerPort": 8033, "name": "grpc-port", "protocol": "TCP"}]),
    ("readinessProbe", {"httpGet": {"path": "/ready", "port": 8080}}),
    ("readinessProbe", {"grpc": {"port": 9000}}),
    ("readinessProbe", {"tcpSocket": {"port": 8080}, "timeoutSeconds": 3}),
    ("livenessProbe", {"exec": {"command": ["true"]}}),
    ("startupProbe", {"httpGet": {"path": "/s", "port": 8080}, "failureThreshold": 30}),
    ("securityContext", {"runAsUser": 1000, "runAsNonRoot": True}),
    ("imagePullPolicy", "Always"),
    ("workingDir", "/w"),
    ("lifecycle", {"preStop": {"exec": {"command": ["sleep", "5"]}}}),
)
POD: tuple[tuple[str, Any], ...] = (
    ("serviceAccountName", "runner"),
    ("nodeSelector", {"gpu": "h100"}),
    ("tolerations", [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]),
    ("volumes", [{"name": "own", "emptyDir": {}}]),
    ("volumes", [{"name": "kserve-provision-location", "emptyDir": {}}]),
    ("imagePullSecrets", [{"name": "pull"}]),
    ("securityContext", {"fsGroup": 1000}),
    ("priorityClassName", "system-node-critical"),
    ("terminationGracePeriodSeconds", 5),
    ("initContainers", [{"name": "prepare", "image": "registry.example.com/prep:1"}]),
    ("initContainers", [{"name": "storage-initializer", "image": "registry.example.com/own:1"}]),
    ("hostIPC", True),
    ("schedulerName", "volcano"),
    ("automountServiceAccountToken", False),
    (
        "topologySpreadConstraints",
        [{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}],
    ),
    ("affinity", {"nodeAffinity": {}}),
    ("resourceClaims", [{"name": "gpu", "resourceClaimName": "claim"}]),
)
EXTENSION: tuple[tuple[str, Any], ...] = (
    ("minReplicas", 0),
    ("minReplicas", 2),
    ("maxReplicas", 4),
    ("minReplicas", 3),
    ("timeout", 30),
    ("containerConcurrency", 5),
    ("canaryTrafficPercent", 20),
    ("logger", {"mode": "all"}),
    ("logger", {"mode": "request", "url": "http://sink", "metadataHeaders": ["x-a", "x-b"]}),
    ("logger", {"mode": "all", "metadataAnnotations": ["note"]}),
    ("batcher", {}),
    ("batcher", {"maxBatchSize": 8, "maxLatency": 50, "timeout": 6}),
    ("deploymentStrategy", {"type": "Recreate"}),
    ("deploymentStrategy", {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}}),
    ("scaleMetric", "cpu"),
    ("scaleMetric", "memory"),
    ("scaleMetric", "concurrency"),
    ("scaleTarget", 60),
    ("scaleMetricType", "AverageValue"),
)
LABELS = (
    ("team", "blue"),
    ("networking.kserve.io/visibility", "cluster-local"),
    ("networking.knative.dev/visibility", "cluster-local"),
    ("sidecar.istio.io/inject", "true"),
    ("kueue.x-k8s.io/queue-name", "gold"),
    ("app", "mine"),
)
_KEY = "serving.kserve.io"
ANNOTATIONS = (
    ("note", "hello"),
    (f"{_KEY}/deploymentMode", "Standard"),
    (f"{_KEY}/deploymentMode", "RawDeployment"),
    (f"{_KEY}/deploymentMode", "Knative"),
    (f"{_KEY}/deploymentMode", "Serverless"),
    (f"{_KEY}/autoscalerClass", "hpa"),
    (f"{_KEY}/autoscalerClass", "keda"),
    (f"{_KEY}/autoscalerClass", "external"),
    (f"{_KEY}/autoscalerClass", "none"),
    (f"{_KEY}/stop", "true"),
    (f"{_KEY}/enable-prometheus-scraping", "true"),
    (f"{_KEY}/enable-metric-aggregation", "true"),
    (f"{_KEY}/storageSecretName", "creds"),
    (f"{_KEY}/storage-initializer-uid", "1234"),
    (f"{_KEY}/disable-localmodel", "true"),
    (f"{_KEY}/nodegroup", "gpus"),
    (f"{_KEY}/enable-auto-update", "false"),
    ("sidecar.istio.io/inject", "false"),
    ("autoscaling.knative.dev/class", "hpa.autoscaling.knative.dev"),
    ("autoscaling.knative.dev/min-scale", "3"),
    ("autoscaling.knative.dev/initial-scale", "2"),
    ("serving.knative.dev/rollout-duration", "30s"),
    ("prometheus.io/port", "9999"),
    ("multinode/executor-backend", "mp"),
)
_TARGETS: tuple[Json, ...] = (
    {"type": "Utilization", "averageUtilization": 60},
    {"type": "AverageValue", "averageValue": "500m"},
    {"type": "Value", "value": "5"},
)


def autoscaling(chance: random.Random) -> Json:
    """Return the fields of a component that is scaled."""
    forms: tuple[Json, ...] = (
        {"type": "Resource", "resource": {"name": "cpu", "target": chance.choice(_TARGETS)}},
        {"type": "Resource", "resource": {"name": "memory", "target": chance.choice(_TARGETS)}},
        {
            "type": "External",
            "external": {
                "metric": {
                    "backend": chance.choice(("prometheus", "graphite")),
                    "serverAddress": "http://metrics:9090",
                    "query": "rate",
                },
                "target": chance.choice(_TARGETS),
            },
        },
        {
            "type": "PodMetric",
            "podmetric": {
                "metric": {
                    "backend": "opentelemetry",
                    "metricNames": ["running"],
                    "query": "running",
                },
                "target": chance.choice(_TARGETS),
            },
        },
    )
    found: Json = {"maxReplicas": chance.choice((1, 5))}
    found["autoScaling"] = {"metrics": chance.sample(forms, chance.choice((1, 1, 2)))}
    if chance.random() < 0.2:
        found["autoScaling"]["behavior"] = {"scaleDown": {"stabilizationWindowSeconds": 60}}
    return found


def secrets(chance: random.Random, spec: Json, namespace: str) -> list[Json]:
    """Return Secrets with credentials, and the accounts of the components that have them."""
    data = chance.choice(
        (
            {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"},
            {"HF_TOKEN": "t"},
            {"gcloud-application-credentials.json": "{}"},
            {"AZURE_CLIENT_ID": "i", "AZURE_CLIENT_SECRET": "s", "AZURE_TENANT_ID": "t"},
            {"AZURE_STORAGE_ACCESS_KEY": "k"},
            {"https-host": "example.com", "headers": "a: b"},
            {"HDFS_NAMENODE": "n"},
        )
    )
    notes = {
        f"{_KEY}/s3-endpoint": "minio.example.com:9000",
        f"{_KEY}/s3-usehttps": "0",
        f"{_KEY}/s3-region": "eu",
    }
    secret: Json = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "creds", "namespace": namespace},
        "type": "Opaque",
        "stringData": data,
    }
    if chance.random() < 0.3:
        secret["metadata"]["annotations"] = notes
    stores = {
        "one": '{"type": "s3", "bucket": "b", "access_key_id": "a", "secret_access_key": "s"}',
        "default_s3": '{"type": "s3", "bucket": "d"}',
    }
    names = {one.get("serviceAccountName", "default") for one in spec.values()}
    accounts = [
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": name, "namespace": namespace},
            "secrets": [{"name": "creds"}],
        }
        for name in sorted(names)
    ]
    store = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "storage-config", "namespace": namespace},
        "type": "Opaque",
        "stringData": stores,
    }
    return [secret, *accounts, *([store] if chance.random() < 0.5 else [])]
