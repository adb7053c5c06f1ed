# SPDX-License-Identifier: GPL-3.0-or-later
"""The CustomResourceDefinition, made from the schema; for clusters without KServe."""

from __future__ import annotations

from ...kube.manifest import Json
from ...kube.openapi import openapi
from ..kserve.service import GROUP
from .schema import ROOT
from .spec import API_VERSION, KIND

PLURAL = f"{KIND.lower()}s"

_TRAFFIC = ".status.components.predictor.traffic[?(@.{})].{}"
#: Columns of `kubectl get`.
_COLUMNS = (
    ("URL", "string", ".status.url"),
    ("Ready", "string", ".status.conditions[?(@.type=='Ready')].status"),
    ("Prev", "integer", _TRAFFIC.format("tag=='prev'", "percent")),
    ("Latest", "integer", _TRAFFIC.format("latestRevision==true", "percent")),
    ("PrevRolledoutRevision", "string", _TRAFFIC.format("tag=='prev'", "revisionName")),
    ("LatestReadyRevision", "string", _TRAFFIC.format("latestRevision==true", "revisionName")),
    ("Age", "date", ".metadata.creationTimestamp"),
)


def crd() -> Json:
    """Return the CustomResourceDefinition of InferenceService."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {
                "kind": KIND,
                "listKind": f"{KIND}List",
                "plural": PLURAL,
                "singular": KIND.lower(),
                "shortNames": ["isvc"],
            },
            "scope": "Namespaced",
            "versions": [
                {
                    "name": API_VERSION.partition("/")[2],
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": [
                        {"name": name, "type": kind, "jsonPath": path}
                        for name, kind, path in _COLUMNS
                    ],
                    "schema": {"openAPIV3Schema": openapi(ROOT)},
                }
            ],
        },
    }
