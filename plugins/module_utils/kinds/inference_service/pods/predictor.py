# SPDX-License-Identifier: GPL-3.0-or-later
"""The predictor: the server of a model, as its runtime has it, or containers of the service's own.

Source: KServe pkg/apis/serving/v1beta1/inference_service_defaults.go, pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.17.0.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....kube.manifest import Json
from ....kube.reader import Reader
from ...kserve.framework import model_of
from ...kserve.pod import container_of
from ...kserve.releases import KServe
from ..errors import ModelFailure, Unbuildable
from ..implementations import storage_uri
from ..resolved import Resolved
from ..runtimes.defaults import with_runtime_defaults
from ..runtimes.runtime import Runtime
from ..runtimes.select import select_runtime
from .annotations import (
    STORAGE_CONTAINER,
    Texts,
    agent_annotations,
    batcher_annotations,
    confidential_annotations,
    logger_annotations,
    storage_annotations,
)
from .component import Component
from .containers import SERVER, TRANSFORMER
from .image import with_tag
from .merge import (
    INVALID_SPEC,
    container_part,
    merged_container,
    merged_pod,
    pod_part,
    runtime_container,
)
from .metadata import component_annotations, component_labels
from .multi_model import is_multi_model
from .multi_node import with_values
from .placeholders import filled_in
from .storage_annotations import with_source
from .workers import HeadAndWorkers, with_workers

#: Every server of a predictor finds the service's name here.
NAME_VARIABLE = "INFERENCE_SERVICE_NAME"


@dataclass(frozen=True, slots=True)
class Served:
    """The predictor, its runtime where it has one, and the service's labels with those that the runtime asks for."""

    component: Component
    runtime: Runtime | None
    labels: Texts


def predictor(resolved: Resolved, reader: Reader) -> Served:
    """Return the predictor. Raises Unbuildable."""
    service, spec = resolved.service, resolved.service.spec["predictor"]
    internal = _internal(resolved, spec, reader)
    labels = dict(service.labels)
    runtime = None
    if spec.get("model") is not None:
        multi_node = spec.get("workerSpec") is not None
        model = spec["model"]
        runtime = select_runtime(model, service.namespace, reader, multi_node=multi_node)
        model, added = with_runtime_defaults(model, runtime, service.name)
        labels |= added
        pod = _model_pod(resolved, spec, model, runtime, labels)
    else:
        pod = _own_pod(spec)
    for name in dict.fromkeys(str(each.get("name")) for each in pod["containers"]):
        pod = with_values(pod, name, {NAME_VARIABLE: service.name})
    of_runtime = runtime.spec if runtime else {}
    component = Component(
        role="predictor",
        name=service.component_name("predictor"),
        labels=component_labels(resolved, "predictor", spec, labels, of_runtime.get("labels")),
        annotations=component_annotations(resolved, spec, internal, of_runtime.get("annotations")),
        pod=pod,
        spec=spec,
        multi_model=is_multi_model(spec),
    )
    if spec.get("workerSpec") is not None:
        around = HeadAndWorkers(resolved, component, of_runtime, labels, internal)
        component = with_workers(around, runtime)
    return Served(component, runtime, labels)


def _internal(resolved: Resolved, spec: Json, reader: Reader) -> Texts:
    found = {
        **logger_annotations(spec.get("logger")),
        **batcher_annotations(spec.get("batcher")),
        **storage_annotations((spec.get("model") or {}).get("storage")),
        **(agent_annotations(resolved.service.name) if is_multi_model(spec) else {}),
    }
    found = with_source(found, spec, "predictor", reader, resolved.settings.release)
    found |= confidential_annotations((model_of(spec)[1] or {}).get("confidential"))
    container = spec.get("storageContainerName")
    if container and storage_uri(spec, "predictor") is not None:
        found[STORAGE_CONTAINER] = container
    return found


def _model_pod(
    resolved: Resolved, spec: Json, model: Json, runtime: Runtime, labels: Texts
) -> Json:
    """Return the pod of a model's server. labels: the service's, as placeholders see them."""
    containers = runtime.spec.get("containers") or []
    if not containers:
        message = "no container configuration found in selected serving runtime"
        raise Unbuildable(
            message,
            model=ModelFailure(INVALID_SPEC, message),
            path="spec.predictor.model.runtime",
            advice=f'give {runtime} a container "{SERVER}", or use another runtime',
            rule="runtime-containers",
        )
    metadata = {
        "name": resolved.service.name,
        "namespace": resolved.service.namespace,
        "labels": labels,
        "annotations": resolved.service.annotations,
    }
    server = merged_container(
        runtime_container(containers, SERVER, str(runtime)),
        container_part(model),
        resolved.settings.release,
    )
    pod = merged_pod(runtime.spec, pod_part(spec), resolved.settings.release)
    server = filled_in(server, metadata, runtime.name)
    server = with_tag(server, model.get("runtimeVersion"), runtime, resolved.settings.release)
    own = pod_part(spec).get("containers") or []
    transformer = _transformer(containers, own, resolved.settings.release)
    if transformer is not None:
        transformer = filled_in(transformer, metadata, runtime.name)
    others = [each for each in containers if each.get("name") not in (SERVER, TRANSFORMER)]
    helpers = [each for each in own if each.get("name") != TRANSFORMER]
    beside = [] if transformer is None else [transformer]
    of_runtime = [container_part(each) for each in others]
    return {**pod, "containers": [server, *beside, *of_runtime, *helpers]}


def _transformer(containers: list[Json], own: list[Json], release: KServe) -> Json | None:
    """Return the transformer that is in the predictor's pod: the runtime's, the service's, or both merged."""
    base = container_of({"containers": containers}, TRANSFORMER)
    over = container_of({"containers": own}, TRANSFORMER)
    if base is not None and over is not None:
        return merged_container(base, over, release)
    return over if base is None else container_part(base)


def _own_pod(spec: Json) -> Json:
    """Return the pod of a predictor without a model. Raises Unbuildable where its server is not the first container.

    KServe puts the server in the place of the first container, and leaves it in its own place, too, so that the API refuses the pods.
    """
    pod = pod_part(spec)
    containers = pod.get("containers") or []
    # A service of several containers of which none is the server is refused when it is loaded.
    server = container_of(pod, SERVER)
    if server not in (None, containers[0]):
        raise Unbuildable(
            f"{SERVER} is not the first container",
            path="spec.predictor.containers",
            told=f"KServe puts {SERVER} in the place of the first container, {containers[0].get('name')}, and the API refuses pods that have it twice",
            advice=f"write {SERVER} first",
            rule="container-order",
        )
    return pod
