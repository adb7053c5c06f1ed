# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the InferenceService that a TrainedModel names serves it: it has to be there, load several models, and know the framework.

KServe's controller does not look at the framework. Source: KServe pkg/controller/v1alpha1/trainedmodel/controller.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.schema_faults import show
from ..kserve.framework import with_model
from .errors import Unbuildable
from .normalise import load
from .pods.multi_model import is_multi_model
from .runtimes.runtime import Runtime
from .runtimes.select import select_runtime
from .settings import Settings
from .spec import API_VERSION, KIND

_RULE = "trained-model-service"
_SERVICE, _FRAMEWORK = "spec.inferenceService", "spec.model.framework"
OWN_MODEL = "has a model of its own and loads no TrainedModels"


def service_problems(model: Json, around: Reader, settings: Settings) -> Iterator[Problem]:
    """Yield warnings where a TrainedModel will not be served. around: shows its service and the runtimes. Raises NotAllowed."""
    name, namespace = model["spec"]["inferenceService"], model["metadata"].get("namespace") or ""
    document = around.get(Reference(API_VERSION, KIND, namespace, name))
    if document is None:
        if around.complete:
            message = f"InferenceService {name} does not exist, and KServe's controller deletes a TrainedModel without one; create it first"
            yield Problem(_SERVICE, message, "warning", _RULE)
        return
    service = load(document, settings).service
    if service is None:
        # What is wrong with it is reported where it is reconciled.
        return
    predictor = with_model(service.component("predictor") or {}, settings.release)
    if not is_multi_model(predictor):
        message = f"InferenceService {name} {OWN_MODEL}; remove its model, or name another service"
        yield Problem(_SERVICE, message, "warning", _RULE)
        return
    runtime = _runtime(predictor, namespace, around)
    if runtime is not None and (fault := framework_fault(model, runtime)):
        yield Problem(_FRAMEWORK, fault, "warning", _RULE)


def framework_fault(model: Json, runtime: Runtime) -> str:
    """Return why the runtime of a service does not load a TrainedModel, empty where it names the framework."""
    framework = str(model["spec"]["model"]["framework"])
    formats = runtime.spec.get("supportedModelFormats") or ()
    known = list(dict.fromkeys(str(each.get("name")) for each in formats))
    if framework.lower() in [each.lower() for each in known]:
        return ""
    served = ", ".join(known) or "none"
    return f"{show(framework)} is not a format of {runtime} ({served}), so its server will not load the model"


def _runtime(predictor: Json, namespace: str, around: Reader) -> Runtime | None:
    """Return the runtime of a service, None where it has none, or none that is known."""
    model = predictor.get("model")
    if model is None:
        return None
    try:
        multi_node = predictor.get("workerSpec") is not None
        return select_runtime(model, namespace, around, multi_node=multi_node)
    except Unbuildable:
        return None
