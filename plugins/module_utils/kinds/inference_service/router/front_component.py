# SPDX-License-Identifier: GPL-3.0-or-later
"""Which component answers the requests to a service, and who may reach it.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...kserve.knative.names import VISIBILITY
from ...kserve.modes import STANDARD
from ..names import Role
from ..resolved import Resolved
from ..spec import InferenceService

CLUSTER_LOCAL = "cluster-local"
#: Who asks for a service without a way in from outside, by deployment mode.
_STANDARD_LABEL, _KNATIVE_LABEL = "networking.kserve.io/visibility", VISIBILITY
#: An `ingressDomain` by which nobody is reached from outside.
_LOCAL_DOMAIN = "svc.cluster.local"

#: Every component listens here.
PORT = 80
#: What a request for an explanation looks like.
EXPLAIN_PATH = r"/v1/models/[\w-]+:explain"


def front_role(service: InferenceService) -> Role:
    """Return the component that takes requests: the transformer where there is one."""
    return "transformer" if service.component("transformer") is not None else "predictor"


def front_name(service: InferenceService) -> str:
    """Return the name of the objects of the component that takes requests."""
    return service.component_name(front_role(service))


def explainer_name(service: InferenceService) -> str:
    """Return the name of the explainer's objects; empty where there is none."""
    if service.component("explainer") is None:
        return ""
    return service.component_name("explainer")


def is_local(resolved: Resolved) -> bool:
    """Return whether a service in Standard mode is not to be reached from outside."""
    label = resolved.service.labels.get(_STANDARD_LABEL)
    return label == CLUSTER_LOCAL or resolved.config.ingress.domain == _LOCAL_DOMAIN


def has_routes(resolved: Resolved) -> bool:
    """Return whether a service gets objects by which it is reached. `disableIngressCreation` speaks of Standard mode alone."""
    if resolved.service.stopped or resolved.mode != STANDARD:
        return not resolved.service.stopped
    return not (resolved.config.ingress.disable_creation or is_local(resolved))


def asks_to_be_local(labels: Mapping[str, str]) -> bool:
    """Return whether a service in Knative mode is not to be reached from outside."""
    return labels.get(_KNATIVE_LABEL) == CLUSTER_LOCAL


def service_headers(service: InferenceService) -> dict[str, str]:
    """Return the headers that tell a backend which service is called."""
    return {"KServe-Isvc-Name": service.name, "KServe-Isvc-Namespace": service.namespace}
