# SPDX-License-Identifier: GPL-3.0-or-later
"""What a RuntimeClass adds to the pods that name it, before they are placed: where they may go, and what they cost beside their containers.

Source: Kubernetes documentation, Runtime Class (scheduling) and Pod Overhead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..kube.manifest import Json, value_at
from .demand import Demand
from .requests import pod_requests

API_VERSION, KIND = "node.k8s.io/v1", "RuntimeClass"


def with_runtime_class(demand: Demand, classes: Mapping[str, Json]) -> Demand:
    """Return a demand whose pods have what their RuntimeClass adds. classes: by name; of one that is not there nothing is known."""
    found = classes.get(str(demand.spec.get("runtimeClassName")))
    if found is None:
        return demand
    selector = value_at(found, ("scheduling", "nodeSelector")) or {}
    tolerations = value_at(found, ("scheduling", "tolerations")) or ()
    overhead = value_at(found, ("overhead", "podFixed"))
    spec: Json = {
        **demand.spec,
        "nodeSelector": {**(demand.spec.get("nodeSelector") or {}), **selector},
        "tolerations": [*(demand.spec.get("tolerations") or ()), *tolerations],
        **({"overhead": overhead} if overhead else {}),
    }
    template = {**demand.template, "spec": spec}
    return replace(demand, template=template, requests=pod_requests(spec))
