# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches of models on the nodes: which one holds a model, and where in its claim the model is.

Source: KServe pkg/apis/serving/v1alpha1/{local_model_cache_types,local_model_namespace_cache_types,storage_uri_utils}.go@v0.19.0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...kube import gvk
from ...kube.manifest import Json
from ...kube.reader import Reader
from ...kube.release import Since
from .releases import KServe

API_VERSION = gvk.KSERVE_V1ALPHA1
CACHE, NAMESPACE_CACHE = "LocalModelCache", "LocalModelNamespaceCache"

LABEL = "internal.serving.kserve.io/localmodel"
NAMESPACE_LABEL = f"{LABEL}-namespace"
URI_ANNOTATION = f"{LABEL}-sourceuri"
CLAIM_ANNOTATION = f"{LABEL}-pvc-name"
OFF_ANNOTATION = "serving.kserve.io/disable-localmodel"
GROUP_ANNOTATION = "serving.kserve.io/nodegroup"
#: What a service carries of its cache.
MARKS = frozenset({LABEL, NAMESPACE_LABEL, URI_ANNOTATION, CLAIM_ANNOTATION})

_KEY_LENGTH = 16
#: Which caches are looked at, in this order; those of a service's namespace come first.
CACHES: Since[tuple[str, ...]] = Since(
    {KServe.V0_17: (CACHE,), KServe.V0_18: (NAMESPACE_CACHE, CACHE)}
)


@dataclass(frozen=True, slots=True)
class LocalModel:
    """The cache that holds a model. namespace: empty for one of the cluster. source: what it holds. claim: where."""

    name: str
    namespace: str
    source: str
    claim: str

    @property
    def labels(self) -> dict[str, str]:
        """The labels by which a service and its pods say so."""
        own = {NAMESPACE_LABEL: self.namespace} if self.namespace else {}
        return {LABEL: self.name, **own}

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations by which they do."""
        return {URI_ANNOTATION: self.source, CLAIM_ANNOTATION: self.claim}


def local_model(
    uri: str, group: str | None, namespace: str, release: KServe, reader: Reader
) -> LocalModel | None:
    """Return the first cache that holds a model on the nodes of a group, None where none does.

    group: of nodes, None for any. namespace: of the service.
    """
    for kind in CACHES.at(release):
        own = namespace if kind == NAMESPACE_CACHE else ""
        found = reader.list(API_VERSION, kind, own, {})
        cache = _holding(found, uri, group)
        if cache is not None:
            name, spec = cache["metadata"]["name"], cache["spec"]
            claim = f"{name}-{group or spec['nodeGroups'][0]}"
            return LocalModel(name, own, spec["sourceModelUri"], claim)
    return None


def _holding(caches: Sequence[Json], uri: str, group: str | None) -> Json | None:
    by_name = sorted(caches, key=lambda cache: str(cache["metadata"]["name"]))
    return next((cache for cache in by_name if _holds(cache, uri, group)), None)


def _holds(cache: Json, uri: str, group: str | None) -> bool:
    """Return whether a cache has a model, or the folder in which it is, on the nodes of a group."""
    spec = cache.get("spec") or {}
    groups = spec.get("nodeGroups") or []
    if not groups or (group is not None and group not in groups):
        return False
    return is_within(uri, str(spec.get("sourceModelUri") or ""))


def is_within(uri: str, source: str) -> bool:
    """Tell whether an address is that of a cache, or below it; a slash at the end of either does not count."""
    folder = source.removesuffix("/")
    return bool(folder) and (
        uri.removesuffix("/") == folder or uri.removesuffix("/").startswith(f"{folder}/")
    )


def without_marks(texts: Mapping[str, str]) -> dict[str, str]:
    """Return labels or annotations without what they say of a cache."""
    return {key: value for key, value in texts.items() if key not in MARKS}


def in_claim(uri: str, source: str, claim: str, folder: str) -> str:
    """Return the address of a model in the claim of a cache. source: what the cache holds. folder: where."""
    # KServe takes away the whole address of the cache, which is not the beginning where only that one ends with a slash.
    rest = uri.removeprefix(source.removesuffix("/"))
    return f"pvc://{claim}/models/{folder}{rest if rest.startswith('/') else f'/{rest}'}"


def storage_key(source: str) -> str:
    """Return the name of the folder that holds what a cache holds, the same for all caches of one address."""
    return hashlib.sha256(source.encode()).hexdigest()[:_KEY_LENGTH]
