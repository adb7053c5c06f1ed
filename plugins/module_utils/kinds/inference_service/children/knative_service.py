# SPDX-License-Identifier: GPL-3.0-or-later
"""The Knative Service of a component in Knative mode. Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/knative/ksvc_reconciler.go@v0.17.0."""

from __future__ import annotations

from ....kube.fields import filled
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest, value_at
from ...kserve.knative.names import KNATIVE_API, PASSTHROUGH
from ...kserve.knative.scaling import scaling_annotations
from ..pods.component import Component
from ..pods.webhook_emulation import Mutator
from ..resolved import Resolved

#: Annotations of the Knative Service itself; its revisions do not get them.
_OF_SERVICE = ("serving.knative.dev/rollout-duration", PASSTHROUGH)
_TAG_ANNOTATION = "serving.kserve.io/enable-tag-routing"
_ALL = 100


def knative_service(component: Component, resolved: Resolved, mutate: Mutator) -> Child:
    """Return the Knative Service of a component.

    labels: those of its revisions lack what is withheld from them, above all who may reach the service.
    """
    withheld = resolved.config.disallowed_labels
    labels = {key: value for key, value in component.labels.items() if key not in withheld}
    template = mutate(
        {
            "metadata": filled({"labels": labels, "annotations": _annotations(component)}),
            "spec": {**component.pod, **_limits(component)},
        }
    )
    own = {key: component.annotations[key] for key in _OF_SERVICE if key in component.annotations}
    return Child(
        stage=Stage.WORKLOAD,
        manifest=Manifest(
            api_version=KNATIVE_API,
            kind="Service",
            name=component.name,
            namespace=resolved.service.namespace,
            labels=component.labels,
            annotations=own,
            body={"spec": {"template": template, "traffic": _traffic(component, resolved)}},
        ),
    )


def _annotations(component: Component) -> dict[str, str]:
    given = component.annotations.items()
    kept = {key: value for key, value in given if key not in _OF_SERVICE}
    return scaling_annotations(component.spec, kept)


def _limits(component: Component) -> Json:
    """Return how long a request may take, in seconds, and how many a pod takes at once."""
    seconds = component.spec.get("timeout")
    limits = {
        "timeoutSeconds": seconds,
        "responseStartTimeoutSeconds": seconds,
        "containerConcurrency": component.spec.get("containerConcurrency"),
    }
    return {field: value for field, value in limits.items() if value is not None}


def _traffic(component: Component, resolved: Resolved) -> list[Json]:
    """Return who gets which share of the requests, in per cent: with a canary, the revision rolled out before gets the rest."""
    tagged = component.annotations.get(_TAG_ANNOTATION) == "true"
    tag = {"tag": "latest"} if tagged else {}
    share = component.spec.get("canaryTrafficPercent")
    path = ("components", component.role, "latestRolledoutRevision")
    before = value_at(resolved.status, path)
    if share is None or not before:
        return [{"latestRevision": True, "percent": _ALL, **tag}]
    latest: Json = {"latestRevision": True, "percent": share, **tag}
    if share >= _ALL:
        return [latest]
    rest = {
        "revisionName": before,
        "latestRevision": False,
        "percent": _ALL - share,
        "tag": "prev",
    }
    return [latest, rest]
