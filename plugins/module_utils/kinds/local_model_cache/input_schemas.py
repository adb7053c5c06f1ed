# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of others' objects that a cache is made with, as far as they are read. Source: serving.kserve.io of KServe v0.20.0."""

from __future__ import annotations

from ...kube.input_schemas import InputSchemas, part, parts
from ...kube.schema import Anything, ListOf, MapOf, Object, QuantityValue, Schema, Text
from ..kserve.framework import FRAMEWORKS
from ..kserve.local_models import API_VERSION, CACHE, NAMESPACE_CACHE
from ..kserve.storage.containers import storage_container_schema
from .child_kinds import INFERENCE_SERVICE, JOB, LLM_INFERENCE_SERVICE, NODE_GROUP

_TEXT, _OPEN = Text(), Anything(type="object")
_TEXTS, _AMOUNTS = ListOf(items=_TEXT), MapOf(values=QuantityValue())
_EXPRESSIONS = parts("key", "operator", key=_TEXT, operator=_TEXT, values=_TEXTS)
_TERMS = parts(matchExpressions=_EXPRESSIONS, matchFields=_EXPRESSIONS)
_STORED: dict[str, Schema] = {"accessModes": _TEXTS, "storageClassName": _TEXT, "volumeMode": _TEXT}
_GROUP = part(
    "persistentVolumeSpec",
    "persistentVolumeClaimSpec",
    storageLimit=QuantityValue(),
    persistentVolumeSpec=part(
        nodeAffinity=part(required=part(nodeSelectorTerms=_TERMS)), capacity=_AMOUNTS, **_STORED
    ),
    persistentVolumeClaimSpec=part(resources=part(requests=_AMOUNTS), **_STORED),
)
#: Where a service says what its model is.
_SERVER = part(storageUri=_TEXT)
_PREDICTOR = part(
    containers=parts(name=_TEXT, env=parts(name=_TEXT, value=_TEXT)),
    **dict.fromkeys(("model", *FRAMEWORKS), _SERVER),
)
_CACHE = Object(
    fields={"sourceModelUri": _TEXT, "nodeGroups": ListOf(items=_TEXT, min_items=1)},
    required=("nodeGroups", "sourceModelUri"),
)


def shapes() -> InputSchemas:
    """Return the shapes by apiVersion and kind."""
    return {
        (API_VERSION, NODE_GROUP): {"spec": _GROUP},
        **{
            (API_VERSION, kind): {
                "spec": _CACHE,
                "status": Object(fields={"nodeStatus": MapOf(values=_TEXT)}),
            }
            for kind in (CACHE, NAMESPACE_CACHE)
        },
        **storage_container_schema(),
        INFERENCE_SERVICE: {"spec": part(predictor=_PREDICTOR)},
        LLM_INFERENCE_SERVICE: {"spec": part(model=part(uri=_TEXT))},
        JOB.pair: {"status": _OPEN},
    }
