# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidecar of decode pods that sends the prefill part of a request to a prefill pod."""

from __future__ import annotations

from ....kube.fields import filled
from ....kube.manifest import Json
from ....kube.release import Since
from ..releases import ModelOperator
from ..settings import Settings
from ..spec import ModelService, RoutingProxy
from . import environment
from .security import container_security

#: Whether the proxy gets `--secure-proxy` even where the author says nothing.
SECURE_BY_DEFAULT: Since[bool] = Since(
    {ModelOperator.V0_9_0_ALPHA_2: False, ModelOperator.V1_0_1: True}
)


def routing_proxy(service: ModelService, settings: Settings) -> Json | None:
    """Return the sidecar, or None where the service has no `spec.routingProxy`.

    It takes over the engine's port; vLLM moves to `targetPort`. `restartPolicy: Always` makes it a native sidecar.
    Source: model-operator internal/modelservice/deployment.go@v0.9.0-alpha.2, v1.0.1.
    """
    proxy = service.routing_proxy
    if proxy is None:
        return None
    tracing = settings.tracing
    traced = environment.exporter("llm-d-routing-sidecar", tracing) + environment.sampler(tracing)
    return filled(
        {
            "name": "routing-proxy",
            "image": proxy.image or settings.routing_proxy_image,
            "args": _arguments(proxy, service.engine.port, settings),
            "env": traced if tracing.enabled else [],
            "ports": [{"name": "proxy", "containerPort": service.engine.port, "protocol": "TCP"}],
            "restartPolicy": "Always",
            "securityContext": container_security(),
        }
    )


def _arguments(proxy: RoutingProxy, port: int, settings: Settings) -> list[str]:
    secure = proxy.secure_proxy
    if secure is None and SECURE_BY_DEFAULT.at(settings.release):
        secure = False
    return [
        *("--port", str(port)),
        *("--vllm-port", str(proxy.target_port)),
        *("--connector", proxy.connector),
        *(("--zap-encoder", proxy.zap_encoder) if proxy.zap_encoder else ()),
        *(("--zap-log-level", proxy.zap_log_level) if proxy.zap_log_level else ()),
        *_switch("--secure-proxy", secure),
        *_switch("--prefiller-use-tls", proxy.prefiller_use_tls),
        *(("--cert-path", proxy.cert_path) if proxy.cert_path else ()),
    ]


def _switch(flag: str, value: bool | None) -> list[str]:
    return [] if value is None else [f"{flag}={str(value).lower()}"]
