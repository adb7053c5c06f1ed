# SPDX-License-Identifier: GPL-3.0-or-later
"""The CustomResourceDefinition, made from the schema; for clusters without KServe."""

from __future__ import annotations

from ...kube.definition import AGE, Column, definition, plural_of
from ...kube.manifest import Json
from .schema import ROOT
from .spec import API_VERSION, KIND

PLURAL = plural_of(KIND)

_COLUMNS = (
    Column("URL", "string", ".status.url"),
    Column("Ready", "string", ".status.conditions[?(@.type=='Ready')].status"),
    AGE,
)


def crd() -> Json:
    """Return the CustomResourceDefinition of InferenceGraph."""
    return definition(API_VERSION, KIND, ROOT, columns=_COLUMNS, short_names=["ig"])
