# SPDX-License-Identifier: GPL-3.0-or-later
"""The Service by which a service in Knative mode is called inside the cluster: another name of Istio's local gateway."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from ....kube.reader import Reader
from ..resolved import Resolved
from ..router.front_component import has_routes


def external_service(resolved: Resolved, reader: Reader) -> tuple[Child, ...]:  # noqa: ARG001
    """Return the Service, nothing where Istio has no VirtualService for us.

    Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/ingress_reconciler.go@v0.17.0.
    """
    config = resolved.config.ingress
    if config.disable_virtual_host or not has_routes(resolved):
        return ()
    child = Child(
        stage=Stage.SERVICE,
        manifest=Manifest(
            api_version="v1",
            kind="Service",
            name=resolved.service.name,
            namespace=resolved.service.namespace,
            body={
                "spec": {
                    "type": "ExternalName",
                    "externalName": config.local_gateway_service,
                    "sessionAffinity": "None",
                }
            },
        ),
    )
    return (child,)
