# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that only an LLMInferenceService can have: they speak of presets, of certificates, of what KServe's controller reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from ...kube.command_line import words
from ...kube.manifest import Json, value_at
from ...kube.problem import Problem, Severity
from ...kube.reader import Reader
from ...kube.release import Since, change
from ...kube.trace_sampling import RATIO, SAMPLERS, is_share, nearest_sampler
from ..check import NOTE, WARNING, Check, check
from ..kserve.images import image
from ..kserve.local_model_off import local_model_off
from ..kserve.local_models import CACHE, NAMESPACE_CACHE, local_model
from ..kserve.releases import KServe
from ..kserve.storage.containers import BadPattern, taken_by_another
from ..kserve.storage.initializer import MODEL_PATH, diverted_mount, holds_model
from ..view import ServiceView
from .certificate.request import secret_reference
from .local_model import READS_CACHES
from .pod import MAIN
from .presets.builtin import OWN, PREFIX
from .presets.engine_arguments import VARIABLE
from .resolved import Resolved
from .router.references import invalid_references


@dataclass(frozen=True, slots=True)
class _Obeys:
    """What KServe's own presets for single pods make of a service: sizes of `parallelism`, the variable of more arguments."""

    sizes: bool = False
    variable: bool = False


#: Source: KServe config/llmisvcconfig at the tags of the releases.
_THEIRS: Since[_Obeys] = Since(
    {
        KServe.V0_17: _Obeys(),
        KServe.V0_18: change(variable=True),
        KServe.V0_20: change(sizes=True),
    }
)
#: Sizes by which presets start the engine of a single pod, and the engine's flags for them.
_SIZES = {
    "tensor": "--tensor-parallel-size",
    "pipeline": "--pipeline-parallel-size",
    "expert": "--enable-expert-parallel",
}

OWN_PRESETS = Check(
    "own-presets",
    WARNING,
    finds="namespace {namespace} shows no {presets}, so the collection's own are used",
    fix=f"to use them on purpose, set settings.config_prefix: {PREFIX}",
)
STAND_IN = Check(
    "preset-dependent",
    WARNING,
    finds="{line} reaches the engine through the collection's presets, which are used here; those of KServe {release} {theirs}",
    fix="{way}",
)
IGNORED_CONTAINER = Check(
    "no-effect",
    WARNING,
    finds="ClusterStorageContainer {name} handles {uri} for an InferenceService, but has no effect on an LLMInferenceService: "
    "image and memory of the init container come from the block storageInitializer of inferenceservice-config",
    fix="set them there, or on an init container storage-initializer of spec.template",
)
IGNORED_CACHE = Check(
    "no-effect",
    WARNING,
    finds="{kind} {name} holds {uri} on the nodes for an InferenceService, and KServe {release} fetches the model of an LLMInferenceService all the same",
    fix="mount the claim of the cache: pvc:// in spec.model.uri; or use KServe 0.19",
)
REFERENCE = Check(
    "router-reference",
    WARNING,
    finds="{message}",
    fix="create it; requests reach the service once it exists",
)
CERTIFICATE = Check(
    "certificate-left-out",
    NOTE,
    finds="the Secret {namespace}/{name}, which all pods mount, is left out: its keys are created when the service is applied",
    fix="to see it here, give it in cluster_objects",
)
NO_ROUTE = Check(
    "gateway-unused",
    WARNING,
    finds="without spec.router.route there is no HTTPRoute, so the Gateway sends the service nothing",
    fix="add spec.router.route, for example route: {{}}, or leave the Gateway out",
)
TRACES = Check(
    "tracing-value",
    WARNING,
    finds='"{value}" is not what OpenTelemetry accepts there, {wanted}: traces do not arrive, or other requests are traced',
    fix="{way}",
)
NO_MODEL = Check(
    "model-not-brought",
    WARNING,
    finds="{field} is false, so nothing downloads the model to {path}, from which the server starts",
    fix="leave it out, mount a volume there, or start the server with the name of the model",
)


