# SPDX-License-Identifier: GPL-3.0-or-later
"""The token with which Prometheus reads the endpoint picker's metrics."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService
from .picker import checks_tokens


def picker_secret(service: ModelService, settings: Settings) -> Child | None:
    """Return the token Secret, or None where the picker checks no tokens or the provider is `gke`.

    The control plane fills in the token, so the ServiceAccount must be there first.
    Source: model-operator internal/modelservice/{epp_serviceaccount,epp_secret}.go@v0.9.0-alpha.2.
    """
    if not checks_tokens(service, settings) or settings.provider == "gke":
        return None
    return Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            api_version="v1",
            kind="Secret",
            name=names.picker_secret(service.name),
            namespace=service.namespace,
            labels=labels.picker(service.name, settings.operator_version),
            annotations={"kubernetes.io/service-account.name": names.picker(service.name)},
            body={"type": "kubernetes.io/service-account-token"},
        ),
    )
