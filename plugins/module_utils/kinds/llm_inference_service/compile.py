# SPDX-License-Identifier: GPL-3.0-or-later
"""From one LLMInferenceService to everything it wants to exist."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ...kube.intent import Child, Intent, present
from ...kube.problem import Complaint, InputError, Problem
from ...kube.reader import Reader
from ..conflicting_parts import object_faults
from .accounts import check_accounts, check_picker_account
from .admission.service import update_errors
from .children.autoscalers import (
    MAIN,
    PREFILL,
    pod_autoscaler,
    scaled_object,
    variant_autoscaling,
)
from .children.certificate_secret import certificate_secret
from .children.deployments import main_deployment, prefill_deployment
from .children.global_ca_bundle import global_ca_bundle
from .children.http_route import http_route
from .children.inference_pools import inference_pool, old_inference_pool
from .children.leader_worker_sets import main_group, prefill_group
from .children.picker_access import (
    picker_cluster_role_binding,
    picker_role,
    picker_role_binding,
    picker_service_account,
)
from .children.picker_deployment import picker_deployment
from .children.picker_service import picker_service
from .children.sidecar_access import (
    main_role,
    main_role_binding,
    main_service_account,
    multi_node_prefill_service_account,
    multi_node_role,
    multi_node_role_binding,
    multi_node_service_account,
)
from .children.workload_service import workload_service
from .errors import Unbuildable
from .presets.resolve import resolve
from .resolved import Resolved
from .settings import Settings
from .spec import LlmInferenceService

Builder: TypeAlias = Callable[[Resolved, Reader], "Child | None"]

#: What serves the model, in the order in which the controller makes it.
WORKLOADS: tuple[Builder, ...] = (
    global_ca_bundle,
    certificate_secret,
    multi_node_service_account,
    multi_node_role,
    multi_node_role_binding,
    multi_node_prefill_service_account,
    main_group,
    prefill_group,
    main_service_account,
    main_role,
    main_role_binding,
    main_deployment,
    prefill_deployment,
    workload_service,
    partial(variant_autoscaling, MAIN),
    partial(scaled_object, MAIN),
    partial(pod_autoscaler, MAIN),
    partial(variant_autoscaling, PREFILL),
    partial(scaled_object, PREFILL),
    partial(pod_autoscaler, PREFILL),
)

#: What brings requests to it.
ROUTER: tuple[Builder, ...] = (
    picker_service_account,
    picker_cluster_role_binding,
    picker_role,
    picker_role_binding,
    picker_deployment,
    picker_service,
    inference_pool,
    old_inference_pool,
    http_route,
)


def compile(service: LlmInferenceService, settings: Settings, reader: Reader) -> Intent:  # noqa: A001
    """Return the service's intent. Raises InputError where it cannot be built, and says what the controller would report."""
    changed = _refused_changes(service, reader)
    if changed:
        raise InputError([Complaint(service.subject, changed)])
    try:
        resolved = resolve(service, settings, reader)
        wanted = children(resolved, reader)
    except Unbuildable as error:
        raise error.as_input_error(service) from None
    faults = tuple(fault for child in wanted for fault in object_faults(child.manifest))
    if faults:
        raise InputError([Complaint(service.subject, faults)])
    return Intent(service.document, wanted, basis=resolved, nothing=resolved.stopped)


def _refused_changes(service: LlmInferenceService, reader: Reader) -> tuple[Problem, ...]:
    """Return what of a service that is there may not become what it is to be: KServe's webhook refuses it, and the API of groups."""
    live = reader.get(service.reference)
    old = (live or {}).get("spec")
    errors = update_errors(old, service.spec) if old else []
    advice = "; remove the service (state: absent) and make it anew, or give it another name"
    return tuple(Problem(each.field, f"{each.detail}{advice}", rule="webhook") for each in errors)


def children(resolved: Resolved, reader: Reader) -> tuple[Child, ...]:
    """Return everything that a resolved service wants. Raises Unbuildable."""
    check_accounts(resolved, reader)
    check_picker_account(resolved, reader)
    return present(build(resolved, reader) for build in (*WORKLOADS, *ROUTER))
