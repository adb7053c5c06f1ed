# SPDX-License-Identifier: GPL-3.0-or-later
"""What does a component's work: a model server, or containers of the service's own.

Source: KServe pkg/apis/serving/v1beta1/{inference_service_defaults,inference_service_validation}.go@v0.17.0.
"""

from __future__ import annotations

from ...kube.manifest import Json
from ..kserve.framework import FRAMEWORKS
from .names import Role

KSERVE_CONTAINER = "kserve-container"
TRANSFORMER_CONTAINER = "transformer-container"

#: The stand-in for containers of the service's own among the fields of a component.
CUSTOM = "containers"


def implementations(component: Json, role: Role) -> list[str]:
    """Return the fields that do the work of a component; a right component has one.

    Beside a model, a predictor's containers are helpers, unless one of them takes the model server's name.
    """
    containers = component.get("containers") or ()
    if role == "predictor":
        servers = (*FRAMEWORKS, "model")
        found = [field for field in servers if component.get(field) is not None]
        found += [CUSTOM for each in containers if each.get("name") == KSERVE_CONTAINER]
        return found or ([CUSTOM] if containers else [])
    found = [CUSTOM] if containers else []
    return [*(["art"] if role == "explainer" and component.get("art") is not None else []), *found]


def storage_uri(component: Json, role: Role) -> str | None:
    """Return where the model of a component is, None where it does not say."""
    for field in implementations(component, role)[:1]:
        if field != CUSTOM:
            found: str | None = component[field].get("storageUri")
            return found
        for container in component["containers"]:
            if role != "predictor" or container.get("name") == KSERVE_CONTAINER:
                return variable(container, "STORAGE_URI")
    return None


def variable(container: Json, name: str) -> str | None:
    """Return the value of an environment variable, empty where it comes from elsewhere, None where it is not there."""
    found = (each for each in container.get("env") or () if each.get("name") == name)
    return next((each.get("value") or "" for each in found), None)
