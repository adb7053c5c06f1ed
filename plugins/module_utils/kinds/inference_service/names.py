# SPDX-License-Identifier: GPL-3.0-or-later
"""How the objects of an InferenceService are called. Source: KServe pkg/constants/constants.go@v0.17.0."""

from __future__ import annotations

from typing import Literal

#: The parts that a service may have, in the order in which the controller looks after them.
Role = Literal["predictor", "transformer", "explainer"]


def component(service: str, role: Role, variant: str = "") -> str:
    """Return the name of everything that belongs to one component: Deployment, Service, autoscaler, Knative Service, route.

    variant: `name` of a predictor, empty where it has none.
    """
    return f"{service}-{variant}-{role}" if variant else f"{service}-{role}"


def workers(service: str) -> str:
    """Return the name of the Deployment of a predictor's workers."""
    return f"{component(service, 'predictor')}-worker"


def head_service(service: str, generation: int) -> str:
    """Return the name of the Service by which workers find their head. generation: that of the custom resource."""
    return f"{service}-head-{generation}"


def workers_service(service: str, generation: int) -> str:
    """Return the name of the Service by which the nodes find their workers. generation: that of the custom resource."""
    return f"{service}-workers-{generation}"


def model_config(service: str) -> str:
    """Return the name of the ConfigMap that tells the agent of a multi-model predictor its models. There is one shard."""
    return f"modelconfig-{service}-0"
