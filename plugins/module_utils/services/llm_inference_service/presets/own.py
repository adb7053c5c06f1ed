# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection's own presets, for clusters that have none: KServe's well-known names, vLLM behind them.

They are used where KServe's namespace holds no preset, and by the prefix `modelops-` where it does. Their pods run under
Pod Security `restricted`. What is asked of a server, a sidecar and a picker: reference/kserve-llmisvc.md §2.8.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ....kube.manifest import Json

#: What selects them where a cluster has presets of its own.
PREFIX = "modelops-"
#: What the names of these presets begin with in messages.
OWN = "the collection's preset"

_SERVER = "ghcr.io/llm-d/llm-d-cuda:v0.6.0"
_SIDECAR = "ghcr.io/llm-d/llm-d-routing-sidecar:v0.4.0"
_PICKER = "ghcr.io/llm-d/llm-d-inference-scheduler:v0.4.0"
_CERTIFICATE = "{{ ChildName .Name `-kserve-self-signed-certs` }}"
_TLS_PATH = "/var/run/kserve/tls"
_MODEL_PATH = "/mnt/models"
#: The server's port; behind a sidecar, which takes the first, it is the second.
_PORT, _PORT_BEHIND = 8000, 8001
_GRPC, _HEALTH, _METRICS, _EVENTS = 9002, 9003, 9090, 5557

_RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


@cache
def own_presets() -> dict[str, Json]:
    """Return the specs by well-known name without its prefix. Not to be changed."""
    return {
        "config-llm-template": {"template": _pod(_single(_PORT))},
        "config-llm-decode-template": {"template": _pod(_single(_PORT_BEHIND), sidecar=True)},
        "config-llm-prefill-template": {"prefill": {"template": _pod(_single(_PORT))}},
        "config-llm-worker-data-parallel": _group(_PORT, ".Spec.Parallelism"),
        "config-llm-decode-worker-data-parallel": _group(
            _PORT_BEHIND, ".Spec.Parallelism", sidecar=True
        ),
        "config-llm-prefill-worker-data-parallel": {
            "prefill": _group(_PORT, ".Spec.Prefill.Parallelism")
        },
        "config-llm-scheduler": {"router": {"scheduler": _scheduler()}},
        "config-llm-router-route": {"router": {"route": {"http": {"spec": _route()}}}},
    }


def _single(port: int) -> Json:
    """Return a server that holds the whole model. A service adds flags of its own as `args`."""
    name = "{{ .Spec.Model.Name }}"
    command = ["vllm", "serve", _MODEL_PATH, "--served-model-name", name, "--port", str(port)]
    return _server(command, port, probed=True)


def _group(port: int, parallelism: str, *, sidecar: bool = False) -> Json:
    """Return leader and workers of data parallel servers. parallelism: the template's path to the sizes."""
    return {
        "template": _pod(
            _server(_shared(port, parallelism, leader=True), port, probed=True), sidecar=sidecar
        ),
        "worker": _pod(_server(_shared(port, parallelism, leader=False), port, probed=False)),
    }


def _shared(port: int, parallelism: str, *, leader: bool) -> list[str]:
    """Return the command of one of several servers. The shell works out which copies of the model it holds."""
    local = f"{{{{ or {parallelism}.DataLocal 1 }}}}"
    words = [
        f"exec vllm serve {_MODEL_PATH} --served-model-name '{{{{ .Spec.Model.Name }}}}' --port {port}",
        f"{{{{ if {parallelism}.Expert }}}}--enable-expert-parallel{{{{ end }}}}",
        f"{{{{ if {parallelism}.Tensor }}}}--tensor-parallel-size {{{{ {parallelism}.Tensor }}}}{{{{ end }}}}",
        f"--data-parallel-size {{{{ or {parallelism}.Data 1 }}}}",
        f"--data-parallel-size-local {local}",
        "--data-parallel-address $(LWS_LEADER_ADDRESS)",
        f"--data-parallel-rpc-port {{{{ or {parallelism}.DataRPCPort 5555 }}}}",
        "--data-parallel-start-rank 0"
        if leader
        else f"--data-parallel-start-rank $((${{LWS_WORKER_INDEX:-0}} * {local})) --headless",
        '"$@"',
    ]
    return ["/bin/bash", "-c", " ".join(words), "--"]


def _server(command: list[str], port: int, *, probed: bool) -> Json:
    probe = {"httpGet": {"path": "/health", "port": port, "scheme": "HTTP"}, "periodSeconds": 10}
    probes = {
        "startupProbe": {**probe, "failureThreshold": 360},
        "readinessProbe": {**probe, "timeoutSeconds": 5, "failureThreshold": 3},
        "livenessProbe": {**probe, "timeoutSeconds": 10, "failureThreshold": 3},
    }
    variables = {"HOME": "/home", "VLLM_LOGGING_LEVEL": "INFO", "HF_HUB_CACHE": "/models"}
    mounts = {"home": "/home", "tmp": "/tmp", "dshm": "/dev/shm", "model-cache": "/models"}  # noqa: S108
    return {
        "name": "main",
        "image": _SERVER,
        "imagePullPolicy": "IfNotPresent",
        "command": command,
        "env": [{"name": name, "value": value} for name, value in variables.items()],
        "ports": [{"containerPort": port, "protocol": "TCP"}],
        "securityContext": _RESTRICTED,
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            *({"name": name, "mountPath": path} for name, path in mounts.items()),
            _certificate_mount(),
        ],
        **(probes if probed else {}),
    }


