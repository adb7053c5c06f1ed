# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that only an InferenceService can have: they speak of deployment modes, runtimes and KServe's webhooks.

Source: KServe v0.17.0, pkg/controller/v1beta1/inferenceservice and pkg/webhook/admission/pod.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reader import Reader
from ...kube.reference import Reference
from ..check import ERROR, NOTE, WARNING, Check, check
from ..kserve.framework import authors_field
from ..kserve.images import image
from ..kserve.modes import KNATIVE, STANDARD
from ..kserve.pod import container_of
from ..kserve.read_system_config import SIDECARS
from ..kserve.storage.modelcar import KEEPS_SECURITY_CONTEXT
from ..kserve.system_config import CONFIG_MAP
from ..view import ServiceView
from .admission.multi_node import CLASS_ANNOTATION
from .batcher_limits import batcher_limit, batcher_protocol
from .errors import Unbuildable
from .implementations import TRANSFORMER_CONTAINER
from .logger_address import logger_address
from .model_names import names_apart
from .model_place import modelcar_off, storage_path
from .pods.annotations import SOURCE_URI
from .pods.build import models_refused
from .pods.component import Component
from .pods.containers import SERVER, readers
from .pods.knative_annotations import annotation_faults, unknown_annotations
from .pods.knative_features import FEATURES, switched_off
from .pods.knative_limits import number_faults, port_faults
from .pods.storage.images import images_among, reads_each
from .pods.storage.one_model import OCI
from .pods.webhook_emulation import POD_WEBHOOKS, is_rendered, may_look, mutator
from .predictor_calls import predictor_host, predictor_protocol
from .resolved import Resolved
from .router.front_component import front_role, has_routes
from .router.knative_host import DOMAINS, knative_host
from .runtimes.admission import runtime_problems
from .runtimes.runtime import NAMESPACED, runtimes
from .runtimes.select import runtimes_passed_over

_KNATIVE_METRICS = ("concurrency", "rps")

NO_CONFIG = Check(
    "system-config",
    WARNING,
    finds="ConfigMap {place} {what}: KServe's defaults apply, with mode Standard and Gateway API",
    fix="install KServe's ConfigMap, or give it in cluster_objects",
)
NO_BLOCK = Check(
    "system-config",
    WARNING,
    finds="ConfigMap {place} has no block {block}, so KServe's webhook refuses every pod",
    fix="add the block",
)
RUNTIME = Check(
    "runtime",
    WARNING,
    finds="{runtime}: {problem}",
    fix="correct the runtime: KServe's webhook refuses it",
)
CHOICE = Check(
    "runtime-choice",
    NOTE,
    finds="{runtime} serves the model, and these do not: {others}",
    fix="to choose another one, name it in spec.predictor.model.runtime",
)
NO_HOST = Check(
    "host",
    WARNING,
    finds=f"no VirtualService is created: Knative has reported no host name, and {DOMAINS} names no domain for all Services",
    fix="{way}",
)
MUTATION = Check(
    "pod-mutation",
    WARNING,
    finds=f"{POD_WEBHOOKS} may not be read, so it is not known whether KServe's webhook completes pods: their templates are "
    "completed, which is right in either case",
    fix="set pod_mutation: rendered, or webhook",
)
MODELS = Check(
    "storage-uris",
    WARNING,
    finds="{message}: in Knative mode KServe continues without the models",
    fix="{advice}",
)
PASSED_OVER = Check(
    "storage-images",
    WARNING,
    finds="{uri} is missing in the pods: if any model of the list is in an image, KServe {release} reads only the first image",
    fix="use one model in an image, or fetch all models another way",
)
MODEL_USER = Check(
    "modelcar-user",
    WARNING,
    finds="the model is in an image, so {name} gets the securityContext {{runAsUser: {user}}} and loses {lost}: "
    "Pod Security `restricted` refuses such a pod",
    fix="take uidModelcar out of the block storageInitializer of inferenceservice-config, or fetch the model another way",
)
AGENT = Check(
    "agent-knative",
    WARNING,
    finds="logger, batcher and multi-model serving need an agent that KServe's webhook puts behind Knative's proxy when a pod is "
    "created; without that webhook Knative sends requests past it",
    fix="use Standard mode, or keep the webhook",
)
KNATIVE_FEATURES = Check(
    "knative-features",
    WARNING,
    finds="Knative refuses these pods while {missing} {be} off",
    fix=f"write `enabled` in {FEATURES}, or use Standard mode",
)
KNATIVE_LIMITS = Check(
    "knative-limits",
    ERROR,
    finds="Knative {fault}: it refuses the service",
    fix="change it, or use Standard mode",
    stops=True,
)
PATH_TEMPLATE = Check(
    "path-template",
    WARNING,
    finds="{map} has the pathTemplate {template}, {effect}",
    fix="take pathTemplate out of the block ingress, or use Knative mode",
)
PAST_TRANSFORMER = Check(
    "past-transformer",
    WARNING,
    finds="Service {service} sends requests to port {port}, which is that of {server}: they bypass {transformer}",
    fix="declare the port of {transformer}",
)
WITHOUT_EFFECT = Check("no-effect", WARNING, finds="{effect}", fix="{way}")


