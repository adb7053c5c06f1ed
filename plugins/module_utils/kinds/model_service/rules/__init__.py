# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules that the schema cannot say. A rule reads a service and its settings and yields problems.

An error is what leaves no service to make. A warning is what the API server accepts and what cannot do what
its author wants; the children are then the operator's. What the API server refuses of a child is found at the child, as for every kind
(`kube/validation`). `Problem.rule` names the rule in docs/differences.md.
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
    storage,
)

Rule = Callable[[ModelService, Settings], Iterable[Problem]]

RULES: tuple[Rule, ...] = (
    naming.service_name,
    images.model_image,
    images.engine_image,
    images.routing_proxy_image,
    images.picker_image,
    images.pull_secrets,
    storage.plain_http,
    mounts.mount_path_taken,
    mounts.mount_path_unusable,
    environment.unsent,
    environment.repeated,
    environment.computed,
    environment.nixl_port,
    ports.picker_port,
    ports.proxy_port,
    devices.by_hand,
    devices.data_parallel,
    proxy.connector,
    proxy.log,
    proxy.prefill_tls,
    proxy.proxy_tls,
    monitoring.interval,
    monitoring.port_name,
    monitoring.missing_token,
    monitoring.tracing_endpoint,
)
