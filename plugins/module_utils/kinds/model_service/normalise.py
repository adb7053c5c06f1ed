# SPDX-License-Identifier: GPL-3.0-or-later
"""From a custom resource to a typed ModelService: checked, with the defaults of API server and operator.

Empty texts and empty maps count as absent, as they do when the operator sees a new object; quantities take their canonical
form. Source: model-operator internal/modelservice/defaults.go, internal/controller/modelservice_controller.go@v0.9.0-alpha.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kube.envelope import as_applied, read_envelope
from ...kube.manifest import Json
from ...kube.schema_check import check, related
from ...kube.ssa_normalise import normalised
from ..kind import Loaded
from .rules import RULES
from .schema import spec_schema
from .settings import Settings
from .spec import (
    API_VERSION,
    KIND,
    Engine,
    Model,
    ModelService,
    PodMonitor,
    Pool,
    Role,
    Route,
    RoutingProxy,
)

#: What the controller's own types write for a divisor that is not given; it means 1.
NO_DIVISOR = "0"


def load(document: Json, settings: Settings) -> Loaded[ModelService]:
    """Return the service that a custom resource describes, and every problem of it. No service where there is an error."""
    envelope = read_envelope(document, API_VERSION, KIND)
    spec = check(spec_schema(settings.release), document.get("spec") or {}, "spec")
    found = [*envelope.problems, *spec.problems]
    broken = [problem.path for problem in found if problem.severity == "error"]
    value: Json = spec.value
    applied = as_applied(
        {"apiVersion": API_VERSION, "kind": KIND, "spec": document.get("spec")}, envelope
    )
    service = ModelService(
        document={**applied, "spec": normalised(spec_schema(settings.release), applied["spec"])},
        name=envelope.name,
        namespace=envelope.namespace,
        model=_model(value["model"]),
        engine=_engine(value["engine"]),
        accelerator=value["accelerator"]["type"],
        decode=_role(value["decode"], _given(document, "decode")),
        prefill=_role(value["prefill"], _given(document, "prefill"))
        if "prefill" in value
        else None,
        routing_proxy=_routing_proxy(value.get("routingProxy")),
        pool=_pool(value.get("inferencePool")),
        route=_route(value.get("httpRoute")),
        pod_monitor=_pod_monitor(value.get("monitoring")),
    )
    judged = (problem for rule in RULES for problem in rule(service, settings))
    found += [problem for problem in judged if not related(problem.path, broken)]
    failed = any(problem.severity == "error" for problem in found)
    return Loaded(None if failed else service, tuple(found))


def _given(document: Mapping[str, Any], role: str) -> Mapping[str, Any]:
    spec = document.get("spec")
    given = spec.get(role) if isinstance(spec, Mapping) else None
    return given if isinstance(given, Mapping) else {}


def _with_divisor(variable: Json) -> Json:
    source = variable.get("valueFrom")
    if not source or "resourceFieldRef" not in source:
        return variable
    reference = {"divisor": NO_DIVISOR, **source["resourceFieldRef"]}
    return {**variable, "valueFrom": {**source, "resourceFieldRef": reference}}


def _model(model: Json) -> Model:
    # A name that is listed twice has no effect, and server-side apply refuses it.
    secrets = (secret["name"] for secret in model.get("imagePullSecrets") or ())
    return Model(
        name=model["name"],
        image=model["image"],
        mount_path=model["mountPath"],
        image_pull_secrets=tuple(dict.fromkeys(secrets)),
    )


def _engine(engine: Json) -> Engine:
    return Engine(
        image=engine.get("image"),
        image_pull_policy=engine.get("imagePullPolicy"),
        args=tuple(engine.get("args") or ()),
        env=tuple(_with_divisor(variable) for variable in engine.get("env") or ()),
        port=engine["port"],
    )


def _role(role: Json, given: Mapping[str, Any]) -> Role:
    parallelism = role.get("parallelism") or {}
    return Role(
        replicas=role["replicas"] if given.get("replicas") is not None else None,
        tensor=parallelism.get("tensor", 1),
        data=parallelism.get("data", 1),
        data_local=parallelism.get("dataLocal", 1),
        resources=role.get("resources") or {},
        node_selector=role.get("nodeSelector") or {},
        tolerations=tuple(role.get("tolerations") or ()),
        annotations=role.get("annotations") or {},
    )


def _routing_proxy(proxy: Json | None) -> RoutingProxy | None:
    if proxy is None:
        return None
    return RoutingProxy(
        image=proxy.get("image"),
        connector=proxy["connector"],
        target_port=proxy["targetPort"],
        zap_encoder=proxy.get("zapEncoder", ""),
        zap_log_level=proxy.get("zapLogLevel", ""),
        secure_proxy=proxy.get("secureProxy"),
        prefiller_use_tls=proxy.get("prefillerUseTLS"),
        cert_path=proxy.get("certPath", ""),
    )


def _pool(pool: Json | None) -> Pool | None:
    if pool is None:
        return None
    picker = pool["endpointPicker"]
    resources = picker.get("resources") or {}
    given = "limits" in resources or "requests" in resources
    return Pool(
        image=picker.get("image"),
        replicas=picker["replicas"],
        port=picker["port"],
        failure_mode=picker["failureMode"],
        resources=resources if given else None,
    )


def _route(route: Json | None) -> Route | None:
    if route is None:
        return None
    gateway = route["gatewayRef"]
    return Route(
        gateway=gateway["name"],
        gateway_namespace=gateway.get("namespace", ""),
        hostnames=tuple(route.get("hostnames") or ()),
    )


def _pod_monitor(monitoring: Json | None) -> PodMonitor | None:
    monitor = (monitoring or {}).get("podMonitor")
    if monitor is None:
        return None
    return PodMonitor(
        enabled=monitor["enabled"],
        port_name=monitor["portName"],
        path=monitor["path"],
        interval=monitor["interval"],
    )