@check(NO_CONFIG, reads=("ConfigMaps",))
def no_config(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield that KServe's configuration is missing or unreadable."""
    config = _config_map(view)
    if reader.get(config) is None:
        what = "does not exist" if reader.complete else "is not among the given objects"
        yield NO_CONFIG.at("", place=config.full_name, what=what)


@check(NO_BLOCK, reads=("MutatingWebhookConfigurations",))
def no_block(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield missing blocks of the configuration without which KServe's webhook refuses every pod."""
    resolved = _resolved(view)
    config = _config_map(view)
    for name in () if is_rendered(resolved, reader) else SIDECARS:
        if resolved.config.later.get(name):
            yield NO_BLOCK.at("", place=config.full_name, block=name)


@check(RUNTIME, reads=("ServingRuntimes", "ClusterServingRuntimes"))
def runtime(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield faults of the chosen runtime that KServe's webhook would refuse."""
    resolved = _resolved(view)
    used = resolved.components.runtime
    if used is None:
        return
    own, everywhere = runtimes(resolved.service.namespace, reader)
    neighbours = own if used.kind == NAMESPACED else everywhere
    for problem in runtime_problems(
        used, neighbours, resolved.settings.release, resolved.config.gpu_types
    ):
        message = f"{used}: {problem}; {RUNTIME.fix}"
        yield Problem("spec.predictor.model", message, "warning", rule=problem.rule)


@check(CHOICE, reads=("ServingRuntimes", "ClusterServingRuntimes"))
def choice(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield which runtime serves a model when several support its format, and why not the others."""
    resolved = _resolved(view)
    used, predictor = resolved.components.runtime, resolved.service.component("predictor") or {}
    model = predictor.get("model") or {}
    if used is None or model.get("runtime") is not None:
        return
    others = runtimes_passed_over(
        model,
        resolved.service.namespace,
        reader,
        multi_node=predictor.get("workerSpec") is not None,
    )
    if others:
        told = "; ".join(f"{each} {why}" for each, why in others)
        yield CHOICE.at(
            authors_field("spec.predictor.model", view.document), runtime=used, others=told
        )


@check(NO_HOST, reads=("Services of Knative", "ConfigMaps"))
def no_host(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield services in Knative mode whose host name is not known yet."""
    resolved = _resolved(view)
    components = resolved.components
    unwanted = resolved.config.ingress.disable_virtual_host or components.some_stopped
    if resolved.mode != KNATIVE or unwanted or not has_routes(resolved):
        return
    if not knative_host(resolved, components.of(front_role(resolved.service)).labels, reader):
        way = (
            "run again once it has" if reader.complete else "give that ConfigMap in cluster_objects"
        )
        yield NO_HOST.at("", way=way)


@check(MUTATION, reads=("MutatingWebhookConfigurations",))
def mutation(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield that it is not known whether KServe's webhook is installed."""
    if not may_look(_resolved(view), reader):
        yield MUTATION.at("")


@check(MODELS, reads=("Secrets", "ServiceAccounts"))
def models(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield models that KServe leaves out in Knative mode."""
    resolved = _resolved(view)
    for component in _components(view) if resolved.mode == KNATIVE else ():
        error = models_refused(component, resolved, reader)
        if error is not None:
            field = f"spec.{component.role}.{error.field}"
            yield MODELS.at(field, message=error.message, advice=error.advice)


@check(PASSED_OVER)
def passed_over(view: ServiceView) -> Iterator[Problem]:
    """Yield models of `storageUris` that KServe leaves out because one of them is in an image."""
    resolved = _resolved(view)
    release = resolved.settings.release
    for component in _components(view):
        uris = component.spec.get("storageUris") or ()
        if reads_each(release):
            return
        images = images_among(uris, resolved.config.storage, release)
        kept = next((n for n, each in enumerate(uris) if each["uri"].startswith(OCI)), None)
        for number, each in enumerate(uris) if images else ():
            if number != kept:
                where = f"spec.{component.role}.storageUris[{number}]"
                yield PASSED_OVER.at(where, uri=each["uri"], release=release)


@check(MODEL_USER, costly=True)
def model_user(view: ServiceView) -> Iterator[Problem]:
    """Yield servers that lose their securityContext because their model is in an image."""
    resolved = _resolved(view)
    storage = resolved.config.storage
    keeps = KEEPS_SECURITY_CONTEXT.at(resolved.settings.release)
    if keeps or not storage.enable_modelcar or storage.uid_modelcar is None:
        return
    for component in _components(view):
        if not component.annotations.get(SOURCE_URI, "").startswith("oci://"):
            continue
        for name in readers(component.pod):
            lost = _lost(container_of(component.pod, name) or {}, storage.uid_modelcar)
            if lost:
                where = f"spec.{component.role}"
                user = storage.uid_modelcar
                yield MODEL_USER.at(where, name=name, user=user, lost=", ".join(lost))


@check(AGENT, reads=("MutatingWebhookConfigurations",))
def agent(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield agents in the pod template, which Knative's proxy bypasses."""
    resolved = _resolved(view)
    for component in _components(view) if resolved.mode == KNATIVE else ():
        if (component.has_agent or component.multi_model) and is_rendered(resolved, reader):
            yield AGENT.at(f"spec.{component.role}")


@check(KNATIVE_FEATURES, reads=("ConfigMaps",))
def features(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield features of pods that are switched off in Knative."""
    resolved = _resolved(view)
    for component in _components(view) if resolved.mode == KNATIVE else ():
        metadata = {"labels": component.labels, "annotations": component.annotations}
        try:
            finished = mutator(resolved, reader)({"metadata": metadata, "spec": component.pod})
        except Unbuildable:
            continue
        missing = switched_off(finished["spec"], reader)
        if missing:
            be = "are" if len(missing) > 1 else "is"
            yield KNATIVE_FEATURES.at(f"spec.{component.role}", missing=", ".join(missing), be=be)


@check(KNATIVE_LIMITS, reads=("ConfigMaps",))
def knative_limits(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield ports, numbers and annotations that Knative refuses."""
    resolved = _resolved(view)
    if resolved.mode != KNATIVE:
        return
    fields = {workload.origin: workload.fields for workload in view.workloads}
    for component in _components(view):
        own = fields.get(f"spec.{component.role}")
        for place, fault in port_faults(component.pod):
            where = own(place) if own else f"spec.{component.role}"
            yield KNATIVE_LIMITS.at(where, fault=fault)
        for field, fault, sure in number_faults(component.spec, reader):
            severity = ERROR if sure else WARNING
            yield KNATIVE_LIMITS.at(
                f"spec.{component.role}.{field}", severity=severity, fault=fault
            )
    for path, given in _annotations(view):
        for name, fault in annotation_faults(given):
            yield KNATIVE_LIMITS.at(f'{path}.annotations["{name}"]', fault=fault)


@check(PATH_TEMPLATE, costly=True)
def path_template(view: ServiceView) -> Iterator[Problem]:
    """Yield path templates of the cluster's configuration that several services share."""
    resolved = _resolved(view)
    ingress = resolved.config.ingress
    if resolved.mode != STANDARD or not ingress.path_template or not has_routes(resolved):
        return
    effect = "which has no effect on an Ingress: the service is only reached by its host name"
    if ingress.enable_gateway_api:
        effect = (
            f"so that the route of each service takes every path of {ingress.domain}: of several services only the oldest is "
            "reached there"
        )
    yield PATH_TEMPLATE.at("", map=_config_map(view), template=ingress.path_template, effect=effect)


@check(PAST_TRANSFORMER, costly=True)
def past_transformer(view: ServiceView) -> Iterator[Problem]:
    """Yield Services that send requests to the server and bypass the transformer in its pod."""
    services = view.made_of("v1", "Service")
    for workload in view.workloads:
        server = container_of(workload.pod, SERVER)
        transformer = container_of(workload.pod, TRANSFORMER_CONTAINER)
        if server is None or transformer is None:
            continue
        ours = {port.get("containerPort") for port in transformer.get("ports") or ()}
        theirs = {port.get("containerPort") for port in server.get("ports") or ()} - ours
        for service in services:
            spec = service["spec"]
            selector = spec.get("selector") or {"": ""}
            if not selector.items() <= workload.labels.items():
                continue
            for port in spec.get("ports") or ():
                if port.get("targetPort") in theirs:
                    yield PAST_TRANSFORMER.at(
                        workload.origin,
                        service=service["metadata"]["name"],
                        port=port["targetPort"],
                        server=SERVER,
                        transformer=TRANSFORMER_CONTAINER,
                    )


@check(WITHOUT_EFFECT, costly=True)
def without_effect(view: ServiceView) -> Iterator[Problem]:
    """Yield fields that the service's mode ignores."""
    resolved = _resolved(view)
    for role in resolved.service.roles:
        component = resolved.service.spec[role]
        judged = (
            _standard(component, resolved) if resolved.mode == STANDARD else _knative(component)
        )
        for field, effect, way in judged:
            yield WITHOUT_EFFECT.at(f"spec.{role}.{field}", effect=effect, way=way)
    for path, given in _annotations(view) if resolved.mode == KNATIVE else ():
        for name, way in unknown_annotations(given):
            effect = "Knative knows no annotation of this name, and passes it over"
            yield WITHOUT_EFFECT.at(f'{path}.annotations["{name}"]', effect=effect, way=way)


def _resolved(view: ServiceView) -> Resolved:
    resolved: Resolved = view.basis
    return resolved


def _components(view: ServiceView) -> tuple[Component, ...]:
    return _resolved(view).components.items


def _annotations(view: ServiceView) -> Iterator[tuple[str, Json]]:
    """Yield what the author annotates, and where."""
    service = _resolved(view).service
    yield "metadata", view.document["metadata"].get("annotations") or {}
    for role in service.roles:
        yield f"spec.{role}", service.spec[role].get("annotations") or {}


def _config_map(view: ServiceView) -> Reference:
    return Reference("v1", "ConfigMap", _resolved(view).settings.kserve_namespace, CONFIG_MAP)


def _lost(container: Json, user: int) -> list[str]:
    context = container.get("securityContext") or {}
    return sorted(key for key, value in context.items() if (key, value) != ("runAsUser", user))


def _standard(component: Json, resolved: Resolved) -> Iterator[tuple[str, str, str]]:
    """Yield what Standard mode does not do: the field, what comes of it, and what to do."""
    scaler = resolved.service.annotations.get(CLASS_ANNOTATION, "hpa")
    scaler = (component.get("annotations") or {}).get(CLASS_ANNOTATION, scaler)
    if component.get("canaryTrafficPercent") is not None:
        effect = "only has an effect in Knative mode; all requests go to the new pods"
        yield "canaryTrafficPercent", effect, "leave it out, or use Knative mode"
    if scaler != "hpa":
        return
    if component.get("minReplicas") == 0:
        way = "use the annotation of class keda, or Knative mode"
        yield "minReplicas", "0 becomes 1: an HPA keeps a pod", way
    metric = component.get("scaleMetric", "")
    scaling = component.get("autoScaling")
    if scaling is None and metric in _KNATIVE_METRICS:
        effect = f"an HPA does not know {metric}, so that it has no metric"
        yield "scaleMetric", effect, "use cpu or memory, or Knative mode"
    if scaling is not None and scaling.get("behavior") is not None:
        effect = "KServe passes it only to KEDA, and leaves it out with class hpa"
        yield "autoScaling.behavior", effect, "use the annotation of class keda"
    for number, item in enumerate((scaling or {}).get("metrics") or ()):
        if item["type"] != "Resource":
            effect = f"an HPA does not know {item['type']}"
            yield f"autoScaling.metrics[{number}]", effect, "use the annotation of class keda"


def _knative(component: Json) -> Iterator[tuple[str, str, str]]:
    """Yield what Knative mode does not do: the field, what comes of it, and what to do."""
    if component.get("autoScaling") is not None:
        effect = f"has an effect in {STANDARD} mode alone"
        yield "autoScaling", effect, f"use scaleMetric and scaleTarget in {KNATIVE} mode"
    if component.get("workerSpec") is not None:
        effect = f"KServe creates no workers in {KNATIVE} mode, and the server waits for them"
        yield "workerSpec", effect, f"use {STANDARD} mode"


CHECKS = (
    image,
    no_config,
    no_block,
    runtime,
    choice,
    no_host,
    mutation,
    models,
    passed_over,
    model_user,
    agent,
    features,
    knative_limits,
    path_template,
    past_transformer,
    logger_address,
    batcher_limit,
    batcher_protocol,
    names_apart,
    predictor_host,
    predictor_protocol,
    modelcar_off,
    storage_path,
    without_effect,
)
