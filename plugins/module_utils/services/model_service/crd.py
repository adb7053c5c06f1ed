# SPDX-License-Identifier: GPL-3.0-or-later
"""The CustomResourceDefinition of ModelService, made from the schema."""

from __future__ import annotations

from ...kube.manifest import Json
from ...kube.openapi import openapi
from .releases import V1, Release
from .schema import root_schema
from .spec import API_VERSION, KIND

GROUP, VERSION = API_VERSION.split("/")
PLURAL = "modelservices"

#: Columns of `kubectl get`; the roles show with `-o wide`.
_COLUMNS = (
    ("Phase", "string", ".status.phase", 0),
    ("Ready", "string", '.status.conditions[?(@.type=="Ready")].status', 0),
    ("Model", "string", ".spec.model.name", 0),
    ("Decode", "string", ".status.decodeReady", 1),
    ("Prefill", "string", ".status.prefillReady", 1),
    ("Age", "date", ".metadata.creationTimestamp", 0),
)


def crd(release: Release = V1) -> Json:
    """Return the CustomResourceDefinition of a release. The default holds the fields of every release."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {
                "categories": ["otterscale"],
                "kind": KIND,
                "listKind": f"{KIND}List",
                "plural": PLURAL,
                "singular": KIND.lower(),
            },
            "scope": "Namespaced",
            "versions": [
                {
                    "name": VERSION,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": [_column(*column) for column in _COLUMNS],
                    "schema": {"openAPIV3Schema": openapi(root_schema(release))},
                }
            ],
        },
    }


def _column(name: str, kind: str, path: str, priority: int) -> Json:
    column: Json = {"name": name, "type": kind, "jsonPath": path}
    return {**column, "priority": priority} if priority else column