def _certificate_mount() -> Json:
    return {"name": "tls-certs", "mountPath": _TLS_PATH, "readOnly": True}


def _pod(server: Json, *, sidecar: bool = False) -> Json:
    memory = {"emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}}
    pod: Json = {
        "terminationGracePeriodSeconds": 30,
        "containers": [server],
        "volumes": [
            {"name": "home", "emptyDir": {}},
            {"name": "tmp", "emptyDir": {}},
            {"name": "dshm", **memory},
            {"name": "model-cache", "emptyDir": {}},
            {"name": "tls-certs", "secret": {"secretName": _CERTIFICATE}},
        ],
    }
    return {**pod, "initContainers": [_sidecar()]} if sidecar else pod


def _sidecar() -> Json:
    namespace = {"fieldRef": {"fieldPath": "metadata.namespace"}}
    return {
        "name": "llm-d-routing-sidecar",
        "image": _SIDECAR,
        "imagePullPolicy": "IfNotPresent",
        "restartPolicy": "Always",
        "args": [
            f"--port={_PORT}",
            f"--vllm-port={_PORT_BEHIND}",
            "--connector=nixlv2",
            "--secure-proxy=false",
        ],
        "env": [{"name": "INFERENCE_POOL_NAMESPACE", "valueFrom": namespace}],
        "ports": [{"containerPort": _PORT, "protocol": "TCP"}],
        "securityContext": _RESTRICTED,
        "volumeMounts": [_certificate_mount()],
    }


def _scheduler() -> Json:
    ports = {"grpc": _GRPC, "grpc-health": _HEALTH, "metrics": _METRICS, "zmq": _EVENTS}
    picker = {
        "name": "main",
        "image": _PICKER,
        "imagePullPolicy": "IfNotPresent",
        "args": [
            *("--pool-name", "{{ ChildName .Name `-inference-pool` }}"),
            *("--pool-namespace", "{{ .Namespace }}"),
            *("--zap-encoder", "json"),
            *("--grpc-port", str(_GRPC)),
            *("--grpc-health-port", str(_HEALTH)),
            *("--kv-cache-usage-percentage-metric", "vllm:kv_cache_usage_perc"),
        ],
        "ports": [
            {"name": name, "containerPort": port, "protocol": "TCP"} for name, port in ports.items()
        ],
        "livenessProbe": _health("liveness", 5),
        "readinessProbe": _health("readiness", 30),
        "resources": {"requests": {"cpu": "256m", "memory": "500Mi"}},
        "securityContext": {**_RESTRICTED, "readOnlyRootFilesystem": True},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [_certificate_mount()],
    }
    return {
        "pool": {
            "spec": {
                "endpointPickerRef": {
                    "kind": "Service",
                    "name": "{{ ChildName .Name `-epp-service` }}",
                    "port": {"number": _GRPC},
                    "failureMode": "FailOpen",
                },
                # Empty: the service's own pods.
                "selector": {"matchLabels": {}},
                "targetPorts": [{"number": _PORT}],
            }
        },
        "template": {
            "containers": [picker],
            "volumes": [{"name": "tls-certs", "secret": {"secretName": _CERTIFICATE}}],
        },
    }


def _health(service: str, delay: int) -> Json:
    grpc = {"port": _HEALTH, "service": service}
    return {"grpc": grpc, "initialDelaySeconds": delay, "periodSeconds": 10, "failureThreshold": 3}


def _route() -> Json:
    pool: Json = {
        "group": "inference.networking.k8s.io",
        "kind": "InferencePool",
        "name": "{{ ChildName .Name `-inference-pool` }}",
    }
    workload: Json = {"kind": "Service", "name": "{{ ChildName .Name `-kserve-workload-svc` }}"}
    gateway = {
        "group": "gateway.networking.k8s.io",
        "kind": "Gateway",
        "name": "{{ .GlobalConfig.IngressGatewayName }}",
        "namespace": "{{ .GlobalConfig.IngressGatewayNamespace }}",
    }
    return {
        "parentRefs": [gateway],
        "rules": [
            _rule("/v1/completions", pool),
            _rule("/v1/chat/completions", pool),
            _rule("", workload),
        ],
    }


def _rule(path: str, backend: Json) -> dict[str, Any]:
    """Return a rule that takes the service's own prefix off. Answers may take any time."""
    prefix = f"/{{{{ .Namespace }}}}/{{{{ .Name }}}}{path}"
    rewritten = {"type": "ReplacePrefixMatch", "replacePrefixMatch": path or "/"}
    return {
        "matches": [{"path": {"type": "PathPrefix", "value": prefix}}],
        "filters": [{"type": "URLRewrite", "urlRewrite": {"path": rewritten}}],
        "backendRefs": [{**backend, "port": _PORT, "weight": 1}],
        "timeouts": {"request": "0s", "backendRequest": "0s"},
    }
