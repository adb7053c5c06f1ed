# SPDX-License-Identifier: GPL-3.0-or-later
"""Who sets the number of a component's pods in Standard mode.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/autoscaler/autoscaler_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from ....kube import gvk
from ....kube.reference import Reference
from ...kserve.autoscaler_class import (
    AUTOSCALER_ANNOTATION,
    AUTOSCALER_HPA,
    CLASSES,
    AutoscalerClass,
)
from ..errors import RECONCILE_FAILED, Unbuildable
from ..pods.component import Component
from ..resolved import Resolved

HPA_API, HPA = gvk.AUTOSCALING, "HorizontalPodAutoscaler"
KEDA_API, SCALED_OBJECT = gvk.KEDA, "ScaledObject"


def autoscaler_class(component: Component) -> AutoscalerClass:
    """Return the class that a component's annotations ask for. Raises Unbuildable for one that nobody knows."""
    wanted = component.annotations.get(AUTOSCALER_ANNOTATION, AUTOSCALER_HPA)
    for known in CLASSES:
        if wanted == known:
            return known
    raise Unbuildable(
        f"unknown autoscaler class type: {wanted}",
        role=component.role,
        reason=RECONCILE_FAILED,
        path=f'metadata.annotations["{AUTOSCALER_ANNOTATION}"]',
        advice=f"write one of {', '.join(CLASSES)}",
        rule="autoscaler",
    )


def pod_autoscaler_reference(component: Component, resolved: Resolved) -> Reference:
    """Return the HorizontalPodAutoscaler that a component has, or had before KEDA took over: two cannot scale one Deployment."""
    return Reference(HPA_API, HPA, resolved.service.namespace, component.name)


def scaled_object_reference(component: Component, resolved: Resolved) -> Reference:
    """Return the ScaledObject that a component has, or had."""
    return Reference(KEDA_API, SCALED_OBJECT, resolved.service.namespace, component.name)
