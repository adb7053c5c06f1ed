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
from ..check import NOTE, WARNING, Check, check
from ..kserve.framework import authors_field
from ..kserve.images import image
from ..kserve.local_model_off import local_model_off
from ..kserve.modes import STANDARD
from ..kserve.pod import container_of
from ..kserve.read_system_config import SIDECARS
from ..kserve.storage.modelcar import KEEPS_SECURITY_CONTEXT
from ..kserve.system_config import CONFIG_MAP
from ..view import ServiceView
from .batcher_limits import batcher_limit, batcher_protocol
from .implementations import TRANSFORMER_CONTAINER
from .knative_mode import agent, features, knative_limits, models, no_host
from .logger_address import logger_address
from .mode_effects import scaled_by_nobody, without_effect
from .model_names import names_apart
from .model_place import modelcar_off, storage_path
from .pods.annotations import SOURCE_URI
from .pods.component import Component
from .pods.containers import SERVER, readers
from .pods.storage.images import images_among, reads_each
from .pods.storage.one_model import OCI
from .pods.webhook_emulation import POD_WEBHOOKS, is_rendered, may_look
from .predictor_calls import predictor_host, predictor_protocol
from .resolved import Resolved
from .router.front_component import has_routes
from .runtimes.admission import runtime_problems
from .runtimes.runtime import NAMESPACED, runtimes
from .runtimes.select import runtimes_passed_over

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
MUTATION = Check(
    "pod-mutation",
    WARNING,
    finds=f"{POD_WEBHOOKS} may not be read, so it is not known whether KServe's webhook completes pods: their templates are "
    "completed, which is right in either case",
    fix="set pod_mutation: rendered, or webhook",
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


@check(MUTATION, reads=("MutatingWebhookConfigurations",))
def mutation(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield that it is not known whether KServe's webhook is installed."""
    if not may_look(_resolved(view), reader):
        yield MUTATION.at("")


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


def _resolved(view: ServiceView) -> Resolved:
    resolved: Resolved = view.basis
    return resolved


def _components(view: ServiceView) -> tuple[Component, ...]:
    return _resolved(view).components.items


def _config_map(view: ServiceView) -> Reference:
    return Reference("v1", "ConfigMap", _resolved(view).settings.kserve_namespace, CONFIG_MAP)


def _lost(container: Json, user: int) -> list[str]:
    context = container.get("securityContext") or {}
    return sorted(key for key, value in context.items() if (key, value) != ("runAsUser", user))


CHECKS = (
    image,
    local_model_off,
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
    scaled_by_nobody,
)
