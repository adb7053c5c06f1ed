# SPDX-License-Identifier: GPL-3.0-or-later
"""A ModelService as checks see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kube import gvk
from ...kube.manifest import Json
from ...kube.reference import Reference
from ..field_map import FieldMap, Place
from ..route_view import Parent, RouteView, gateway_of, routes_of
from ..view import DECODE, PICKER, PREFILL, PickerView, Said, ServiceView, Workload
from . import names
from .children.picker import pool_of
from .children.vllm import vllm_port
from .field_map import field_map
from .settings import Settings
from .spec import ModelService, Role, roles

_ENGINE, _SIDECAR = "vllm", "routing-proxy"
_PICKER = "spec.inferencePool.endpointPicker"


def view(service: ModelService, settings: Settings, manifests: Sequence[Json]) -> ServiceView:
    """Return what a service became. manifests: its children."""
    made = {Reference.of(manifest): manifest for manifest in manifests}
    fields = field_map(service, settings, manifests)
    workloads = [_serving(service, name, role, made, fields) for name, role in roles(service)]
    picker = _picker(service, made, fields)
    proxy = service.routing_proxy is not None
    return ServiceView(
        reference=service.reference,
        document=service.document,
        workloads=(*workloads, picker.workload),
        made=manifests,
        routes=tuple(_routes(service, manifests)),
        picker=picker,
        sender=Said(_SIDECAR if proxy else "", "spec.routingProxy"),
        provider=settings.provider,
        ways={
            "shared-memory": "set shared_memory to true or to a size such as 16Gi",
            "istio-pool-name": f'a service called "{names.sanitise(service.name)}" avoids it',
        },
        field_map=fields,
        basis=service,
    )


def _serving(
    service: ModelService, name: str, role: Role, made: dict[Reference, Json], fields: FieldMap
) -> Workload:
    called = names.decode(service.name) if name == "decode" else names.prefill(service.name)
    reference = Reference(gvk.APPS, "Deployment", service.namespace, called)
    spec = made[reference]["spec"]
    template = spec["template"]
    pod = template["spec"]
    return Workload(
        role=DECODE if name == "decode" else PREFILL,
        reference=reference,
        origin=f"spec.{name}",
        pod=pod,
        fields=fields.of_pod(reference, "spec.template"),
        labels=template["metadata"]["labels"],
        engine=_ENGINE,
        sidecar=_SIDECAR if name == "decode" and service.routing_proxy else "",
        replicas=role.replicas,
        replicas_field=f"spec.{name}.replicas",
        said=_said(service, name, role),
    )


def _said(service: ModelService, name: str, role: Role) -> dict[str, Said]:
    moved = name == "decode" and service.routing_proxy is not None
    port = "spec.routingProxy.targetPort" if moved else "spec.engine.port"
    sizes = f"spec.{name}.parallelism"
    return {
        "port": Said(str(vllm_port(service, "decode" if moved else "prefill")), port),
        "model_name": Said(service.model.name, "spec.model.name"),
        "model": Said(service.model.mount_path, "spec.model.mountPath"),
        "tensor": Said(str(role.tensor), f"{sizes}.tensor"),
        "data": Said(str(role.data), f"{sizes}.data"),
        "data_local": Said(str(role.data_local), f"{sizes}.dataLocal"),
    }


def _pool(service: ModelService) -> Reference:
    called = names.pool(service.name)
    return Reference(gvk.POOL, "InferencePool", service.namespace, called)


def _picker(service: ModelService, made: dict[Reference, Json], fields: FieldMap) -> PickerView:
    reference = Reference(gvk.APPS, "Deployment", service.namespace, names.picker(service.name))
    template = made[reference]["spec"]["template"]
    pool = pool_of(service)
    workload = Workload(
        role=PICKER,
        reference=reference,
        origin=_PICKER,
        pod=template["spec"],
        fields=fields.of_pod(reference, "spec.template"),
        labels=template["metadata"]["labels"],
        replicas=pool.replicas,
        replicas_field=f"{_PICKER}.replicas",
    )
    return PickerView(
        workload,
        names.pool(service.name) if _pool(service) in made else "",
        None,
        Place(_PICKER),
        "",
        f"{_PICKER}.replicas",
        pool.failure_mode,
    )


def _routes(service: ModelService, manifests: Sequence[Json]) -> Iterator[RouteView]:
    def parent(ref: Json, dummy: int) -> Parent:
        gateway = gateway_of(ref, service.namespace)
        place = gateway.full_name
        if service.route is not None:
            absent = f"Gateway {place} does not exist, so the route is not served"
            return Parent(gateway, "", Place("spec.httpRoute.gatewayRef"), absent)
        absent = (
            f"missing, so the default route uses Gateway {place} of the settings, which does not exist, and the route is not served "
            "(an empty gateway_name means no default route)"
        )
        return Parent(gateway, "", Place("spec.httpRoute"), absent)

    own = "spec.httpRoute.hostnames" if service.route else "spec.httpRoute"
    yield from routes_of(manifests, Place(own), parent)
