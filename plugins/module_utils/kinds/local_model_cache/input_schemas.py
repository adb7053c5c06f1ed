# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of others' objects that a cache is made with, as far as they are read. Source: serving.kserve.io of KServe v0.20.0."""

from __future__ import annotations

from ...kube.input_schemas import InputSchemas
from ...kube.schema import Anything, ListOf, MapOf, Object, Text
from ..kserve.local_models import API_VERSION, CACHE, NAMESPACE_CACHE
from ..kserve.storage.containers import storage_container_schema
from .child_kinds import INFERENCE_SERVICE, JOB, LLM_INFERENCE_SERVICE, NODE_GROUP

_TEXT, _OPEN = Text(), Anything(type="object")
_AFFINITY = Object(
    fields={
        "required": Object(
            fields={"nodeSelectorTerms": ListOf(items=Object(fields={}, atomic=True))}
        )
    }
)
_GROUP = Object(
    fields={
        "persistentVolumeSpec": Object(fields={"nodeAffinity": _AFFINITY}),
        "persistentVolumeClaimSpec": _OPEN,
    },
    required=("persistentVolumeSpec", "persistentVolumeClaimSpec"),
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
        INFERENCE_SERVICE: {"spec": Object(fields={"predictor": _OPEN})},
        LLM_INFERENCE_SERVICE: {"spec": Object(fields={"model": Object(fields={"uri": _TEXT})})},
        JOB.pair: {"status": _OPEN},
    }
