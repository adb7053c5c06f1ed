# SPDX-License-Identifier: GPL-3.0-or-later
"""The URL by which another service asks the model of an InferenceService: its address, and the path of its protocol.

Source: KServe pkg/controller/v1beta1/inferenceservice/utils/utils.go, pkg/apis/serving/v1beta1/predictor_custom.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...kube import gvk
from ...kube.manifest import Json, value_at
from ...kube.reader import Reader
from ...kube.reference import Reference
from .framework import model_format, with_model
from .modes import MODE_ANNOTATION, MODEL_MESH, MODES, STANDARD, canonical_mode
from .pod import container_of, variable_of
from .releases import KServe
from .service_address import knative_address, standard_address
from .system_config import SystemConfig

_TRANSFORMER_CONTAINER = "transformer-container"
_MODEL_NAME = "--model_name"
_RUNTIMES = ("ServingRuntime", "ClusterServingRuntime")
#: The protocols that a graph speaks, with the path of a request.
_PATHS: Mapping[str, str] = {
    "v1": "/v1/models/{name}:predict",
    "v2": "/v2/models/{name}/infer",
}


class NoEndpoint(Exception):
    """A service cannot be asked. The text says why."""


def predictor_endpoint(
    service: Json,
    config: SystemConfig,
    reader: Reader,
    *,
    release: KServe,
    cluster_domain: str,
) -> str:
    """Return the URL. service: as its author wrote it or as the cluster has it. Raises NoEndpoint.

    A service that reports no address yet is called where it will report one.
    """
    spec = service.get("spec") or {}
    predictor = with_model(spec.get("predictor") or {}, release)
    transformer = spec.get("transformer")
    address = value_at(service, ("status", "address", "url")) or _coming_address(
        service, config, release, cluster_domain
    )
    if transformer is not None:
        protocol = _of_containers((transformer.get("containers") or ())[:1])
    elif _holds_many_models(predictor):
        return str(address)
    else:
        protocol = _protocol(predictor, service["metadata"]["namespace"], reader)
    path = _PATHS.get(protocol, "")
    return f"{address}{path.format(name=_model_name(service, predictor, transformer))}"


def _coming_address(
    service: Json, config: SystemConfig, release: KServe, cluster_domain: str
) -> str:
    """Return the address that a service will report once it is ready."""
    metadata = service["metadata"]
    name, namespace = metadata["name"], metadata["namespace"]
    front = f"{name}-transformer"
    if service["spec"].get("transformer") is None:
        variant = value_at(service, ("spec", "predictor", "name"))
        front = f"{name}-{variant}-predictor" if variant else f"{name}-predictor"
    mode = _mode(service, config)
    if mode == MODEL_MESH:
        raise NoEndpoint(f"it runs as {MODEL_MESH}, and reports no address yet")
    if mode == STANDARD:
        return standard_address(
            front,
            namespace,
            config.ingress,
            release=release,
            cluster_domain=cluster_domain,
            headless=config.service_cluster_ip_none,
        )
    return knative_address(name, front, namespace, config.ingress, cluster_domain)


def _mode(service: Json, config: SystemConfig) -> str:
    running = value_at(service, ("status", "deploymentMode"))
    wanted = (service["metadata"].get("annotations") or {}).get(MODE_ANNOTATION) or ""
    if MODE_ANNOTATION in config.disallowed_annotations:
        wanted = ""
    found = canonical_mode(running or wanted)
    return found if found in MODES else config.deploy.default_mode


def _protocol(predictor: Json, namespace: str, reader: Reader) -> str:
    """Return the protocol of a predictor. Where a runtime is named, the first of its own that a graph speaks. Raises NoEndpoint."""
    model = predictor.get("model")
    if model is None:
        return _of_own_containers(predictor.get("containers") or ())
    if not model.get("runtime"):
        return str(model.get("protocolVersion") or "v1")
    name = str(model["runtime"])
    versions = _runtime_protocols(name, namespace, reader)
    spoken = next((each for each in versions if each in _PATHS), "")
    if versions and not spoken:
        raise NoEndpoint(f"its runtime {name} speaks neither v1 nor v2, which graphs speak")
    return spoken or str(model.get("protocolVersion") or "v1")


def _runtime_protocols(name: str, namespace: str, reader: Reader) -> Sequence[str]:
    for kind, place in zip(_RUNTIMES, (namespace, ""), strict=True):
        found = reader.get(Reference(gvk.KSERVE_V1ALPHA1, kind, place, name))
        if found is not None:
            versions: Sequence[str] = (found.get("spec") or {}).get("protocolVersions") or ()
            return versions
    where = "does not exist" if reader.complete else "is not among the given objects"
    raise NoEndpoint(f"its runtime {name} {where}")


def _of_own_containers(containers: Sequence[Json]) -> str:
    transformer = container_of({"containers": containers}, _TRANSFORMER_CONTAINER)
    return _of_containers(containers[:1] if transformer is None else [transformer])


def _of_containers(containers: Sequence[Json]) -> str:
    """Return what the variable of a container says that it speaks."""
    for container in containers:
        said = variable_of(container, "PROTOCOL")
        if said is not None:
            return str(said.get("value") or "")
    return "v1"


def _holds_many_models(predictor: Json) -> bool:
    """Tell whether a server waits for models that come later, so that no path leads to the one."""
    containers = predictor.get("containers") or ()
    if containers:
        said = variable_of(containers[0], "MULTI_MODEL_SERVER")
        return said is not None and said.get("value") == "true"
    model = predictor.get("model") or {}
    brings = (model.get("storageUri"), model.get("storage"), predictor.get("storageUris"))
    return model_format(model) != "huggingface" and all(each in (None, []) for each in brings)


def _model_name(service: Json, predictor: Json, transformer: Json | None) -> str:
    """Return what requests call the model."""
    own: Sequence[Json] = (transformer or {}).get("containers") or ()
    named = _named_by(own[0]) if own else ""
    model = predictor.get("model")
    if not named and model is not None:
        said = variable_of(model, "MLSERVER_MODEL_NAME")
        if said is not None:
            return str(said.get("value") or "")
        named = _named_by(model)
    elif not named and predictor.get("containers"):
        named = _named_by(predictor["containers"][0])
    return named or str(service["metadata"]["name"])


def _named_by(container: Json) -> str:
    """Return the name that the arguments of a server give to its model; the last one counts."""
    arguments, name = container.get("args") or (), ""
    for number, argument in enumerate(arguments):
        if not argument.startswith(_MODEL_NAME):
            continue
        parts = argument.split("=")
        if len(parts) == len(("flag", "value")):
            name = parts[1]
        following = arguments[number + 1 : number + 2]
        if following and not following[0].startswith("--"):
            name = following[0]
    return name
