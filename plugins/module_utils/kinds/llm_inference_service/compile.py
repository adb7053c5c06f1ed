# SPDX-License-Identifier: GPL-3.0-or-later
"""From one LLMInferenceService to everything it wants to exist."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from ...kube.intent import Child, Intent, present
from ...kube.problem import Complaint, InputError, Problem
from ...kube.reader import Reader
from ..children import Children, Made, ObjectKind
from ..kserve.local_models import CACHE, NAMESPACE_CACHE
from ..kserve.releases import KServe
from ..peers import NOBODY, Peers
from .accounts import check_accounts
from .admission.service import update_errors
from .child_kinds import (
    CLUSTER_ROLE_BINDING,
    CONFIG_MAP,
    DEPLOYMENT,
    GROUP,
    RESOURCE_CLAIM_TEMPLATE,
    ROLE,
    ROLE_BINDING,
    SECRET,
    SERVICE,
    SERVICE_ACCOUNT,
)
from .children.autoscalers import (
    HPA,
    MAIN,
    PREFILL,
    SCALED_OBJECT,
    VARIANT,
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
from .children.own_tokenizer import own_tokenizer, own_tokenizer_service
from .children.picker_access import (
    picker_cluster_role_binding,
    picker_role,
    picker_role_binding,
    picker_service_account,
)
from .children.picker_deployment import picker_deployment
from .children.picker_service import picker_service
from .children.resource_claim_template import resource_claim_template
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
from .managed_devices import DEVICE_CLASS
from .presets.resolve import resolve
from .resolved import Resolved
from .router.kinds import OLD_POOL, POOL, ROUTE
from .router.routing_group import routing_group
from .settings import Settings
from .spec import LlmInferenceService

Builder: TypeAlias = Callable[[Resolved, Reader], "Child | None"]

#: Where a service asks for pods that are scaled.
_SCALED = (("spec", "scaling"), ("spec", "prefill", "scaling"))
#: Where it asks for devices by claims.
_CLAIMING = (("metadata", "annotations", DEVICE_CLASS),)


def _scaler(build: Builder, kind: ObjectKind, until: KServe | None = None) -> Made[Builder]:
    return Made(build, kind, since=KServe.V0_18, until=until, asked_by=_SCALED)


#: What serves the model, then what brings requests to it, in the order in which the controller makes it.
CHILDREN: Children[Builder] = Children(
    Made(global_ca_bundle, CONFIG_MAP),
    Made(certificate_secret, SECRET),
    Made(
        resource_claim_template,
        RESOURCE_CLAIM_TEMPLATE,
        since=KServe.V0_20,
        asked_by=_CLAIMING,
    ),
    Made(multi_node_service_account, SERVICE_ACCOUNT),
    Made(multi_node_role, ROLE),
    Made(multi_node_role_binding, ROLE_BINDING),
    Made(multi_node_prefill_service_account, SERVICE_ACCOUNT),
    Made(main_group, GROUP),
    Made(prefill_group, GROUP),
    Made(main_service_account, SERVICE_ACCOUNT),
    Made(main_role, ROLE),
    Made(main_role_binding, ROLE_BINDING),
    Made(main_deployment, DEPLOYMENT),
    Made(prefill_deployment, DEPLOYMENT),
    Made(workload_service, SERVICE),
    _scaler(partial(variant_autoscaling, MAIN), VARIANT, until=KServe.V0_21),
    _scaler(partial(scaled_object, MAIN), SCALED_OBJECT),
    _scaler(partial(pod_autoscaler, MAIN), HPA),
    _scaler(partial(variant_autoscaling, PREFILL), VARIANT, until=KServe.V0_21),
    _scaler(partial(scaled_object, PREFILL), SCALED_OBJECT),
    _scaler(partial(pod_autoscaler, PREFILL), HPA),
    Made(picker_service_account, SERVICE_ACCOUNT),
    Made(picker_cluster_role_binding, CLUSTER_ROLE_BINDING),
    Made(picker_role, ROLE),
    Made(picker_role_binding, ROLE_BINDING),
    Made(own_tokenizer, DEPLOYMENT, since=KServe.V0_21),
    Made(own_tokenizer_service, SERVICE, since=KServe.V0_21),
    Made(picker_deployment, DEPLOYMENT),
    Made(picker_service, SERVICE),
    Made(inference_pool, POOL),
    Made(old_inference_pool, OLD_POOL),
    Made(http_route, ROUTE),
)


def compile(  # noqa: A001
    service: LlmInferenceService, settings: Settings, reader: Reader, peers: Peers = NOBODY
) -> Intent:
    """Return the service's intent. Raises InputError where it cannot be built, and says what the controller would report."""
    changed = _refused_changes(service, reader)
    if changed:
        raise InputError([Complaint(service.subject, changed)])
    reader = peers.planned(reader, CACHE, NAMESPACE_CACHE)
    try:
        resolved = resolve(service, settings, reader)
        group = routing_group(resolved, peers, reader)
        if group is not None:
            resolved = replace(resolved, group=group)
        wanted = children(resolved, reader)
    except Unbuildable as error:
        raise error.as_input_error(service) from None
    return Intent(
        service.document,
        wanted,
        basis=resolved,
        nothing=resolved.stopped,
        peers=group.asked if group else (),
    )


def _refused_changes(service: LlmInferenceService, reader: Reader) -> tuple[Problem, ...]:
    """Return what of a service that is there may not become what it is to be: KServe's webhook refuses it, and the API of groups."""
    live = reader.get(service.reference)
    old = (live or {}).get("spec")
    errors = update_errors(old, service.spec) if old else []
    advice = "; remove the service (state: absent) and create it again, or give it another name"
    return tuple(Problem(each.field, f"{each.detail}{advice}", rule="webhook") for each in errors)


def children(resolved: Resolved, reader: Reader) -> tuple[Child, ...]:
    """Return everything that a resolved service wants. Raises Unbuildable."""
    check_accounts(resolved, reader)
    builders = CHILDREN.at(resolved.settings.release)
    return present(build(resolved, reader) for build in builders)
