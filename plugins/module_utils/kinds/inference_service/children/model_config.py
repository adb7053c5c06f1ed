# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConfigMap that tells the agent of a multi-model predictor which models to fetch."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from .. import names
from ..resolved import Resolved
from ..trained_models import models_json

_MODELS = "models.json"


def model_config(resolved: Resolved, reader: Reader) -> tuple[Child, ...]:
    """Return the ConfigMap, nothing for a predictor with a model of its own.

    labels: the service's, without those that its runtime asks for: the runtime is chosen after it.
    data: the TrainedModels of the service, which KServe's controller of TrainedModels writes into it.
    Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/modelconfig/modelconfig_reconciler.go,
    pkg/controller/v1alpha1/trainedmodel/reconcilers/modelconfig/modelconfig_reconciler.go@v0.17.0.
    """
    service = resolved.service
    if not any(component.multi_model for component in resolved.components.items):
        return ()
    reference = Reference("v1", "ConfigMap", service.namespace, names.model_config(service.name))
    before = str(value_at(reader.get(reference) or {}, ("data", _MODELS)) or "")
    manifest = Manifest(
        api_version=reference.api_version,
        kind=reference.kind,
        name=reference.name,
        namespace=reference.namespace,
        labels=service.labels,
        body={"data": {_MODELS: models_json(resolved.models.loaded, before)}},
    )
    return (Child(Stage.CONFIG, manifest),)
