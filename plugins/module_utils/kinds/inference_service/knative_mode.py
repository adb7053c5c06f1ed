# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of services in Knative mode: what Knative refuses, passes by or does not know yet.

Source: KServe v0.17.0, pkg/controller/v1beta1/inferenceservice and pkg/webhook/admission/pod.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reader import Reader
from ..check import ERROR, WARNING, Check, check
from ..kserve.knative.annotations import annotation_faults, class_of
from ..kserve.knative.features import FEATURES_OFF, switched_off, told_off
from ..kserve.knative.limits import BEYOND_LIMITS, number_faults, port_faults
from ..kserve.modes import KNATIVE
from ..view import ServiceView
from .errors import Unbuildable
from .pods.build import models_refused
from .pods.webhook_emulation import is_rendered, mutator
from .resolved import Resolved
from .router.front_component import front_role, has_routes
from .router.knative_host import DOMAINS, knative_host

NO_HOST = Check(
    "host",
    WARNING,
    finds=f"no VirtualService is created: Knative has reported no host name, and {DOMAINS} names no domain for all Services",
    fix="{way}",
)
MODELS = Check(
    "storage-uris",
    WARNING,
    finds="{message}: in Knative mode KServe continues without the models",
    fix="{advice}",
)
AGENT = Check(
    "agent-knative",
    WARNING,
    finds="logger, batcher and multi-model serving need an agent that KServe's webhook puts behind Knative's proxy when a pod is "
    "created; without that webhook Knative sends requests past it",
    fix="use Standard mode, or keep the webhook",
)


@check(NO_HOST, reads=("Services of Knative", "ConfigMaps"))
def no_host(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield services in Knative mode whose host name is not known yet."""
    resolved: Resolved = view.basis
    components = resolved.components
    unwanted = resolved.config.ingress.disable_virtual_host or components.some_stopped
    if resolved.mode != KNATIVE or unwanted or not has_routes(resolved):
        return
    if not knative_host(resolved, components.of(front_role(resolved.service)).labels, reader):
        way = (
            "run again once it has" if reader.complete else "give that ConfigMap in cluster_objects"
        )
        yield NO_HOST.at("", way=way)


@check(MODELS, reads=("Secrets", "ServiceAccounts"))
def models(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield models that KServe leaves out in Knative mode."""
    resolved: Resolved = view.basis
    for component in resolved.components.items if resolved.mode == KNATIVE else ():
        error = models_refused(component, resolved, reader)
        if error is not None:
            field = f"spec.{component.role}.{error.field}"
            yield MODELS.at(field, message=error.message, advice=error.advice)


@check(AGENT, reads=("MutatingWebhookConfigurations",))
def agent(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield agents in the pod template, which Knative's proxy bypasses."""
    resolved: Resolved = view.basis
    for component in resolved.components.items if resolved.mode == KNATIVE else ():
        if (component.has_agent or component.multi_model) and is_rendered(resolved, reader):
            yield AGENT.at(f"spec.{component.role}")


@check(FEATURES_OFF, reads=("ConfigMaps",))
def features(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield features of pods that are switched off in Knative."""
    resolved: Resolved = view.basis
    for component in resolved.components.items if resolved.mode == KNATIVE else ():
        metadata = {"labels": component.labels, "annotations": component.annotations}
        try:
            finished = mutator(resolved, reader)({"metadata": metadata, "spec": component.pod})
        except Unbuildable:
            continue
        missing = switched_off(finished["spec"], reader)
        if missing:
            yield told_off(f"spec.{component.role}", missing)


@check(BEYOND_LIMITS, reads=("ConfigMaps",))
def knative_limits(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield ports, numbers and annotations that Knative refuses."""
    resolved: Resolved = view.basis
    if resolved.mode != KNATIVE:
        return
    fields = {workload.origin: workload.fields for workload in view.workloads}
    for component in resolved.components.items:
        own = fields.get(f"spec.{component.role}")
        for place, fault in port_faults(component.pod):
            where = own(place) if own else f"spec.{component.role}"
            yield BEYOND_LIMITS.at(where, fault=fault)
        for field, fault, sure in number_faults(component.spec, reader):
            severity = ERROR if sure else WARNING
            yield BEYOND_LIMITS.at(f"spec.{component.role}.{field}", severity=severity, fault=fault)
    of_service = view.document["metadata"].get("annotations") or {}
    for path, given in annotations_of(view):
        for name, fault in annotation_faults(given, class_of(of_service, given)):
            yield BEYOND_LIMITS.at(f'{path}.annotations["{name}"]', fault=fault)


def annotations_of(view: ServiceView) -> Iterator[tuple[str, Json]]:
    """Yield what the author annotates, and where."""
    service = view.basis.service
    yield "metadata", view.document["metadata"].get("annotations") or {}
    for role in service.roles:
        yield f"spec.{role}", service.spec[role].get("annotations") or {}
