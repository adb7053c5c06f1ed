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
    """Return the Service, None for a stopped one. Source: KServe v0.17.0; reference/kserve-llmisvc.md §3.8."""
    if resolved.stopped:
        return None
    return Child(
        stage=Stage.SERVICE,
        manifest=Manifest(
            api_version="v1",
            kind="Service",
            name=names.workload_service(resolved.name),
            namespace=resolved.namespace,
            labels=labels.workload(resolved.name),
            body={
                "spec": {
                    "type": "ClusterIP",
                    "selector": labels.workload_selector(resolved.name),
                    "ports": [
                        {
                            "name": "https",
                            "protocol": "TCP",
                            "appProtocol": "https",
                            "port": PORT,
                            "targetPort": PORT,
                        }
                    ],
                }
            },
        ),
    )
