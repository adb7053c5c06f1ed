# SPDX-License-Identifier: GPL-3.0-or-later
"""The Service in front of the model servers."""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from ....kube.reader import Reader
from .. import labels, names
from ..resolved import Resolved

#: The port of model servers and sidecars alike.
PORT = 8000


def workload_service(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the Service, None for a stopped one. Source: KServe pkg/controller/v1alpha2/llmisvc/workload.go@v0.17.0, v0.19.0."""
    if resolved.stopped:
        return None
    release = resolved.settings.release
    plain = release.service_port_follows_tls and not resolved.config.ingress.tls
    protocol = "http" if plain else "https"
    said = resolved.spec if release.service_has_labels else {}
    return Child(
        stage=Stage.SERVICE,
        manifest=Manifest(
            api_version="v1",
            kind="Service",
            name=names.workload_service(resolved.name),
            namespace=resolved.namespace,
            labels={**labels.workload(resolved.name), **(said.get("labels") or {})},
            annotations=said.get("annotations") or {},
            body={
                "spec": {
                    "type": "ClusterIP",
                    "selector": labels.workload_selector(resolved.name),
                    "ports": [
                        {
                            "name": protocol,
                            "protocol": "TCP",
                            "appProtocol": protocol,
                            "port": PORT,
                            "targetPort": PORT,
                        }
                    ],
                }
            },
        ),
    )
