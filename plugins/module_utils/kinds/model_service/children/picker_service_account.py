# SPDX-License-Identifier: GPL-3.0-or-later
"""The account under which the endpoint picker reads pods and pools."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService


def picker_service_account(service: ModelService, settings: Settings) -> Child:
    """Return the picker's ServiceAccount.

    Source: model-operator internal/modelservice/{epp_serviceaccount,epp_secret}.go@v0.9.0-alpha.2.
    """
    return Child(
        stage=Stage.ACCESS,
        manifest=Manifest(
            api_version="v1",
            kind="ServiceAccount",
            name=names.picker(service.name),
            namespace=service.namespace,
            labels=labels.picker(service.name, settings.operator_version),
        ),
    )
