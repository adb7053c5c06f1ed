# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection's own presets, for clusters that have none: KServe's well-known names, vLLM behind them.

They are used where KServe's namespace holds no preset, and by the prefix `modelops-` where it does. Their pods run under
Pod Security `restricted`. What is asked of a server, a sidecar and a picker: KServe config/llmisvcconfig/@v0.17.0.
What differs by release: `builtin_release.py`.
"""

from __future__ import annotations

from functools import cache

from ....kube.manifest import Json
from ...kserve.releases import KServe
from ..router.by_model import MODEL_ANNOTATION
from .builtin_release import OWN_PRESETS, OwnPresets
from .builtin_route import PORT, PUBLISHED, route
from .engine_arguments import Asked, EngineArguments

#: What selects them where a cluster has presets of its own.
PREFIX = "modelops-"
#: What the names of these presets begin with in messages.
OWN = "the collection's preset"

_CERTIFICATE = "{{ ChildName .Name `-kserve-self-signed-certs` }}"
_TLS_PATH = "/var/run/kserve/tls"
_MODEL_PATH = "/mnt/models"
#: The server's port behind a sidecar, which takes that of the others.
_PORT_BEHIND = 8001
_GRPC, _HEALTH, _METRICS, _EVENTS = 9002, 9003, 9090, 5557

_RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


#: Where the engines of other pods ask for blocks of the KV cache; without it an engine tells them localhost.
_SIDE_CHANNEL: Json = {
    "name": "VLLM_NIXL_SIDE_CHANNEL_HOST",
    "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}},
}
#: Where a collector of OpenTelemetry usually is, and one request in twenty.
_TRACING: Json = {
    "exporterEndpoint": "http://otel-collector:4317",
    "sampler": "parentbased_traceidratio",
    "samplerArg": "0.05",
    "exporter": "otlp",
}
#: What templates ask where the configuration decides about TLS.
_TLS = ".GlobalConfig.EnableTLS"
_MODEL = "{{ .Spec.Model.Name }}"
_SERVER_TLS = (
    f"--enable-ssl-refresh --ssl-certfile {_TLS_PATH}/tls.crt --ssl-keyfile {_TLS_PATH}/tls.key"
)
_PICKER_TLS = (
    "--enable-cert-reload=true",
    "--secure-serving=true",
    "--model-server-metrics-scheme=https",
    f"--cert-path={_TLS_PATH}",
)


@cache
def builtin_presets(release: KServe, asked: Asked) -> dict[str, Json]:
    """Return the specs by well-known name without its prefix. Not to be changed."""
    own = OWN_PRESETS.at(release)
    leaders, prefill = (
        (asked.template, asked.worker),
        (asked.prefill_template, asked.prefill_worker),
    )
    found = {
        "config-llm-template": {"template": _pod(own, _single(own, PORT, asked.template))},
        "config-llm-decode-template": {
            "template": _pod(own, _single(own, _PORT_BEHIND, asked.template), sidecar=True)
        },
        "config-llm-prefill-template": {
            "prefill": {"template": _pod(own, _single(own, PORT, asked.prefill_template))}
        },
        "config-llm-worker-data-parallel": _group(own, PORT, ".Spec.Parallelism", leaders),
        "config-llm-decode-worker-data-parallel": _group(
            own, _PORT_BEHIND, ".Spec.Parallelism", leaders, sidecar=True
        ),
        "config-llm-prefill-worker-data-parallel": {
            "prefill": _group(own, PORT, ".Spec.Prefill.Parallelism", prefill)
        },
    }
    return {
        **{name: _marked(spec) if own.marked else spec for name, spec in found.items()},
        "config-llm-scheduler": {"router": {"scheduler": _scheduler(own)}},
        "config-llm-router-route": {"router": {"route": {"http": {"spec": route(own)}}}},
        **({"config-llm-tokenizer": _tokenizer(own)} if own.tokenizer else {}),
        **({"config-llm-tracing": {"tracing": _TRACING}} if own.marked else {}),
    }


def _marked(spec: Json) -> Json:
    """Return the preset of a workload, which says that its engine has the name by which routes know the model."""
    if "prefill" in spec:
        return {"prefill": _marked(spec["prefill"])}
    return {**spec, "annotations": {MODEL_ANNOTATION: "true"}}


def _if_tls(text: str, otherwise: str = "") -> str:
    """Return a template that is a text where the configuration asks for TLS."""
    return f"{{{{ if {_TLS} }}}}{text}{{{{ else }}}}{otherwise}{{{{ end }}}}"


def _single(own: OwnPresets, port: int, engine: EngineArguments) -> Json:
    """Return a server that holds the whole model. A service adds flags of its own as `args`.

    Where arguments depend on the configuration or the service a shell starts it: a template can leave a word of a text out, but no
    item of a list.
    """
    if own.tls or engine != EngineArguments():
        words = f"{' '.join(_serving(own, port, engine))}{engine.sizes}{engine.words()}"
        return _server(own, _shell(f'{words} "$@"'), port, engine, probed=True)
    command = ["vllm", "serve", _MODEL_PATH, "--served-model-name", _MODEL, "--port", str(port)]
    return _server(own, command, port, engine, probed=True)


def _shell(script: str) -> list[str]:
    return ["/bin/bash", "-c", script, "--"]


def _serving(own: OwnPresets, port: int, engine: EngineArguments) -> list[str]:
    """Return the first words of a shell's command."""
    names = f"'{_MODEL}' '{PUBLISHED}'" if own.by_model else f"'{_MODEL}'"
    return [
        f"{engine.before()}exec vllm serve {_MODEL_PATH} --served-model-name {names} --port {port}",
        *([_if_tls(_SERVER_TLS)] if own.tls else []),
    ]


