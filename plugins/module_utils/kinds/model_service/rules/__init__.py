# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules that the schema cannot say. A rule reads a service and its settings and yields problems.

An error is what the API server would refuse for one of the children. A warning is what it accepts and what cannot do what
its author wants; the children are then the operator's. `Problem.rule` names the rule in docs/differences.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ....kube.problem import Problem
from ..settings import Settings
from ..spec import ModelService
from . import (
    devices,
    environment,
    images,
    monitoring,
    mounts,
    naming,
    ports,
    proxy,
    resources,
    routing,
    scheduling,
    storage,
)

Rule = Callable[[ModelService, Settings], Iterable[Problem]]

RULES: tuple[Rule, ...] = (
    naming.service_name,
    images.model_image,
    images.engine_image,
    images.pull_policy,
    images.routing_proxy_image,
    images.picker_image,
    images.pull_secrets,
    storage.plain_http,
    mounts.mount_path_taken,
    mounts.mount_path_unusable,
    environment.variables,
    environment.repeated,
    environment.computed,
    environment.nixl_port,
    ports.picker_port,
    ports.proxy_port,
    devices.by_hand,
    devices.data_parallel,
    resources.roles_resources,
    resources.picker_resources,
    scheduling.placement,
    proxy.connector,
    proxy.proxy_tls,
    routing.hostnames,
    routing.gateway,
    monitoring.interval,
    monitoring.port_name,
    monitoring.missing_token,
    monitoring.tracing_endpoint,
)
