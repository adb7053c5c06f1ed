# SPDX-License-Identifier: GPL-3.0-or-later
"""The condition types of an InferenceService. Source: KServe pkg/apis/serving/v1beta1/inference_service_status.go@v0.17.0."""

from __future__ import annotations

from typing import get_args

from ..names import Role

READY = "Ready"
PREDICTOR = "PredictorReady"
INGRESS = "IngressReady"
STOPPED = "Stopped"
ROUTES = "RoutesReady"
LATEST = "LatestDeploymentReady"
CANARIES = "CanaryPredictorReady"

#: What a service needs to be ready. Transformer and explainer act through IngressReady.
DEPENDENTS = (PREDICTOR, INGRESS)
#: Conditions whose failure matters to others; all others only inform.
SEVERE = frozenset({READY, *DEPENDENTS})

#: The reason of everything in a stopped service.
STOPPED_REASON = "Stopped"


def ready(role: Role) -> str:
    """Return the condition that says whether a component does its work."""
    return f"{role.capitalize()}Ready"


def route_ready(role: Role) -> str:
    """Return the condition that says whether Knative routes to a component."""
    return "ExplainerRoutesReady" if role == "explainer" else f"{role.capitalize()}RouteReady"


def configuration_ready(role: Role) -> str:
    """Return the condition that says whether Knative has a revision of a component."""
    return f"{role.capitalize()}ConfigurationReady"


#: All of them.
ALL = (
    READY,
    PREDICTOR,
    INGRESS,
    STOPPED,
    ROUTES,
    LATEST,
    CANARIES,
    *(say(role) for role in get_args(Role) for say in (ready, route_ready, configuration_ready)),
)