def _group(
    own: OwnPresets,
    port: int,
    parallelism: str,
    engines: tuple[EngineArguments, EngineArguments],
    *,
    sidecar: bool = False,
) -> Json:
    """Return leader and workers of data parallel servers. parallelism: the template's path to the sizes. engines: of both."""

    def server(engine: EngineArguments, *, leader: bool) -> Json:
        command = _shared(own, port, parallelism, engine, leader=leader)
        return _server(own, command, port, engine, probed=leader)

    return {
        "template": _pod(own, server(engines[0], leader=True), sidecar=sidecar),
        "worker": _pod(own, server(engines[1], leader=False)),
    }


def _shared(
    own: OwnPresets, port: int, parallelism: str, engine: EngineArguments, *, leader: bool
) -> list[str]:
    """Return the command of one of several servers. The shell works out which copies of the model it holds."""
    local = f"{{{{ or {parallelism}.DataLocal 1 }}}}"
    words = [
        *_serving(own, port, engine),
        f"{{{{ if {parallelism}.Expert }}}}--enable-expert-parallel{{{{ end }}}}",
        f"{{{{ if {parallelism}.Tensor }}}}--tensor-parallel-size {{{{ {parallelism}.Tensor }}}}{{{{ end }}}}",
        f"--data-parallel-size {{{{ or {parallelism}.Data 1 }}}}",
        f"--data-parallel-size-local {local}",
        "--data-parallel-address $(LWS_LEADER_ADDRESS)",
        f"--data-parallel-rpc-port {{{{ or {parallelism}.DataRPCPort 5555 }}}}",
        "--data-parallel-start-rank 0"
        if leader
        else f"--data-parallel-start-rank $((${{LWS_WORKER_INDEX:-0}} * {local})) --headless",
    ]
    return _shell(f'{" ".join(words)}{engine.words()} "$@"')


