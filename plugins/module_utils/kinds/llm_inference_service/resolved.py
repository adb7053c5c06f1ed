# SPDX-License-Identifier: GPL-3.0-or-later
"""A service with everything that its presets say: the input of each child builder, of the router and of the status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...kube.manifest import Json, value_at
from ...kube.reference import Reference
from . import names
from .settings import Settings
from .spec import LlmInferenceService
from .system_config import SystemConfig


class Preset(NamedTuple):
    """One LLMInferenceServiceConfig.

    name: as messages show it. spec: as `written` gives it; shared by services, never changed. reference: None for one of our own.
    """

    name: str
    spec: Json
    reference: Reference | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """One service of a routing group.

    backend: where its requests go, as a route names it. models: what it serves. told: these names as messages show them.
    """

    name: str
    weight: int
    backend: Json
    models: frozenset[str]
    told: tuple[str, ...]
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class RoutingGroup:
    """Services that share requests. members: those that serve the same models as the service itself, by name; it is one of them.

    divergent: those that serve others. asked: the services whose status decided.
    """

    name: str
    members: tuple[Member, ...]
    divergent: tuple[Member, ...] = ()
    asked: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """One service, resolved.

    spec: presets, baseRefs and the service's own spec merged, templates filled in, validated. Never changed in place.
    preset_names: well-known suffix → name of the preset, as `status.annotations` keeps it (without the key's prefix).
    presets: those that were merged, the weakest first.
    applied: those of the cluster among these, with what names them: `Preset` for KServe's choice, `UserRef` for the author's.
    warning: what is wrong with the presets of a service that is stopped, whose spec then is its own.
    group: the services that it shares requests with, None for none.
    """

    service: LlmInferenceService
    spec: Json
    config: SystemConfig
    settings: Settings
    preset_names: Mapping[str, str]
    presets: tuple[Preset, ...] = ()
    applied: tuple[Json, ...] = ()
    warning: str = ""
    group: RoutingGroup | None = None

    @property
    def name(self) -> str:
        """The service's name."""
        return self.service.name

    @property
    def namespace(self) -> str:
        """The service's namespace."""
        return self.service.namespace

    @property
    def stopped(self) -> bool:
        """Whether everything but the service itself is to go."""
        return self.service.stopped

    def at(self, *path: str) -> Any:
        """Return a value of the merged spec, None where it is not there."""
        return value_at(self.spec, path)

    @property
    def pool_ref(self) -> str:
        """Name of somebody else's InferencePool; empty where there is none."""
        return self.at("router", "scheduler", "pool", "ref", "name") or ""

    @property
    def managed_picker(self) -> bool:
        """Whether the service has an endpoint picker of its own."""
        template = self.at("router", "scheduler", "template")
        return not self.stopped and template is not None and not self.pool_ref

    @property
    def pool_name(self) -> str:
        """Name of the InferencePool that the service is reached through."""
        return self.pool_ref or names.inference_pool(self.name)
