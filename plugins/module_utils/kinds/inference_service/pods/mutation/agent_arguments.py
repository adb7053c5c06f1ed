# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent is told to do. Source: KServe pkg/webhook/admission/pod/agent_injector.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterable

from .....kube.manifest import Json
from ....kserve.pod import container_of
from ....kserve.system_config import Logger
from ... import labels
from ..annotations import AGENT, BATCHER, CONFIG_PATH, LOGGER, MODEL_DIR
from ..containers import HTTP_PORT, SERVER, TRANSFORMER
from .subject import Subject

#: A label that KServe itself sets no more.
_ENDPOINT = "endpoint"


def agent_arguments(subject: Subject, logger: Logger) -> list[str]:
    """Return the arguments of the agent. logger: how it logs, where it does."""
    args = []
    if AGENT in subject.annotations:
        args += ["--enable-puller"]
        args += _given(subject, {"--config-dir": CONFIG_PATH, "--model-dir": MODEL_DIR})
    if BATCHER in subject.annotations:
        limits = {
            "--max-batchsize": f"{BATCHER}-max-batchsize",
            "--max-latency": f"{BATCHER}-max-latency",
        }
        args += ["--enable-batcher", *_given(subject, limits)]
    if LOGGER in subject.annotations:
        args += _logger(subject, logger)
    return [*args, "--component-port", str(_port(subject.spec))]


def _given(subject: Subject, flags: dict[str, str]) -> list[str]:
    """Return flags with the annotations that hold their values, those that are there."""
    found = subject.annotations
    return [word for flag, key in flags.items() if key in found for word in (flag, found[key])]


def _logger(subject: Subject, logger: Logger) -> list[str]:
    found, own = subject.annotations, subject.labels
    store = logger.storage or {}
    always = {
        "--log-url": found.get(f"{LOGGER}-sink-url", logger.default_url),
        # The pod's name when it is created: a controller gives it none yet.
        "--source-uri": subject.name,
        "--log-mode": found.get(f"{LOGGER}-mode", "all"),
        "--inference-service": own.get(labels.SERVICE, ""),
        "--namespace": subject.namespace,
        "--endpoint": own.get(_ENDPOINT, ""),
        "--component": own.get(labels.COMPONENT, ""),
    }
    where_known = {
        "--log-store-path": store.get("path") or "",
        "--log-store-format": (store.get("parameters") or {}).get("format", ""),
        "--log-marshaller-url": logger.marshaller_url,
        "--log-batch-size": str(logger.batch_size) if logger.batch_size > 0 else "",
        "--log-batch-interval": logger.batch_interval,
    }
    metadata = _given(subject, {"--metadata-headers": f"{LOGGER}-metadata-headers"})
    names = found.get(f"{LOGGER}-metadata-annotations")
    if names is not None:
        metadata += ["--metadata-annotations", _pairs(names.split(","), subject)]
    certificate = {"--logger-ca-cert-file": logger.ca_cert_file}
    return [
        *_words(always.items()),
        *_words((flag, value) for flag, value in where_known.items() if value),
        *metadata,
        *_words((flag, value) for flag, value in certificate.items() if value),
        *("--logger-tls-skip-verify", "true" if logger.tls_skip_verify else "false"),
    ]


def _words(flags: Iterable[tuple[str, str]]) -> list[str]:
    return [word for pair in flags for word in pair]


def _pairs(names: Iterable[str], subject: Subject) -> str:
    """Return annotations as the agent takes them, those that the pod has."""
    return ",".join(
        f"{name}={subject.annotations[name]}" for name in names if name in subject.annotations
    )


def _port(pod: Json) -> int:
    """Return where the agent sends requests on: to the transformer in the pod, else to the server."""
    container = container_of(pod, TRANSFORMER) or container_of(pod, SERVER) or {}
    ports = container.get("ports") or [{}]
    port: int = ports[0].get("containerPort") or HTTP_PORT
    return port