def _server(
    own: OwnPresets, command: list[str], port: int, engine: EngineArguments, *, probed: bool
) -> Json:
    scheme = _if_tls("HTTPS", "HTTP") if own.tls else "HTTP"
    probe = {"httpGet": {"path": "/health", "port": port, "scheme": scheme}, "periodSeconds": 10}
    probes = {
        "startupProbe": {**probe, "failureThreshold": 360},
        "readinessProbe": {**probe, "timeoutSeconds": 5, "failureThreshold": 3},
        "livenessProbe": {**probe, "timeoutSeconds": 10, "failureThreshold": 3},
    }
    variables = {"HOME": "/home", "VLLM_LOGGING_LEVEL": "INFO", "HF_HUB_CACHE": "/models"}
    mounts = {"home": "/home", "tmp": "/tmp", "dshm": "/dev/shm", "model-cache": "/models"}  # noqa: S108
    return {
        "name": "main",
        "image": own.server,
        "imagePullPolicy": "IfNotPresent",
        "command": command,
        "env": [
            *({"name": name, "value": value} for name, value in variables.items()),
            *([_SIDE_CHANNEL] if engine.transfers else []),
        ],
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


def _pod(own: OwnPresets, server: Json, *, sidecar: bool = False) -> Json:
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
    return {**pod, "initContainers": [_sidecar(own)]} if sidecar else pod


def _sidecar(own: OwnPresets) -> Json:
    secure = _if_tls("--secure-proxy=true", "--secure-proxy=false")
    tls = (
        [secure, *map(_if_tls, (f"--cert-path={_TLS_PATH}", *own.sidecar_tls))]
        if own.tls
        else ["--secure-proxy=false"]
    )
    namespace = {"fieldRef": {"fieldPath": "metadata.namespace"}}
    return {
        "name": "llm-d-routing-sidecar",
        "image": own.sidecar,
        "imagePullPolicy": "IfNotPresent",
        "restartPolicy": "Always",
        "args": [
            f"--port={PORT}",
            f"--vllm-port={_PORT_BEHIND}",
            *own.sidecar_arguments,
            *tls,
        ],
        "env": [{"name": "INFERENCE_POOL_NAMESPACE", "valueFrom": namespace}],
        "ports": [{"containerPort": PORT, "protocol": "TCP"}],
        "securityContext": _RESTRICTED,
        "volumeMounts": [_certificate_mount()],
    }


def _scheduler(own: OwnPresets) -> Json:
    ports = {"grpc": _GRPC, "grpc-health": _HEALTH, "metrics": _METRICS, "zmq": _EVENTS}
    picker = {
        "name": "main",
        "image": own.picker,
        "imagePullPolicy": "IfNotPresent",
        "args": [
            *("--pool-name", "{{ ChildName .Name `-inference-pool` }}"),
            *("--pool-namespace", "{{ .Namespace }}"),
            *("--zap-encoder", "json"),
            *("--grpc-port", str(_GRPC)),
            *("--grpc-health-port", str(_HEALTH)),
            *own.picker_arguments,
            *(map(_if_tls, _PICKER_TLS) if own.tls else ()),
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
    version = {"app.kubernetes.io/version": own.picker_version}
    return {
        **({"annotations": version} if own.picker_version else {}),
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
                "targetPorts": [{"number": PORT}],
            }
        },
        "template": {
            "containers": [picker],
            "volumes": [{"name": "tls-certs", "secret": {"secretName": _CERTIFICATE}}],
        },
    }


def _tokenizer(own: OwnPresets) -> Json:
    """Return the server that counts tokens: an engine without weights, which runs on any node."""
    scheme = _if_tls("HTTPS", "HTTP")
    words = f"exec vllm launch render {_MODEL_PATH}/base --port={PORT} {_if_tls(_SERVER_TLS)}"
    # A user of no name: some libraries ask for one.
    variables = {"HOME": "/tmp", "HF_HOME": "/tmp/hf", "USER": "vllm", "DO_NOT_TRACK": "1"}  # noqa: S108
    server = {
        "name": "main",
        "image": own.tokenizer,
        "imagePullPolicy": "IfNotPresent",
        "command": _shell(f'{words} "$@"'),
        "env": [{"name": name, "value": value} for name, value in variables.items()],
        "ports": [{"name": "render-http", "containerPort": PORT, "protocol": "TCP"}],
        "readinessProbe": {
            "httpGet": {"path": "/health", "port": "render-http", "scheme": scheme},
            "initialDelaySeconds": 30,
            "periodSeconds": 10,
            "timeoutSeconds": 5,
            "failureThreshold": 60,
        },
        "resources": {
            "requests": {"cpu": "1", "memory": "4Gi"},
            "limits": {"cpu": "4", "memory": "12Gi"},
        },
        "securityContext": {**_RESTRICTED, "readOnlyRootFilesystem": True, "runAsUser": 1000},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}, _certificate_mount()],  # noqa: S108
    }
    template = {
        "automountServiceAccountToken": False,
        "containers": [server],
        "volumes": [
            {"name": "tmp", "emptyDir": {}},
            {"name": "tls-certs", "secret": {"secretName": _CERTIFICATE}},
        ],
    }
    return {"router": {"scheduler": {"tokenizer": {"template": template}}}}


def _health(service: str, delay: int) -> Json:
    grpc = {"port": _HEALTH, "service": service}
    return {"grpc": grpc, "initialDelaySeconds": delay, "periodSeconds": 10, "failureThreshold": 3}
