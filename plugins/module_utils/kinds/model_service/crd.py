# SPDX-License-Identifier: GPL-3.0-or-later
"""The CustomResourceDefinition of ModelService, made from the schema."""

from __future__ import annotations

from ...kube.definition import AGE, Column, definition, plural_of
from ...kube.manifest import Json
from .releases import NEWEST, ModelOperator
from .schema import root_schema
from .spec import API_VERSION, KIND

PLURAL = plural_of(KIND)

#: The roles show with `-o wide`.
_COLUMNS = (
    Column("Phase", "string", ".status.phase"),
    Column("Ready", "string", '.status.conditions[?(@.type=="Ready")].status'),
    Column("Model", "string", ".spec.model.name"),
    Column("Decode", "string", ".status.decodeReady", 1),
    Column("Prefill", "string", ".status.prefillReady", 1),
    AGE,
)


def crd(release: ModelOperator = NEWEST) -> Json:
    """Return the CustomResourceDefinition of a release. The default, the newest, holds the fields of every release."""
    return definition(
        API_VERSION, KIND, root_schema(release), columns=_COLUMNS, categories=["otterscale"]
    )
