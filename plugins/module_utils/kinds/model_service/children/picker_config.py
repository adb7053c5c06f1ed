# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConfigMap with the configuration that the endpoint picker reads when it starts."""

from __future__ import annotations

from ....endpoint_picker.build import picker_config as embedded
from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService


def picker_config(service: ModelService, settings: Settings) -> Child:
    """Return the picker's ConfigMap: one key, whose name tells which of the two configurations it holds.

    Source: model-operator internal/modelservice/{epp_config,epp_configmap}.go@v0.9.0-alpha.2.
    """
    config = embedded(disaggregated=service.prefill is not None)
    return Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            api_version="v1",
            kind="ConfigMap",
            name=names.picker_config(service.name),
            namespace=service.namespace,
            labels=labels.picker(service.name, settings.operator_version),
            body={"data": {config.key: config.text}},
        ),
    )
