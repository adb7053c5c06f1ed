# SPDX-License-Identifier: GPL-3.0-or-later
"""`gathered`: the custom resources that are in the cluster, as their authors would write them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import KindMissing
from ..engine import FIELD_MANAGER, FLEET_LABEL, PREFIX
from ..kinds.kind import ServiceKind
from ..kinds.registry import KINDS
from ..kube import managed_fields
from ..kube.envelope import SERVER_OWNED
from ..kube.manifest import Json
from ..kube.redact import LAST_APPLIED
from ..kube.reference import Reference

#: What is not the body of a custom resource that an author writes.
NOT_THE_BODY = ("apiVersion", "kind", "metadata", "status")


def gather(
    cluster: Cluster,
    meant: Sequence[tuple[ServiceKind[Any, Any], Reference]],
    namespace: str | None,
    fleet: str | None,
) -> list[Json]:
    """Return custom resources: those that are named, else all of a namespace (or everywhere), of one fleet where it is given.

    What belongs to the whole cluster is in no namespace.
    """
    selector = f"{FLEET_LABEL}={fleet}" if fleet else ""
    kinds = {kind.kind: kind for kind, _reference in meant} or {
        kind.kind: kind for kind in KINDS.values()
    }
    namespaces = {reference.namespace for _kind, reference in meant} or {namespace or ""}
    wanted = {reference for _kind, reference in meant}
    found: list[Json] = []
    for kind in kinds.values():
        if not kind.namespaced and not meant and namespace:
            continue
        for place in sorted(namespaces if kind.namespaced else {""}):
            try:
                listing = cluster.list(
                    kind.api_version, kind.kind, namespace=place, selector=selector
                )
            except KindMissing:
                if meant:
                    raise
                continue
            found += [
                as_written(item, kind)
                for item in listing.items
                if not wanted or Reference.of(item) in wanted
            ]
    return sorted(found, key=Reference.of)


def as_written(live: Json, kind: ServiceKind[Any, Any]) -> Json:
    """Return a custom resource without what the server, a controller or this collection adds.

    Where we applied it, our record tells which fields the author gave, so that defaults are left out; else all of it is kept.
    """
    entry = managed_fields.apply_entry(live, FIELD_MANAGER)
    rest = {key: deepcopy(value) for key, value in live.items() if key not in NOT_THE_BODY}
    if entry and entry.get("fieldsV1"):
        schema = kind.crd()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        owned = managed_fields.authored(live, entry["fieldsV1"], schema)
        rest = {key: deepcopy(value) for key, value in owned.items() if key not in NOT_THE_BODY}
    return {
        "apiVersion": live["apiVersion"],
        "kind": live["kind"],
        "metadata": _metadata(live),
        **rest,
    }


def _metadata(live: Json) -> Json:
    metadata = {
        key: deepcopy(value) for key, value in live["metadata"].items() if key not in SERVER_OWNED
    }
    for name in ("labels", "annotations"):
        kept = {
            key: value
            for key, value in (metadata.pop(name, None) or {}).items()
            if not key.startswith(PREFIX)
        }
        kept.pop(LAST_APPLIED, None)
        if kept:
            metadata[name] = kept
    return metadata
