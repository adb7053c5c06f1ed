# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's defaulting webhook makes of a service.

Source: KServe pkg/apis/serving/v1beta1/inference_service_defaults.go, pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.17.0.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ...kube.manifest import Json
from ...kube.reader import Reader
from ..kserve.framework import model_format, with_model
from ..kserve.modes import KNATIVE, MODE_ANNOTATION, MODEL_MESH, canonical_mode
from ..kserve.releases import KServe
from ..kserve.system_config import SystemConfig
from .implementations import CUSTOM, KSERVE_CONTAINER, implementations
from .local_model import with_local_model
from .names import Role
from .spec import ROLES, InferenceService

FORMAT_ANNOTATION = "modelFormat"


def defaulted(
    service: InferenceService, config: SystemConfig, release: KServe, reader: Reader
) -> InferenceService:
    """Return a service as the webhook would have it stored."""
    annotations = _with_mode(service.annotations, config)
    spec = dict(service.spec)
    # What counts is the annotation as its author wrote it: a default of ModelMesh keeps nobody's framework field.
    mesh = canonical_mode(service.annotations.get(MODE_ANNOTATION, "")) == MODEL_MESH
    if not mesh:
        spec["predictor"] = with_model(spec["predictor"], release)
        model = spec["predictor"].get("model")
        if model is not None:
            annotations.setdefault(FORMAT_ANNOTATION, model_format(model))
    for role in ROLES:
        if spec.get(role) is not None:
            spec[role] = _component(spec[role], role, config, keep=mesh and role == "predictor")
    done = dataclasses.replace(service, annotations=annotations, spec=spec)
    return with_local_model(done, config, release, reader)


def _with_mode(annotations: Mapping[str, str], config: SystemConfig) -> dict[str, str]:
    if MODE_ANNOTATION in annotations:
        return {**annotations, MODE_ANNOTATION: canonical_mode(annotations[MODE_ANNOTATION])}
    if config.deploy.default_mode in ("", KNATIVE):
        return dict(annotations)
    return {**annotations, MODE_ANNOTATION: config.deploy.default_mode}


def _component(component: Json, role: Role, config: SystemConfig, *, keep: bool) -> Json:
    """Return a component with its defaults. keep: all but the token is the ModelMesh controller's."""
    token = component.get("automountServiceAccountToken")
    if token is None and not config.automount_token:
        component = {**component, "automountServiceAccountToken": False}
    if keep:
        return component
    match implementations(component, role):
        case [only] if only == CUSTOM:
            return {**component, "containers": _containers(component["containers"], role, config)}
        case ["art"]:
            art = {**component["art"], "name": KSERVE_CONTAINER}
            art.setdefault("runtimeVersion", config.art.default_version)
            return {**component, "art": _with_resources(art, config.default_resources)}
        case _:
            return component


def _containers(containers: list[Json], role: Role, config: SystemConfig) -> list[Json]:
    first, *rest = containers
    if role != "predictor" or not rest or not first.get("name"):
        first = {**first, "name": KSERVE_CONTAINER}
    return [_with_resources(first, config.default_resources), *rest]


def _with_resources(container: Json, defaults: Json) -> Json:
    """Return a container in which each amount that is missing has its default."""
    given = container.get("resources") or {}
    amounts = {
        part: {**(defaults.get(part) or {}), **(given.get(part) or {})}
        for part in ("limits", "requests")
    }
    return {**container, "resources": {**given, **amounts}}
