# SPDX-License-Identifier: GPL-3.0-or-later
"""The manifests of every release of KServe, with images of that release.

The module proxy serves neither 0.18 nor 0.21. They are made from their neighbours by what these releases brought, so that they are
unjudged. Source: KServe config/overlays/all at the tags, and at aaac4e294dae for 0.21.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from module_utils.kube.crds import is_crd
from module_utils.kube.manifest import Json, value_at
from tests.lab.bundles import release

_OBJECT: Json = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
#: How many fields deep the schema of a spec is kept: `scaling.wva`. What a status holds is kept whole.
_DEPTH = 2
#: Fields of the status that came with 0.19, and fields of the spec that came with 0.21.
_STATUS_OF_0_19 = ("appliedConfigs", "router", "workloads")
_SPEC_OF_0_21 = ("rolloutStrategy",)
_WEBHOOK_OF_0_19 = ("MutatingWebhookConfiguration", "llminferenceservice.serving.kserve.io")


def kserve_bundle(version: str) -> list[Json]:
    """Return the objects that a release of KServe consists of."""
    neighbour, change = _MADE.get(version, (version, _as_it_is))
    objects = change(release("kserve", neighbour))
    for each in filter(is_crd, objects):
        for served in each["spec"]["versions"]:
            fields = served["schema"]["openAPIV3Schema"].get("properties") or {}
            if "spec" in fields:
                fields["spec"] = _opened(fields["spec"], _DEPTH)
    for each in objects:
        for container in value_at(each, ("spec", "template", "spec", "containers")) or ():
            if container["image"].startswith("kserve/"):
                container["image"] = f"{container['image'].rpartition(':')[0]}:{version}"
    return objects


def _opened(schema: Json, depth: int) -> Json:
    """Return a schema that leaves open what is deeper: an API server takes half a minute for each definition of two megabytes."""
    if schema.get("type") == "array":
        items = schema["items"]
        return {"type": "array", "items": _opened(items, depth)}
    fields = schema.get("properties")
    if not fields:
        return schema
    if not depth:
        return _OBJECT
    opened = {name: _opened(each, depth - 1) for name, each in fields.items()}
    return {"type": "object", "properties": opened}


def _as_it_is(objects: list[Json]) -> list[Json]:
    return objects


def _before_0_19(objects: list[Json]) -> list[Json]:
    """Take away what came with 0.19."""
    kept = [
        each for each in objects if (each["kind"], each["metadata"]["name"]) != _WEBHOOK_OF_0_19
    ]
    for schema in _schemas(kept, "llminferenceservices"):
        for name in _STATUS_OF_0_19:
            schema["status"]["properties"].pop(name, None)
    return kept


def _with_0_21(objects: list[Json]) -> list[Json]:
    """Add what came with 0.21."""
    for plural in ("servingruntimes", "clusterservingruntimes"):
        for schema in _schemas(objects, plural):
            schema["spec"]["properties"]["resourceClaims"] = {"type": "array", "items": _OBJECT}
    for schema in _schemas(objects, "llminferenceservices"):
        schema["spec"]["properties"] |= dict.fromkeys(_SPEC_OF_0_21, _OBJECT)
    for each in objects:
        if each["kind"] == "ClusterStorageContainer":
            each["spec"]["supportedUriFormats"].append({"prefix": "modelscope://"})
    return objects


def _schemas(objects: list[Json], plural: str) -> list[dict[str, Any]]:
    """Return the schema of each version of a kind, below its properties."""
    name = f"{plural}.serving.kserve.io"
    (found,) = [each for each in objects if each["metadata"]["name"] == name]
    return [
        version["schema"]["openAPIV3Schema"]["properties"] for version in found["spec"]["versions"]
    ]


#: From which neighbour a release is made, and how.
_MADE: dict[str, tuple[str, Callable[[list[Json]], list[Json]]]] = {
    "v0.18.0": ("v0.19.0", _before_0_19),
    "v0.21.0": ("v0.20.0", _with_0_21),
}
