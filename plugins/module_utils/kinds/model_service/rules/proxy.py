# SPDX-License-Identifier: GPL-3.0-or-later
"""The proxy between prefill and decode."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.problem import Problem
from ....kube.schema_faults import show
from ..children.routing_proxy import SECURE_BY_DEFAULT
from ..settings import Settings
from ..spec import ModelService

#: What the routing sidecar v0.6.0 understands; it ends at once with any other, and is restarted forever.
CONNECTORS = ("nixlv2", "shared-storage", "sglang")
#: What its flags --zap-encoder and --zap-log-level take. Source: sigs.k8s.io/controller-runtime pkg/log/zap/flags.go.
_ENCODERS, _LEVELS = ("json", "console"), ("debug", "info", "error", "panic")
#: With it vLLM speaks TLS.
_CERTIFICATE = "--ssl-certfile"


def connector(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of a connector that the proxy does not know (docs/differences.md, W46)."""
    proxy = service.routing_proxy
    if proxy is not None and proxy.connector not in CONNECTORS:
        message = (
            f"{show(proxy.connector)} is not one of {', '.join(CONNECTORS)}; the proxy of llm-d 0.6 ends at once and is "
            "started again for ever"
        )
        yield Problem("spec.routingProxy.connector", message, "warning", rule="connector")


def log(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of words for its log that the proxy does not know: it ends at once, and is restarted forever."""
    proxy = service.routing_proxy
    encoder, level = (proxy.zap_encoder, proxy.zap_log_level) if proxy is not None else ("", "")
    number = level.isdecimal() and int(level) > 0
    for field, value, known, other in (
        ("zapEncoder", encoder, _ENCODERS, ""),
        ("zapLogLevel", "" if number else level, _LEVELS, ", nor a number above 0"),
    ):
        if value and value.lower() not in known:
            message = f"{show(value)} is not one of {', '.join(known)}{other}; the proxy ends at once and is restarted forever"
            yield Problem(f"spec.routingProxy.{field}", message, "warning", rule="connector")


def prefill_tls(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of a proxy that calls prefill pods in another way than their engine speaks."""
    proxy = service.routing_proxy
    if proxy is None or service.prefill is None:
        return
    speaks = any(str(each).partition("=")[0] == _CERTIFICATE for each in service.engine.args)
    calls = bool(proxy.prefiller_use_tls)
    if calls != speaks:
        given, way = ("given", "set it to true") if speaks else ("not given", "set it to false")
        asked, spoken = ("TLS", "plain HTTP") if calls else ("plain HTTP", "TLS")
        message = f"the proxy calls prefill pods by {asked}, and their engine speaks {spoken}, since {_CERTIFICATE} is {given}; {way}"
        yield Problem("spec.routingProxy.prefillerUseTLS", message, "warning", rule="certificate")


def proxy_tls(service: ModelService, settings: Settings) -> Iterator[Problem]:
    """Warn of TLS that nobody asked for (docs/differences.md, W45), and of a certificate that nobody mounts (docs/differences.md, W47)."""
    proxy = service.routing_proxy
    if proxy is None:
        return
    if proxy.secure_proxy is None and not SECURE_BY_DEFAULT.at(settings.release):
        message = (
            "missing: the proxy then serves TLS with a certificate of its own, which gateways and metrics scraping refuse; "
            "set it to false"
        )
        yield Problem("spec.routingProxy.secureProxy", message, "warning", rule="secure-proxy")
    if proxy.cert_path:
        message = f"{show(proxy.cert_path)} is passed on, but nothing is mounted there; the image must contain the certificate"
        yield Problem("spec.routingProxy.certPath", message, "warning", rule="certificate")
