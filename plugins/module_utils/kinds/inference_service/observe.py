# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of an InferenceService, from its live children and their pods.

The conditions are the controller's, after as many of its runs as change something. `ready` asks for more: the pods have to be of
the present templates. Source: KServe pkg/apis/serving/v1beta1/inference_service_status.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...kube.condition import Acceptance, acceptance
from ...kube.fault import WorkloadFault
from ...kube.manifest import Json
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.rollout import Rollout, read_rollout
from ..kind import Observation
from ..kserve.knative.service_status import is_current, refused
from ..kserve.modes import KNATIVE, STANDARD
from .conditions.reconcile_pass import deployments, knative_reference, observe_once
from .conditions.routing import route_references
from .conditions.status_builder import StatusBuilder
from .conditions.types import INGRESS, PREDICTOR, READY
from .errors import RECONCILE_FAILED
from .pods.component import Components
from .resolved import Resolved
from .router.front_component import has_routes
from .runtimes.runtime import NAMESPACED
from .trained_model_status import answered

#: How often the controller's run is repeated at most. It settles in three: what one run says of the model, the next one reads.
_RUNS = 5


def observe(resolved: Resolved, reader: Reader, pods: Sequence[Json] = ()) -> Observation:
    """Return the status that live objects give a service.

    reader: sees its children, and its custom resource with the status until now. pods: any pods, the predictor's among them.
    """
    components = resolved.components
    parent = reader.get(resolved.service.reference) or {}
    draft = StatusBuilder.of(parent.get("status") or {})
    for dummy in range(_RUNS):
        before = draft.to_json()
        observe_once(draft, resolved, components, reader, pods)
        if draft.to_json() == before:
            break
    workloads = [] if resolved.service.stopped else _workloads(resolved, components, reader)
    rollouts = [read_rollout(live, pods) for kind, live in workloads if kind == "Deployment"]
    routes = _routes(resolved, reader)
    current = all(rollout.complete for rollout in rollouts) and all(
        is_current(live) for kind, live in workloads if kind != "Deployment"
    )
    said_ready = draft.conditions.status(READY) == "True"
    return Observation(
        status={**draft.to_json(), **_facts(resolved, components)},
        ready=said_ready and current,
        faults=(
            *_stopped(resolved, components),
            *_faults(resolved, draft, rollouts, routes, workloads),
        ),
        awaited={INGRESS: tuple(one for said in routes for one in said.awaited)} if routes else {},
        url=draft.url,
        answered=tuple(answered(resolved, draft.to_json(), ready=said_ready)),
    )


def reconcile_error(observation: Observation, message: str) -> Observation:
    """Return the observation of a service of which a child could not be applied: the controller says so of the predictor."""
    draft = StatusBuilder.of(observation.status)
    draft.conditions.put(PREDICTOR, "False", RECONCILE_FAILED, message)
    status = {**observation.status, "conditions": draft.conditions.to_json()}
    faults = (WorkloadFault(RECONCILE_FAILED, message), *observation.faults)
    return replace(observation, status=status, ready=False, faults=faults, answered=())


def _facts(resolved: Resolved, components: Components) -> Json:
    """Return how the service is run and what serves its model."""
    runtime = components.runtime
    if runtime is None:
        return {"deploymentMode": resolved.mode}
    field = "servingRuntimeName" if runtime.kind == NAMESPACED else "clusterServingRuntimeName"
    return {"deploymentMode": resolved.mode, field: runtime.name}


def _workloads(
    resolved: Resolved, components: Components, reader: Reader
) -> list[tuple[str, Json | None]]:
    found: list[Reference] = []
    for component in components.workloads:
        if resolved.mode == STANDARD:
            found += deployments(component, resolved)
        else:
            found.append(knative_reference(component, resolved))
    return [(reference.kind, reader.get(reference)) for reference in found]


def _routes(resolved: Resolved, reader: Reader) -> list[Acceptance]:
    """Return what gateways say of each HTTPRoute."""
    if resolved.mode == KNATIVE or not has_routes(resolved):
        return []
    if not resolved.config.ingress.enable_gateway_api:
        return []
    references = [reference for dummy, reference in route_references(resolved)]
    return [acceptance(reader.get(one), f"HTTPRoute {one.name}") for one in references]


def _stopped(resolved: Resolved, components: Components) -> Iterator[WorkloadFault]:
    """Yield the components that are stopped by themselves, for which a service waits in vain."""
    for component in components.items:
        if component.stopped and not resolved.service.stopped:
            yield WorkloadFault("Stopped", f"its {component.role} is stopped by an annotation")


def _faults(
    resolved: Resolved,
    draft: StatusBuilder,
    rollouts: Sequence[Rollout],
    routes: Sequence[Acceptance],
    workloads: Sequence[tuple[str, Json | None]],
) -> Iterator[WorkloadFault]:
    """Yield what waiting does not mend."""
    if resolved.service.stopped:
        yield WorkloadFault("Stopped", "the service is stopped by its annotation")
        return
    failure = draft.model.get("lastFailureInfo") or {}
    if draft.model.get("transitionStatus") == "BlockedByFailedLoad" and failure:
        text = failure.get("message") or f"exit code {failure.get('exitCode')}"
        yield WorkloadFault(failure.get("reason") or "", f"the model does not load: {text}")
    said = [*(rollout.fault for rollout in rollouts), *(route.fault for route in routes)]
    yield from (fault for fault in said if fault is not None)
    for kind, live in workloads:
        if kind != "Deployment" and live is not None:
            yield from refused(live)
