# SPDX-License-Identifier: GPL-3.0-or-later
"""The CustomResourceDefinitions of both kinds, made from the schema.

They are for clusters without KServe. Without its webhook the API server cannot convert between the versions, so only the
stored one is served there; v1alpha1 input is converted before it is sent.
"""

from __future__ import annotations

from ...kube.manifest import Json
from ...kube.openapi import openapi
from ..kserve.service import GROUP
from .schema import STORED_VERSION, root_schema
from .spec import CONFIG_KIND, KIND

PLURAL = f"{KIND.lower()}s"
CONFIG_PLURAL = f"{CONFIG_KIND.lower()}s"

#: Columns of `kubectl get`; the URLs show with `-o wide`.
_COLUMNS = (
    ("URL", "string", ".status.url", 0),
    ("Ready", "string", ".status.conditions[?(@.type=='Ready')].status", 0),
    ("Reason", "string", ".status.conditions[?(@.type=='Ready')].reason", 0),
    ("Age", "date", ".metadata.creationTimestamp", 0),
    ("URLs", "string", ".status.addresses[*].url", 1),
)


def crd() -> Json:
    """Return the CustomResourceDefinition of LLMInferenceService."""
    return _definition(
        KIND,
        PLURAL,
        {"shortNames": ["llmisvc"]},
        {
            "subresources": {"status": {}},
            "additionalPrinterColumns": [_column(*column) for column in _COLUMNS],
        },
    )


def config_crd() -> Json:
    """Return the CustomResourceDefinition of LLMInferenceServiceConfig."""
    return _definition(CONFIG_KIND, CONFIG_PLURAL, {}, {})


def _definition(kind: str, plural: str, names: Json, version: Json) -> Json:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": plural,
                "singular": kind.lower(),
                **names,
            },
            "scope": "Namespaced",
            "versions": [
                {
                    "name": STORED_VERSION,
                    "served": True,
                    "storage": True,
                    **version,
                    "schema": {"openAPIV3Schema": openapi(root_schema(STORED_VERSION, kind))},
                }
            ],
        },
    }


def _column(name: str, kind: str, path: str, priority: int) -> Json:
    column: Json = {"name": name, "type": kind, "jsonPath": path}
    return {**column, "priority": priority} if priority else column
