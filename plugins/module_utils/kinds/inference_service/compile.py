# SPDX-License-Identifier: GPL-3.0-or-later
"""From one InferenceService to everything it wants to exist.

Where the controller waits with a child until another one is ready, we make it in the same run.
Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/raw/raw_kube_reconciler.go,
pkg/controller/v1beta1/inferenceservice/reconcilers/knative/ksvc_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.intent import Child, Intent, present
from ...kube.problem import Complaint, InputError
from ...kube.reader import Reader
from ..conflicting_parts import object_faults
from ..kserve.modes import STANDARD
from ..kserve.system_config import Misconfigured
from .children.autoscaler_class import autoscaler_class
from .children.ca_bundle import ca_bundle
from .children.deployments import component_deployment, workers_deployment
from .children.external_service import external_service
from .children.horizontal_pod_autoscaler import horizontal_pod_autoscaler
from .children.http_routes import http_routes
from .children.ingress import ingress
from .children.knative_service import knative_service
from .children.model_config import model_config
from .children.opentelemetry_collector import opentelemetry_collector
from .children.scaled_object import scaled_object
from .children.services import component_service, head_service
from .children.virtual_service import virtual_service
from .errors import RECONCILE_FAILED, Unbuildable
from .pods.component import Component, Components
from .pods.webhook_emulation import Mutator, mutator
from .resolved import Resolved
from .resolved_service import resolved_service
from .router.component_host import component_host
from .router.hosts import HostError, service_host, service_path
from .settings import Settings
from .spec import InferenceService

_HOST_ADVICE = "the name comes from `domainTemplate` in inferenceservice-config: shorten the service's name, or change the template"


def compile(service: InferenceService, settings: Settings, reader: Reader) -> Intent:  # noqa: A001
    """Return the service's intent. Raises InputError where it cannot be built, and says what the controller would report."""
    try:
        resolved = resolved_service(service, settings, reader)
        wanted = children(resolved, reader)
    except Unbuildable as error:
        raise error.as_input_error(service) from None
    except Misconfigured as error:
        raise InputError([Complaint(service.subject, error.problems)]) from None
    faults = tuple(fault for child in wanted for fault in object_faults(child.manifest))
    if faults:
        raise InputError([Complaint(service.subject, faults)])
    stopped = resolved.service.stopped
    return Intent(
        parent=service.document,
        children=wanted,
        basis=resolved,
        nothing=stopped,
        of_generation=any(component.workers for component in resolved.components.items),
    )


def children(resolved: Resolved, reader: Reader) -> tuple[Child, ...]:
    """Return everything that a service wants. Raises Unbuildable and Misconfigured."""
    components = resolved.components
    mutate = mutator(resolved, reader)
    wanted = [ca_bundle(resolved, reader), model_config(components, resolved)]
    if not resolved.service.stopped:
        for component in (each for each in components.items if not each.stopped):
            if resolved.mode == STANDARD:
                wanted += _of_standard(component, resolved, mutate)
            else:
                wanted.append(knative_service(component, resolved, mutate))
    try:
        wanted += _routes(resolved, components, reader)
    except HostError as error:
        message = f"fails to reconcile ingress: {error}"
        raise Unbuildable(message, advice=_HOST_ADVICE, rule="host") from None
    return present(wanted)


def _of_standard(
    component: Component, resolved: Resolved, mutate: Mutator
) -> Iterator[Child | None]:
    """Yield what a component needs in Standard mode, in the controller's order."""
    _check_host(component, resolved)
    autoscaler_class(component)
    yield opentelemetry_collector(component, resolved)
    yield component_deployment(component, resolved, mutate)
    yield workers_deployment(component, resolved, mutate)
    yield component_service(component, resolved)
    yield head_service(component, resolved)
    yield horizontal_pod_autoscaler(component, resolved)
    yield scaled_object(component, resolved)


def _routes(resolved: Resolved, components: Components, reader: Reader) -> Iterator[Child | None]:
    """Yield what brings requests to the service. Raises HostError, also where only the status shows a name."""
    service, config = resolved.service, resolved.config.ingress
    service_path(service, config)
    if resolved.mode == STANDARD:
        service_host(service, service.name, config)
        yield None if components.some_stopped else ingress(resolved)
        yield from http_routes(components, resolved)
    else:
        yield external_service(resolved)
        if not components.some_stopped:
            yield virtual_service(components, resolved, reader)


def _check_host(component: Component, resolved: Resolved) -> None:
    """Raise Unbuildable where a component has no host name: the controller asks for it before it makes anything."""
    try:
        component_host(component, resolved)
    except HostError as error:
        raise Unbuildable(
            f"fails to create NewRawKubeReconciler for {component.role}: {error}",
            role=component.role,
            reason=RECONCILE_FAILED,
            path="metadata.name",
            advice=_HOST_ADVICE,
            rule="host",
        ) from None
