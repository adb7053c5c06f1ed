# SPDX-License-Identifier: GPL-3.0-or-later
"""The CustomResourceDefinition, made from the schema; for clusters without KServe."""

from __future__ import annotations

from ...kube.definition import AGE, Column, definition, plural_of
from ...kube.manifest import Json
from ..kserve.releases import KServe
from .releases import NEWEST
from .schema import root_schema
from .spec import API_VERSION, KIND

PLURAL = plural_of(KIND)

_TRAFFIC = ".status.components.predictor.traffic[?(@.{})].{}"
_COLUMNS = (
    Column("URL", "string", ".status.url"),
    Column("Ready", "string", ".status.conditions[?(@.type=='Ready')].status"),
    Column("Prev", "integer", _TRAFFIC.format("tag=='prev'", "percent")),
    Column("Latest", "integer", _TRAFFIC.format("latestRevision==true", "percent")),
    Column("PrevRolledoutRevision", "string", _TRAFFIC.format("tag=='prev'", "revisionName")),
    Column(
        "LatestReadyRevision", "string", _TRAFFIC.format("latestRevision==true", "revisionName")
    ),
    AGE,
)


def crd(release: KServe = NEWEST) -> Json:
    """Return the CustomResourceDefinition of InferenceService under a release."""
    return definition(
        API_VERSION, KIND, root_schema(release), columns=_COLUMNS, short_names=["isvc"]
    )
