# SPDX-License-Identifier: GPL-3.0-or-later
"""What one run of the controller says of a service: its components first, then the way to it.

Source: KServe pkg/apis/serving/v1beta1/inference_service_status.go, pkg/controller/v1beta1/inferenceservice/controller.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....kube import gvk
from ....kube.manifest import Json
from ....kube.pod_health import Unread
from ....kube.reader import Reader
from ....kube.reference import Reference
from ...kserve.knative.names import KNATIVE_API
from ...kserve.modes import STANDARD
from ..labels import app
from ..pods.component import Component, Components
from ..resolved import Resolved
from ..router.component_host import component_host
from . import knative
from .canaries import observe_canaries
from .deployments import deployments_verdict
from .model import Serving, model_status, unread_status
from .routing import knative_routing, standard_routing, stopped_routing
from .status_builder import StatusBuilder
from .types import PREDICTOR, READY, STOPPED, STOPPED_REASON, ready

_REVISION_LABEL = "serving.knative.dev/revision"


def observe_once(
    draft: StatusBuilder,
    resolved: Resolved,
    components: Components,
    reader: Reader,
    pods: Sequence[Json],
) -> None:
    """Go once through all parts. pods: any, the predictor's among them."""
    draft.conditions.initialise()
    standard = resolved.mode == STANDARD
    if resolved.service.stopped:
        _stop(draft, resolved, standard=standard)
        observe_canaries(draft, resolved, reader)
        return
    if standard:
        observe_canaries(draft, resolved, reader)
    for component in components.items:
        if standard:
            _standard_component(draft, component, resolved, reader, pods)
        else:
            _knative_component(draft, component, resolved, reader, pods)
    draft.conditions.put(STOPPED, "False")
    if standard:
        standard_routing(draft, resolved, reader)
    else:
        knative.summarise(resolved.service.roles, draft.conditions)
        knative_routing(draft, resolved)


def deployments(component: Component, resolved: Resolved) -> list[Reference]:
    """Return the Deployments of a component: that of its pods first."""
    names = [component.name, *([component.workers.name] if component.workers else [])]
    return [Reference(gvk.APPS, "Deployment", resolved.service.namespace, name) for name in names]


def knative_reference(component: Component, resolved: Resolved) -> Reference:
    """Return the Knative Service of a component."""
    return Reference(KNATIVE_API, "Service", resolved.service.namespace, component.name)


def _stop(draft: StatusBuilder, resolved: Resolved, *, standard: bool) -> None:
    stopped = (draft.conditions.status(PREDICTOR), draft.conditions.reason(PREDICTOR))
    if stopped != ("False", STOPPED_REASON):
        draft.clear()
    for role in resolved.service.roles:
        draft.conditions.put(ready(role), "False", STOPPED_REASON)
    draft.conditions.put(STOPPED, "True")
    stopped_routing(draft, resolved, standard=standard)


def _standard_component(
    draft: StatusBuilder,
    component: Component,
    resolved: Resolved,
    reader: Reader,
    pods: Sequence[Json],
) -> None:
    live = [reader.get(reference) for reference in deployments(component, resolved)]
    verdict = deployments_verdict(live, resolved.settings.release)
    part = draft.components.setdefault(component.role, {})
    if verdict.status == "True":
        part["url"] = f"http://{component_host(component, resolved)}"
    draft.conditions.put(ready(component.role), verdict.status, verdict.reason, verdict.message)
    draft.observed = ((live[0] or {}).get("status") or {}).get("observedGeneration") or 0
    if component.role == "predictor":
        serving = Serving(draft.conditions.status(READY) == "True")
        if isinstance(pods, Unread):
            counted = ((live[0] or {}).get("status") or {}).get("readyReplicas") or 0
            draft.model = unread_status(draft.model, serving, counted)
        else:
            own = _labelled(pods, app(component.name))
            draft.model = model_status(draft.model, own, serving)


def _knative_component(
    draft: StatusBuilder,
    component: Component,
    resolved: Resolved,
    reader: Reader,
    pods: Sequence[Json],
) -> None:
    live = reader.get(knative_reference(component, resolved))
    before = draft.components.get(component.role) or {}
    part = knative.take_over(component.role, before, live, draft.conditions)
    draft.components[component.role] = part
    draft.observed = ((live or {}).get("status") or {}).get("observedGeneration") or 0
    if component.role == "predictor":
        revision = part.get("latestCreatedRevision")
        own = _labelled(pods, {_REVISION_LABEL: revision}) if revision else []
        loaded = draft.conditions.status(READY) == "True" and knative.newest_is_ready(live)
        serving = Serving(loaded, knative.any_failed(live))
        if isinstance(pods, Unread):
            draft.model = unread_status(draft.model, serving, None)
        else:
            draft.model = model_status(draft.model, own, serving)


def _labelled(pods: Sequence[Json], labels: dict[str, str]) -> list[Json]:
    return [pod for pod in pods if labels.items() <= (pod["metadata"].get("labels") or {}).items()]
