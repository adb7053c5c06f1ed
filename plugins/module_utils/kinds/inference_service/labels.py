# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels by which KServe knows what belongs to a service. Source: KServe pkg/constants/constants.go@v0.17.0."""

from __future__ import annotations

from typing import get_args

from ..kserve.modes import STANDARD
from . import names
from .names import Role

Labels = dict[str, str]

SERVICE = "serving.kserve.io/inferenceservice"
COMPONENT = "component"
GENERATION = "isvc.generation"
APP = "app"
_KNATIVE_SERVICE = "serving.knative.dev/service"


def component(service: str, role: Role) -> Labels:
    """Return the labels of a component's objects and pods in either mode."""
    return {SERVICE: service, COMPONENT: role}


def app(workload: str) -> Labels:
    """Return the label by which a Deployment and a Service find their pods. workload: the name of the Deployment."""
    return {APP: f"isvc.{workload}"}


def all_labels(service: str, mode: str) -> dict[str, dict[str, Labels]]:
    """Return the label sets of every component that a service can have: component, set, labels.

    mode: `Standard` or `Knative`. The labels that the service and its runtime bring along are not among them, nor is the generation
    of a predictor with workers.
    """
    found = {}
    for role in get_args(Role):
        found[role] = _sets(component(service, role), names.component(service, role), mode)
    if mode == STANDARD:
        workers = component(service, "predictor")
        found["workers"] = _sets(workers, names.workers(service), mode)
    return found


def _sets(labels: Labels, name: str, mode: str) -> dict[str, Labels]:
    selector = app(name) if mode == STANDARD else {_KNATIVE_SERVICE: name}
    own = {**labels, **(selector if mode == STANDARD else {})}
    return {"object": own, "pod": {**own, **selector}, "selector": selector}
