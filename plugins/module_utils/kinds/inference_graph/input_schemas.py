# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of others' objects that an InferenceGraph is made with, as far as they are read. Source: serving.kserve.io of KServe v0.17.0."""

from __future__ import annotations

from ...kube import gvk
from ...kube.input_schemas import InputSchemas
from ...kube.schema import Anything, ListOf, Object, Schema, Text
from ..kserve.framework import FRAMEWORKS

_TEXT, _ANY = Text(), Anything()
_ENV = ListOf(items=Object(fields={"name": _TEXT, "value": _TEXT, "valueFrom": _ANY}))
_SERVER: dict[str, Schema] = {"name": _TEXT, "args": ListOf(items=_TEXT), "env": _ENV}
_CONTAINERS = ListOf(items=Object(fields=_SERVER))
_FRAMEWORK: dict[str, Schema] = {
    **_SERVER,
    "storageUri": _TEXT,
    "storage": _ANY,
    "protocolVersion": _TEXT,
    "runtimeVersion": _TEXT,
}
_MODEL = Object(
    fields={**_FRAMEWORK, "modelFormat": Object(fields={"name": _TEXT}), "runtime": _TEXT}
)
_SPEC = Object(
    fields={
        "predictor": Object(
            fields={
                "name": _TEXT,
                "model": _MODEL,
                "containers": _CONTAINERS,
                "storageUris": ListOf(items=_ANY),
                **dict.fromkeys(FRAMEWORKS, Object(fields=_FRAMEWORK)),
            }
        ),
        "transformer": Object(fields={"containers": _CONTAINERS}),
    },
    required=("predictor",),
)
_STATUS = Object(
    fields={
        "address": Object(fields={"url": _TEXT}),
        "deploymentMode": _TEXT,
        "conditions": ListOf(items=Object(fields={"type": _TEXT, "status": _TEXT})),
    }
)
_RUNTIME = Object(fields={"protocolVersions": ListOf(items=_TEXT)})


def shapes() -> InputSchemas:
    """Return the shapes by apiVersion and kind."""
    runtimes = ("ServingRuntime", "ClusterServingRuntime")
    return {
        (gvk.KSERVE_V1BETA1, "InferenceService"): {"spec": _SPEC, "status": _STATUS},
        **{(gvk.KSERVE_V1ALPHA1, kind): {"spec": _RUNTIME} for kind in runtimes},
    }
