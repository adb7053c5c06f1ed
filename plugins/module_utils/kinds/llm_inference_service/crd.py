# SPDX-License-Identifier: GPL-3.0-or-later
"""The CustomResourceDefinitions of both kinds, made from the schema.

They are for clusters without KServe. Without its webhook the API server cannot convert between the versions, so only the
stored one is served there; v1alpha1 input is converted before it is sent.
"""

from __future__ import annotations

from ...kube.definition import AGE, Column, definition, plural_of
from ...kube.manifest import Json
from ..kserve.releases import KServe
from .releases import NEWEST
from .schema import STORED_VERSION, root_schema
from .spec import API_VERSION, CONFIG_KIND, KIND

PLURAL = plural_of(KIND)

#: The URLs show with `-o wide`.
_COLUMNS = (
    Column("URL", "string", ".status.url"),
    Column("Ready", "string", ".status.conditions[?(@.type=='Ready')].status"),
    Column("Reason", "string", ".status.conditions[?(@.type=='Ready')].reason"),
    AGE,
    Column("URLs", "string", ".status.addresses[*].url", 1),
)


def crd(release: KServe = NEWEST) -> Json:
    """Return the CustomResourceDefinition of LLMInferenceService. The default, the newest, holds the fields of every release."""
    schema = root_schema(STORED_VERSION, KIND, release)
    return definition(API_VERSION, KIND, schema, columns=_COLUMNS, short_names=["llmisvc"])


def config_crd(release: KServe = NEWEST) -> Json:
    """Return the CustomResourceDefinition of LLMInferenceServiceConfig, as `crd` returns that of the services."""
    schema = root_schema(STORED_VERSION, CONFIG_KIND, release)
    return definition(API_VERSION, CONFIG_KIND, schema, status=False)
