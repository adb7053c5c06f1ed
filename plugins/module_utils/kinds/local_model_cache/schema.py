# SPDX-License-Identifier: GPL-3.0-or-later
"""Every field of a cache of a model: type, default, limits, meaning.

Source: KServe pkg/apis/serving/v1alpha1/{local_model_cache_types,local_model_namespace_cache_types}.go@v0.20.0.
"""

from __future__ import annotations

from functools import cache

from ...kube.core_schema import string_map
from ...kube.schema import ListOf, Object, QuantityValue, Row, Text, custom_resource, rows
from ...kube.schema_release import at_release
from ..kserve.local_models import API_VERSION
from ..kserve.releases import KServe
from .status_schema import STATUS

SPEC = Object(
    description="What is wanted.",
    fields={
        "sourceModelUri": Text(
            description="The address of the model, or of a folder of models. It cannot change."
        ),
        "modelSize": QuantityValue(
            description="How much room the model takes on a node.", as_written=True
        ),
        "nodeGroups": ListOf(
            description="The LocalModelNodeGroups whose nodes get the model. A service that names no group in its annotation "
            "`serving.kserve.io/nodegroup` uses the first.",
            items=Text(),
            min_items=1,
        ),
        "serviceAccountName": Text(
            description="The account, in the namespace of the Jobs, whose Secrets the download gets.",
            since=KServe.V0_18,
        ),
        "storage": Object(
            description="Credentials for the download.",
            fields={
                "key": Text(description="The entry of the Secret that describes the storage."),
                "parameters": string_map("What is set beside that."),
            },
            since=KServe.V0_18,
        ),
    },
    required=("sourceModelUri", "modelSize", "nodeGroups"),
)


@cache
def spec_at(release: KServe) -> Object:
    """Return the schema of `spec` of a release."""
    return at_release(SPEC, release, max(KServe))


def root(kind: str) -> Object:
    """Return the schema of a whole custom resource."""
    return custom_resource("A model that is stored on the nodes.", API_VERSION, kind, SPEC, STATUS)


def documentation() -> tuple[Row, ...]:
    """Return every field below `spec` in order, for the documentation table."""
    return tuple(rows(SPEC, "spec"))
