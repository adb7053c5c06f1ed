# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API accepts of a service and cannot do what its author wants.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/hpa/hpa_reconciler.go, pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kube.manifest import Json
from ...kube.problem import InputError, Problem
from ...kube.reader import Reader
from ...kube.reference import Reference
from ..gateways import Target, gateway_problems
from ..kserve.modes import KNATIVE, STANDARD
from ..kserve.read_system_config import SIDECARS
from ..kserve.system_config import CONFIG_MAP
from .admission.multi_node import CLASS_ANNOTATION
from .errors import Unbuildable
from .pods.advice import pod_advice
from .pods.webhook_emulation import is_rendered
from .resolved import Resolved
from .resolved_service import resolved_service
from .router.front_component import front_role, has_routes
from .router.knative_host import DOMAINS, knative_host
from .runtimes.admission import runtime_problems
from .runtimes.runtime import NAMESPACED, runtimes
from .settings import Settings
from .spec import InferenceService

_KNATIVE_METRICS = ("concurrency", "rps")


def advise(service: InferenceService, settings: Settings, reader: Reader) -> Sequence[Problem]:
    """Return the warnings about a service. One that cannot be built has errors instead, which compile raises."""
    try:
        resolved = resolved_service(service, settings, reader)
    except (InputError, Unbuildable):
        return ()
    found = [
        *_config(resolved, reader),
        *_gateway(resolved, reader),
        *_host(resolved, reader),
        *_runtime(resolved, reader),
        *pod_advice(resolved, resolved.components, reader),
    ]
    for role in resolved.service.roles:
        component = resolved.service.spec[role]
        judged = (
            _standard(component, resolved) if resolved.mode == STANDARD else _knative(component)
        )
        found += [
            Problem(f"spec.{role}.{field}", message, "warning", rule="without-effect")
            for field, message in judged
        ]
    return tuple(found)


def _config(resolved: Resolved, reader: Reader) -> Iterator[Problem]:
    namespace = resolved.settings.kserve_namespace
    if reader.get(Reference("v1", "ConfigMap", namespace, CONFIG_MAP)) is None:
        where = f"ConfigMap {namespace}/{CONFIG_MAP}"
        what = "is not there" if reader.complete else "is not among the given objects"
        message = f"{where} {what}: KServe's defaults are taken, with mode Standard and Gateway API"
        yield Problem("", message, "warning", rule="system-config")
    if not is_rendered(resolved, reader):
        for name in SIDECARS:
            if resolved.config.later.get(name):
                where = f"ConfigMap {namespace}/{CONFIG_MAP}"
                message = f"{where} has no block {name}, so that KServe's webhook refuses every pod"
                yield Problem("", message, "warning", rule="system-config")


def _runtime(resolved: Resolved, reader: Reader) -> Iterator[Problem]:
    """Yield what KServe's webhook would refuse of the runtime that serves the model."""
    runtime = resolved.components.runtime
    if runtime is None:
        return
    own, everywhere = runtimes(resolved.service.namespace, reader)
    neighbours = own if runtime.kind == NAMESPACED else everywhere
    for problem in runtime_problems(runtime, neighbours, resolved.config.gpu_types):
        message = f"{runtime}: {problem}; KServe's webhook refuses it"
        yield Problem("spec.predictor.model", message, "warning", rule=problem.rule)


def _gateway(resolved: Resolved, reader: Reader) -> Iterator[Problem]:
    ingress = resolved.config.ingress
    if resolved.mode != STANDARD or not ingress.enable_gateway_api or not has_routes(resolved):
        return
    place = ingress.kserve_gateway
    absent = (
        f"Gateway {place}, which {CONFIG_MAP} names in ingress.kserveIngressGateway, does not exist, so the service is not "
        "reached from outside; create it or name another one"
    )
    target = Target(ingress.kserve_gateway_name, ingress.kserve_gateway_namespace, "", absent)
    yield from gateway_problems(target, resolved.service.namespace, reader)


def _host(resolved: Resolved, reader: Reader) -> Iterator[Problem]:
    """Yield that a service in Knative mode has no way yet, since nobody knows its host name."""
    components = resolved.components
    unwanted = resolved.config.ingress.disable_virtual_host or components.some_stopped
    if resolved.mode != KNATIVE or unwanted or not has_routes(resolved):
        return
    if knative_host(resolved, components.of(front_role(resolved.service)).labels, reader):
        return
    message = (
        f"no VirtualService is made: Knative has reported no host name, and {DOMAINS} names no domain for all Services; "
        + ("run again once it has" if reader.complete else "give that ConfigMap in cluster_objects")
    )
    yield Problem("", message, "warning", rule="host")


def _standard(component: Json, resolved: Resolved) -> Iterator[tuple[str, str]]:
    """Yield what Standard mode does not do."""
    scaler = resolved.service.annotations.get(CLASS_ANNOTATION, "hpa")
    scaler = (component.get("annotations") or {}).get(CLASS_ANNOTATION, scaler)
    if component.get("canaryTrafficPercent") is not None:
        yield (
            "canaryTrafficPercent",
            "has an effect in Knative mode alone; all requests go to the new pods",
        )
    if scaler != "hpa":
        return
    if component.get("minReplicas") == 0:
        yield (
            "minReplicas",
            "0 becomes 1: an HPA keeps a pod; use the annotation of class keda, or Knative mode",
        )
    metric = component.get("scaleMetric", "")
    scaling = component.get("autoScaling")
    if scaling is None and metric in _KNATIVE_METRICS:
        yield (
            "scaleMetric",
            f"an HPA does not know {metric}, so that it has no metric; use cpu or memory, or Knative mode",
        )
    if scaling is not None and scaling.get("behavior") is not None:
        yield "autoScaling.behavior", "KServe gives it to KEDA alone; with class hpa it is left out"
    for number, item in enumerate((scaling or {}).get("metrics") or ()):
        if item["type"] != "Resource":
            yield (
                f"autoScaling.metrics[{number}]",
                f"an HPA does not know {item['type']}; use the annotation of class keda",
            )


def _knative(component: Json) -> Iterator[tuple[str, str]]:
    """Yield what Knative mode does not do."""
    if component.get("autoScaling") is not None:
        yield (
            "autoScaling",
            f"has an effect in {STANDARD} mode alone; {KNATIVE} scales by scaleMetric and scaleTarget",
        )
