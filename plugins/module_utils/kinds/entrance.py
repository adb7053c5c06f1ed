# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kind of service says about calling it: by which routes, in which protocol, under which name of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..kube.command_line import flags
from ..kube.manifest import Json
from .protocols import EMBEDDINGS, OPENAI, Protocol

_SERVED_NAME = "--served-model-name"
#: What vLLM takes for models that make vectors, by flag. Source: vLLM's engine arguments `--task` and `--runner`.
_EMBEDS: Mapping[str, tuple[str, ...]] = {
    "--task": ("embed", "embedding"),
    "--runner": ("pooling",),
}


@dataclass(frozen=True, slots=True)
class Backend:
    """The Kubernetes Service in front of the pods of a service. tls: whether they speak TLS."""

    name: str
    namespace: str
    port: int
    tls: bool = False

    def url(self, domain: str) -> str:
        """Return its URL inside the cluster. domain: the cluster's."""
        scheme = "https" if self.tls else "http"
        port = "" if self.port == (443 if self.tls else 80) else f":{self.port}"
        return f"{scheme}://{self.name}.{self.namespace}.svc.{domain}{port}"


@dataclass(frozen=True, slots=True)
class Entrance:
    """How a service is called, as far as its own objects say it.

    protocol: None where it takes no HTTP. model: what a request calls the model. routes: HTTPRoutes and Ingresses, the first choice first.
    targets: names of what routes lead to where they lead to this service. backend: where the service can be called inside the cluster.
    closed: why there is no way in, in words; empty where there is one.
    """

    protocol: Protocol | None
    model: str
    routes: tuple[Json, ...] = ()
    targets: frozenset[str] = frozenset()
    backend: Backend | None = None
    closed: str = ""


def served_name(containers: Iterable[Json]) -> str:
    """Return the name that vLLM gives to its model on the command line, the first of several; empty where no container says one."""
    return next(
        (
            value
            for container in containers
            for flag, value in reversed(list(flags(container)))
            if flag == _SERVED_NAME and value
        ),
        "",
    )


def engine_protocol(containers: Iterable[Json]) -> Protocol:
    """Return what a vLLM server speaks: one that makes vectors does not chat."""
    embeds = any(
        value in _EMBEDS.get(flag, ())
        for container in containers
        for flag, value in flags(container)
    )
    return EMBEDDINGS if embeds else OPENAI
