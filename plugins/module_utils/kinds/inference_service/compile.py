# SPDX-License-Identifier: GPL-3.0-or-later
"""From one InferenceService to everything it wants to exist.

Where the controller waits with a child until another one is ready, we make it in the same run.
Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/raw/raw_kube_reconciler.go,
pkg/controller/v1beta1/inferenceservice/reconcilers/knative/ksvc_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from ...kube.intent import Child, Intent, present
from ...kube.problem import Complaint, InputError
from ...kube.reader import Reader
from ..children import Children, Made
from ..kserve.framework import authors_field
from ..kserve.host_name import HostError
from ..kserve.local_models import CACHE, NAMESPACE_CACHE
from ..kserve.modes import STANDARD
from ..kserve.releases import KServe
from ..kserve.system_config import Misconfigured
from ..peers import NOBODY, Peers
from .child_kinds import (
    COLLECTOR,
    CONFIG_MAP,
    DEPLOYMENT,
    HPA,
    INGRESS,
    KNATIVE_SERVICE,
    ROUTE,
    SCALED_OBJECT,
    SERVICE,
    VIRTUAL_SERVICE,
)
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
from .children.services import component_service, head_service, workers_service
from .children.virtual_service import virtual_service
from .errors import RECONCILE_FAILED, NotAdmitted, Unbuildable
from .pods.component import Component
from .pods.webhook_emulation import Mutator, mutator
from .resolved import Resolved
from .resolved_service import resolved_service, stopped_service
from .router.component_host import component_host
from .router.hosts import service_host, service_path
from .settings import Settings
from .spec import InferenceService

_HOST_ADVICE = "the name comes from `domainTemplate` in inferenceservice-config: shorten the service's name, or change the template"


OfComponent: TypeAlias = Callable[[Component, Resolved, Mutator], "Child | None"]
OfService: TypeAlias = Callable[[Resolved, Reader], tuple[Child, ...]]

#: What a service has in both modes.
_SHARED: Children[OfService] = Children(Made(ca_bundle, CONFIG_MAP), Made(model_config, CONFIG_MAP))
#: What each component has, by mode, in the controller's order.
_STANDARD: Children[OfComponent] = Children(
    Made(opentelemetry_collector, COLLECTOR),
    Made(component_deployment, DEPLOYMENT),
    Made(workers_deployment, DEPLOYMENT),
    Made(component_service, SERVICE),
    Made(head_service, SERVICE),
    Made(workers_service, SERVICE, since=KServe.V0_18),
    Made(horizontal_pod_autoscaler, HPA),
    Made(scaled_object, SCALED_OBJECT),
)
_KNATIVE: Children[OfComponent] = Children(Made(knative_service, KNATIVE_SERVICE))
#: What brings requests to a service, by mode.
_STANDARD_ROUTES: Children[OfService] = Children(Made(ingress, INGRESS), Made(http_routes, ROUTE))
_KNATIVE_ROUTES: Children[OfService] = Children(
    Made(external_service, SERVICE), Made(virtual_service, VIRTUAL_SERVICE)
)
CHILDREN: Children[OfService | OfComponent] = Children(
    *_SHARED.made, *_STANDARD.made, *_STANDARD_ROUTES.made, *_KNATIVE.made, *_KNATIVE_ROUTES.made
)


def compile(  # noqa: A001
    service: InferenceService,
    settings: Settings,
    reader: Reader,
    peers: Peers = NOBODY,
) -> Intent:
    """Return the service's intent. Raises InputError where it cannot be built, and says what the controller would report."""
    reader = peers.planned(reader, CACHE, NAMESPACE_CACHE)
    try:
        resolved = resolved_service(service, settings, reader)
        wanted = children(resolved, reader)
    except (InputError, Unbuildable, Misconfigured) as error:
        if not service.stopped or isinstance(error, NotAdmitted):
            raise _told(service, error) from None
        resolved, wanted = stopped_service(service, settings, reader), ()
    stopped = resolved.service.stopped
    return Intent(
        parent=service.document,
        children=wanted,
        basis=resolved,
        nothing=stopped,
        of_generation=any(component.workers for component in resolved.components.items),
    )


def _told(service: InferenceService, error: InputError | Unbuildable | Misconfigured) -> InputError:
    """Return an error with the service that it is about, at the fields that its author wrote."""
    if isinstance(error, Unbuildable):
        error = error.as_input_error(service)
    if isinstance(error, Misconfigured):
        return InputError([Complaint(service.subject, error.problems)])
    return InputError(
        Complaint(
            complaint.subject,
            tuple(
                replace(problem, path=authors_field(problem.path, service.document))
                for problem in complaint.problems
            ),
        )
        for complaint in error.complaints
    )


def children(resolved: Resolved, reader: Reader) -> tuple[Child, ...]:
    """Return everything that a service wants. Raises Unbuildable and Misconfigured."""
    mutate = mutator(resolved, reader)
    wanted: list[Child | None] = _of_service(_SHARED, resolved, reader)
    if not resolved.service.stopped:
        for component in resolved.components.workloads:
            if resolved.mode == STANDARD:
                # The controller does so before it sees that a component is stopped by itself.
                _check_host(component, resolved)
                autoscaler_class(component)
            if not component.stopped:
                wanted += _of_component(component, resolved, mutate)
    try:
        _check_hosts(resolved)
        routes = _STANDARD_ROUTES if resolved.mode == STANDARD else _KNATIVE_ROUTES
        wanted += _of_service(routes, resolved, reader)
    except HostError as error:
        message = f"fails to reconcile ingress: {error}"
        raise Unbuildable(message, advice=_HOST_ADVICE, rule="host") from None
    return present(wanted)


def _of_service(
    made: Children[OfService], resolved: Resolved, reader: Reader
) -> list[Child | None]:
    builders = made.at(resolved.settings.release)
    return [child for build in builders for child in build(resolved, reader)]


def _of_component(
    component: Component, resolved: Resolved, mutate: Mutator
) -> Iterator[Child | None]:
    """Yield what a component needs."""
    builders = _STANDARD if resolved.mode == STANDARD else _KNATIVE
    for build in builders.at(resolved.settings.release):
        yield build(component, resolved, mutate)


def _check_hosts(resolved: Resolved) -> None:
    """Raise HostError where the service has no host name or path, also where only the status shows it."""
    service, config = resolved.service, resolved.config.ingress
    service_path(service, config)
    if resolved.mode == STANDARD:
        service_host(service, service.name, config)


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
