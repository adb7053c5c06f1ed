# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of the picker's flags that people write, and which of them is meant by another word.

Source: gateway-api-inference-extension cmd/epp/runner/runner.go, llm-d-inference-scheduler cmd/epp.
"""

from __future__ import annotations

from ..kube.did_you_mean import nearest

POOL, SELECTOR = "--pool-name", "--endpoint-selector"
#: Where gateways, probes and Prometheus ask.
PORTS = ("--grpc-port", "--grpc-health-port", "--metrics-port")
#: At this one it answers probes; llm-d's picker calls it in a shorter way.
HEALTH = ("--grpc-health-port", "--health-port")
#: Where it listens if nobody says otherwise: for gateways, for probes, for Prometheus.
USUAL_PORTS = {"--grpc-port": "9002", HEALTH[0]: "9003", "--metrics-port": "9090"}
CONFIG = ("--config-text", "--config-file")
_KNOWN = (
    *(POOL, "--pool-namespace", "--pool-group", SELECTOR, *PORTS, *CONFIG),
    *("--secure-serving", "--cert-path", "--enable-cert-reload", "--health-checking"),
    *("--ha-enable-leader-election", "--metrics-endpoint-auth", "--zap-encoder", "--tracing"),
    *("--enable-pprof", "--refresh-metrics-interval", "--metrics-staleness-threshold"),
)
#: Names of these flags differ in few letters.
_LIKENESS = 0.85


def meant_flag(name: str) -> str:
    """Return the flag that a misspelt one is meant to be; empty for one that is known, or that nobody knows."""
    return "" if name in _KNOWN else nearest(name, _KNOWN, _LIKENESS) or ""
