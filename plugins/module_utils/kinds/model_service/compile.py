# SPDX-License-Identifier: GPL-3.0-or-later
"""From one ModelService to everything it wants to exist."""

from __future__ import annotations

from collections.abc import Callable

from ...kube.intent import Child, Intent, present
from ...kube.reader import Reader
from .children.decode_deployment import decode_deployment
from .children.destination_rule import destination_rule
from .children.http_route import http_route
from .children.inference_pool import inference_pool
from .children.picker_cluster_role import picker_cluster_role, picker_cluster_role_binding
from .children.picker_config import picker_config
from .children.picker_deployment import picker_deployment
from .children.picker_role import picker_role, picker_role_binding
from .children.picker_secret import picker_secret
from .children.picker_service import picker_service
from .children.picker_service_account import picker_service_account
from .children.pod_monitor import decode_pod_monitor, prefill_pod_monitor
from .children.prefill_deployment import prefill_deployment
from .children.service_monitor import service_monitor
from .settings import Settings
from .spec import ModelService

#: Every child that a service can have, in the order in which the operator makes them.
CHILDREN: tuple[Callable[[ModelService, Settings], Child | None], ...] = (
    decode_deployment,
    prefill_deployment,
    picker_service_account,
    picker_config,
    picker_deployment,
    picker_service,
    picker_secret,
    picker_role,
    picker_role_binding,
    picker_cluster_role,
    picker_cluster_role_binding,
    inference_pool,
    http_route,
    destination_rule,
    decode_pod_monitor,
    prefill_pod_monitor,
    service_monitor,
)


def compile(service: ModelService, settings: Settings, reader: Reader) -> Intent:  # noqa: A001, ARG001
    """Return the service's intent.

    reader: not asked, since no child of a ModelService depends on what is in the cluster; other kinds need it.
    """
    children = present(build(service, settings) for build in CHILDREN)
    return Intent(parent=service.document, children=children, basis=service)
