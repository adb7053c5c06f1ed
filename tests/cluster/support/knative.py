# SPDX-License-Identifier: GPL-3.0-or-later
"""Knative's kinds and its configuration. Knative itself does not run: tests say what it would."""

from __future__ import annotations

from tests.lab import crds
from tests.lab.client import Client
from tests.lab.crd_sources import KSERVE_NEIGHBOURS
from tests.objects import thing

API = "serving.knative.dev/v1"
MODE = {"serving.kserve.io/deploymentMode": "Knative"}
_PLACE = "knative-serving"


def prepare(client: Client) -> None:
    """Bring a cluster the kinds and the configuration of Knative."""
    crds.install(client, crds.documents(KSERVE_NEIGHBOURS))
    client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _PLACE}})
    for name, data in (
        ("config-autoscaler", {"allow-zero-initial-scale": "false"}),
        ("config-domain", {"example.com": ""}),
    ):
        client.apply({**thing("v1", "ConfigMap", name, _PLACE), "data": data})
