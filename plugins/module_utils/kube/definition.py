# SPDX-License-Identifier: GPL-3.0-or-later
"""A CustomResourceDefinition of one version, made from a schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .manifest import Json
from .openapi import openapi
from .schema import Object


class Column(NamedTuple):
    """One column of `kubectl get`. priority: 1 shows it with `-o wide` alone."""

    name: str
    type: str
    path: str
    priority: int = 0


#: How old a resource is.
AGE = Column("Age", "date", ".metadata.creationTimestamp")


def plural_of(kind: str) -> str:
    """Return how a kind is called in paths."""
    return f"{kind.lower()}s"


def definition(
    api_version: str,
    kind: str,
    schema: Object,
    *,
    columns: Sequence[Column] = (),
    status: bool = True,
    namespaced: bool = True,
    short_names: Sequence[str] = (),
    categories: Sequence[str] = (),
) -> Json:
    """Return the definition of a kind. status: whether its status is written apart from the rest. namespaced: whether it lives in namespaces."""
    group, version = api_version.split("/")
    plural = plural_of(kind)
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {
                **names,
                **({"shortNames": list(short_names)} if short_names else {}),
                **({"categories": list(categories)} if categories else {}),
            },
            "scope": "Namespaced" if namespaced else "Cluster",
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    **({"subresources": {"status": {}}} if status else {}),
                    **({"additionalPrinterColumns": [*map(_column, columns)]} if columns else {}),
                    "schema": {"openAPIV3Schema": openapi(schema)},
                }
            ],
        },
    }


def _column(column: Column) -> Json:
    shown: Json = {"name": column.name, "type": column.type, "jsonPath": column.path}
    return {**shown, "priority": column.priority} if column.priority else shown
