# SPDX-License-Identifier: GPL-3.0-or-later
"""The Service in front of the model servers."""

from __future__ import annotations

from dataclasses import dataclass

from ....kube.intent import Child, Stage
from ....kube.manifest import Manifest
from ....kube.reader import Reader
from ....kube.release import Since, change
from ...kserve.releases import KServe
from .. import labels, names
from ..propagation import without_own_marks
from ..resolved import Resolved

#: The port of model servers and sidecars alike.
PORT = 8000


@dataclass(frozen=True, slots=True)
class _Facts:
    """port_follows_tls: the port is called by what is spoken there, else `https` always. labelled: it gets the spec's labels and annotations."""

    port_follows_tls: bool = False
    labelled: bool = False


_FACTS: Since[_Facts] = Since(
    {KServe.V0_17: _Facts(), KServe.V0_19: change(port_follows_tls=True, labelled=True)}
)


def workload_service(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the Service, None for a stopped one. Source: KServe pkg/controller/v1alpha2/llmisvc/workload.go@v0.17.0, v0.19.0."""
    if resolved.stopped:
        return None
    facts = _FACTS.at(resolved.settings.release)
    plain = facts.port_follows_tls and not resolved.config.ingress.tls
    protocol = "http" if plain else "https"
    said = resolved.spec if facts.labelled else {}
    return Child(
        stage=Stage.SERVICE,
        manifest=Manifest(
            api_version="v1",
            kind="Service",
            name=names.workload_service(resolved.name),
            namespace=resolved.namespace,
            labels={**labels.workload(resolved.name), **(said.get("labels") or {})},
            annotations=without_own_marks(said.get("annotations") or {}, resolved),
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
