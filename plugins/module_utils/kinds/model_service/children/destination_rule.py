# SPDX-License-Identifier: GPL-3.0-or-later
"""The DestinationRule that lets Istio's gateway speak TLS with the endpoint picker, whose certificate is self-signed."""

from __future__ import annotations

from ....kube import gvk
from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from .. import labels, names
from ..settings import Settings
from ..spec import ModelService


def destination_rule(service: ModelService, settings: Settings) -> Child | None:
    """Return the DestinationRule, or None where the provider is not Istio.

    Source: model-operator internal/modelservice/destination_rule.go@v0.9.0-alpha.2.
    """
    if settings.provider != "istio":
        return None
    name = names.picker(service.name)
    return Child(
        stage=Stage.ROUTING,
        manifest=Manifest(
            api_version=gvk.ISTIO,
            kind="DestinationRule",
            name=name,
            namespace=service.namespace,
            labels=labels.picker(service.name, settings.operator_version),
            body={
                "spec": {
                    "host": f"{name}.{service.namespace}.svc.{settings.cluster_domain}",
                    "trafficPolicy": {"tls": {"mode": "SIMPLE", "insecureSkipVerify": True}},
                }
            },
        ),
    )