@check(OWN_PRESETS, reads=("LLMInferenceServiceConfigs",))
def own_presets(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield presets that the cluster lacks, and that the collection's own replace."""
    resolved: Resolved = view.basis
    prefix = resolved.settings.config_prefix
    own = [
        each.name.removeprefix(f"{OWN} ") for each in resolved.presets if each.name.startswith(OWN)
    ]
    if own and prefix != PREFIX:
        all_own = len(own) == len(resolved.presets)
        presets = "presets" if all_own else ", ".join(f"{prefix}{name}" for name in own)
        # Without a cluster nobody can mend it: whoever asks for files is told which presets stand in.
        severity: Severity = WARNING if reader.complete else NOTE
        namespace = resolved.settings.kserve_namespace
        yield OWN_PRESETS.at("", severity=severity, namespace=namespace, presets=presets)


@check(STAND_IN, reads=("LLMInferenceServiceConfigs",))
def stand_in(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield lines that the collection's presets read, but KServe's may not."""
    resolved: Resolved = view.basis
    stands_in = resolved.settings.config_prefix != PREFIX and not reader.complete
    if not stands_in or not any(preset.name.startswith(OWN) for preset in resolved.presets):
        return
    release = resolved.settings.release
    for where in ((), ("prefill",)):
        workload = value_at(resolved.service.spec, where) if where else resolved.service.spec
        for field, line, obeyed, way in _obeyed(workload or {}, release):
            yield STAND_IN.at(
                ".".join(("spec", *where, field)),
                severity=NOTE if obeyed else WARNING,
                line=line,
                release=release,
                theirs="obey it as well" if obeyed else "do not read it for single pods",
                way=way,
            )


def _obeyed(workload: Json, release: KServe) -> Iterator[tuple[str, str, bool, str]]:
    """Yield what presets alone obey: the field, its name, whether KServe's own do, and what reaches the engine in any case."""
    sizes = workload.get("parallelism") or {}
    for name, flag in _SIZES.items():
        if sizes.get(name) and workload.get("worker") is None:
            way = f"write {flag} into args of the container main, which reaches the engine with every preset"
            yield f"parallelism.{name}", f"{name}: {sizes[name]}", _THEIRS.at(release).sizes, way
    for number, container in enumerate((workload.get("template") or {}).get("containers") or ()):
        for place, variable in enumerate(container.get("env") or ()):
            if container.get("name") == MAIN and variable.get("name") == VARIABLE:
                way = "only start scripts of presets read it; args of the container reach the engine with every preset"
                field = f"template.containers[{number}].env[{place}]"
                yield field, VARIABLE, _THEIRS.at(release).variable, way


@check(IGNORED_CONTAINER, reads=("ClusterStorageContainers",))
def ignored_container(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield storage containers for the model's address, which KServe uses for InferenceServices only."""
    resolved: Resolved = view.basis
    uri = resolved.at("model", "uri") or ""
    if any(each.fetcher for each in view.serving):
        with suppress(BadPattern):
            name = taken_by_another(uri, reader)
            if name is not None:
                yield IGNORED_CONTAINER.at("spec.model.uri", name=name, uri=uri)


@check(IGNORED_CACHE, reads=("LocalModelCaches",))
def ignored_cache(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield node caches with the service's model, which this release uses for InferenceServices only."""
    resolved: Resolved = view.basis
    release, uri = resolved.settings.release, resolved.at("model", "uri") or ""
    # Which caches there are is asked of a cluster only where its configuration switches them on.
    looks = resolved.config.local_models or not reader.complete
    if READS_CACHES.at(release) or not (uri and looks):
        return
    found = local_model(uri, None, resolved.namespace, release, reader)
    if found is not None:
        kind = NAMESPACE_CACHE if found.namespace else CACHE
        yield IGNORED_CACHE.at(
            "spec.model.uri", kind=kind, name=found.name, uri=uri, release=release
        )


@check(REFERENCE, reads=("Gateways", "HTTPRoutes"))
def references(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield Gateways and routes that do not exist, as KServe's controller reports them."""
    resolved: Resolved = view.basis
    invalid = None if resolved.stopped else invalid_references(resolved, reader)
    if invalid is not None:
        yield REFERENCE.at("spec.router", message=invalid.message)


@check(NO_ROUTE)
def no_route(view: ServiceView) -> Iterator[Problem]:
    """Yield Gateways of a service without a route."""
    resolved: Resolved = view.basis
    if resolved.at("router", "gateway") is not None and resolved.at("router", "route") is None:
        yield NO_ROUTE.at("spec.router.gateway")


@check(TRACES)
def traces(view: ServiceView) -> Iterator[Problem]:
    """Yield values of `tracing` that OpenTelemetry does not accept. What is in a $(VARIABLE) is not known."""
    resolved: Resolved = view.basis
    given = resolved.at("tracing") or {}
    sampler, share = str(given.get("sampler") or ""), str(given.get("samplerArg") or "")
    endpoint = str(given.get("exporterEndpoint") or "")
    if endpoint and "$" not in endpoint and not endpoint.startswith(("http://", "https://")):
        yield _untraced("exporterEndpoint", endpoint, "a URL", f"write http://{endpoint}")
    if sampler and sampler not in SAMPLERS:
        near = nearest_sampler(sampler)
        yield _untraced("sampler", sampler, f"one of {', '.join(SAMPLERS)}", f"write {near}")
    elif share and sampler.endswith(RATIO) and not is_share(share):
        way = "write 0.1 to trace every tenth request"
        yield _untraced("samplerArg", share, "a number from 0 to 1", way)


def _untraced(field: str, value: str, wanted: str, way: str) -> Problem:
    return TRACES.at(f"spec.tracing.{field}", value=value, wanted=wanted, way=way)


@check(CERTIFICATE, reads=("Secrets",))
def certificate(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield a rendered service without its certificate."""
    resolved: Resolved = view.basis
    reference = secret_reference(resolved)
    if not (resolved.stopped or reader.complete or reader.get(reference)):
        yield CERTIFICATE.at("", namespace=reference.namespace, name=reference.name)


@check(NO_MODEL, costly=True)
def no_model(view: ServiceView) -> Iterator[Problem]:
    """Yield servers that read a model from a folder that stays empty."""
    resolved: Resolved = view.basis
    if resolved.at("storageInitializer", "enabled") is not False:
        return
    for workload in view.serving:
        container = workload.engine_container
        held = any(map(holds_model, container.get("volumeMounts") or ()))
        if MODEL_PATH in words(container) and not held and diverted_mount(container) is None:
            place = workload.in_engine("command")
            yield NO_MODEL.at(place, path=MODEL_PATH, field="spec.storageInitializer.enabled")


CHECKS = (
    image,
    local_model_off,
    own_presets,
    stand_in,
    ignored_container,
    ignored_cache,
    references,
    no_route,
    traces,
    certificate,
    no_model,
)
