# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache with everything that it means in its cluster, which its children and its status are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...kube.manifest import Json
from ..kserve.system_config import SystemConfig
from .settings import Settings
from .spec import LocalModelCache
from .users import User


@dataclass(frozen=True, slots=True)
class NodeOfGroup:
    """A node that is to have the model. group: by which one, the first of the cache's. ready: whether the node is."""

    name: str
    group: str
    ready: bool


@dataclass(frozen=True, slots=True)
class Download:
    """A Job that is there or is to come. container: what fetches the model. volumes: beside the claim."""

    node: NodeOfGroup
    container: Json
    volumes: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """One cache. groups: the specs of its node groups. downloads: what has a Job. users: the services that use it.

    nodes_known: whether all nodes were looked at.
    """

    cache: LocalModelCache
    settings: Settings
    config: SystemConfig
    groups: Mapping[str, Json] = field(default_factory=dict)
    nodes: tuple[NodeOfGroup, ...] = ()
    nodes_known: bool = True
    downloads: tuple[Download, ...] = ()
    users: tuple[User, ...] = ()
