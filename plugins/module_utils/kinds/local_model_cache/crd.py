# SPDX-License-Identifier: GPL-3.0-or-later
"""The CustomResourceDefinitions, made from the schema; for clusters without KServe."""

from __future__ import annotations

from ...kube.definition import AGE, Column, definition
from ...kube.manifest import Json
from ..kserve.local_models import API_VERSION, CACHE
from .schema import root

_COLUMNS = (
    Column("Available", "integer", ".status.copies.available"),
    Column("Total", "integer", ".status.copies.total"),
    AGE,
)


def crd(kind: str) -> Json:
    """Return the CustomResourceDefinition of a kind of caches."""
    namespaced = kind != CACHE
    return definition(API_VERSION, kind, root(kind), columns=_COLUMNS, namespaced=namespaced)
