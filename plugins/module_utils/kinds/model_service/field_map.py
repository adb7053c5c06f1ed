# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the parts of a ModelService's children are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ...kube import gvk
from ...kube.manifest import Json, value_at
from ...kube.reference import Reference
from ..field_map import FieldMap, Origin
from . import names
from .settings import Settings
from .spec import ModelService

_POD = "spec.template.spec"
_ENGINE = f"{_POD}.containers[vllm]"
_PICKER = "spec.inferencePool.endpointPicker"
_PICKER_CONTAINER = f"{_POD}.containers[epp]"
#: Parts of both roles' pods → the author's field.
_SHARED = {
    f"{_ENGINE}.args": "spec.engine.args",
    f"{_ENGINE}.env": "spec.engine.env",
    f"{_ENGINE}.image": "spec.engine.image",
    f"{_ENGINE}.imagePullPolicy": "spec.engine.imagePullPolicy",
    f"{_POD}.imagePullSecrets": "spec.model.imagePullSecrets",
    f"{_POD}.initContainers[routing-proxy].image": "spec.routingProxy.image",
    f"{_POD}.initContainers[routing-proxy].args": "spec.routingProxy.connector",
}
#: Parts of one role's pods → the field below the role.
_OF_ROLE = {
    "spec.replicas": "replicas",
    f"{_ENGINE}.resources": "resources",
    f"{_POD}.nodeSelector": "nodeSelector",
    f"{_POD}.tolerations": "tolerations",
    "spec.template.metadata.annotations": "annotations",
}
_OF_PICKER = {
    "spec.replicas": "replicas",
    f"{_PICKER_CONTAINER}.image": "image",
    f"{_PICKER_CONTAINER}.resources": "resources",
}


def field_map(service: ModelService, settings: Settings, manifests: Sequence[Json]) -> FieldMap:
    """Return the map of a service. manifests: its children."""
    return FieldMap(partial(_origins, service, settings), manifests)


def _origins(service: ModelService, settings: Settings, reference: Reference) -> list[Origin]:
    if reference.kind == "Deployment" and reference.name == names.picker(service.name):
        return list(_of_picker(service, settings))
    if reference.kind == "Deployment":
        prefill = reference.name == names.prefill(service.name) and service.prefill is not None
        return list(_of_role(service, settings, "prefill" if prefill else "decode"))
    if reference.api_version == gvk.GATEWAY:
        return list(_of_route(service))
    return []


def _of_role(service: ModelService, settings: Settings, name: str) -> Iterator[Origin]:
    for child, field in _SHARED.items():
        yield _written(service, child, field)
    for child, field in _OF_ROLE.items():
        yield _written(service, child, f"spec.{name}.{field}")
    yield Origin(f"{_ENGINE}.image", "settings.images.engine", settings.engine_image)
    proxy = f"{_POD}.initContainers[routing-proxy].image"
    yield Origin(proxy, "settings.images.routing_proxy", settings.routing_proxy_image)
    unpack = f"{_POD}.initContainers[model-unpack].image"
    yield Origin(unpack, "settings.images.model_kit", settings.model_kit_image)
    memory = f"{_POD}.volumes[shm].emptyDir.sizeLimit"
    yield Origin(memory, "settings.shared_memory", settings.shared_memory)
    yield Origin("", f"spec.{name}")


def _of_picker(service: ModelService, settings: Settings) -> Iterator[Origin]:
    for child, field in _OF_PICKER.items():
        yield _written(service, child, f"{_PICKER}.{field}")
    image = f"{_PICKER_CONTAINER}.image"
    yield Origin(image, "settings.images.endpoint_picker", settings.endpoint_picker_image)
    yield Origin("", _PICKER)


def _of_route(service: ModelService) -> Iterator[Origin]:
    yield _written(service, "spec.hostnames", "spec.httpRoute.hostnames")
    if service.route is None:
        yield Origin("spec.parentRefs", "settings.gateway_name")
    else:
        parents: Json = value_at(service.document, ("spec", "httpRoute", "gatewayRef")) or {}
        parent = f"spec.parentRefs[{parents.get('name')}]"
        yield Origin(parent, "spec.httpRoute.gatewayRef", parents)
        yield Origin("spec.parentRefs", "spec.httpRoute.gatewayRef")
    yield Origin("", "spec.httpRoute")


def _written(service: ModelService, child: str, field: str) -> Origin:
    return Origin(child, field, value_at(service.document, tuple(field.split("."))))
