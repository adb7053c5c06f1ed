# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConfigMap that tells the agent of a multi-model predictor which models to fetch."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from ....kube.reader import Reader
from .. import names
from ..resolved import Resolved

_MODELS = "models.json"


def model_config(resolved: Resolved, reader: Reader) -> tuple[Child, ...]:  # noqa: ARG001
    """Return the ConfigMap, nothing for a predictor with a model of its own.

    labels: the service's, without those that its runtime asks for: the runtime is chosen after it.
    data: no models at first; TrainedModels fill it in later, so that it is sent on create only.
    Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/modelconfig/modelconfig_reconciler.go@v0.17.0.
    """
    service = resolved.service
    if not any(component.multi_model for component in resolved.components.items):
        return ()
    manifest = Manifest(
        api_version="v1",
        kind="ConfigMap",
        name=names.model_config(service.name),
        namespace=service.namespace,
        labels=service.labels,
        body={"data": {_MODELS: "[]"}},
    )
    return (Child(Stage.CONFIG, manifest, unclaimed=(("data", _MODELS),)),)
