# SPDX-License-Identifier: GPL-3.0-or-later
"""What people changed in the ConfigMaps of a set: kept in what is applied, and told."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...kube.applyset import MemberKey
from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.redact import LAST_APPLIED
from ...kube.reference import Reference
from ...kube.three_way_merge import Edit, base_of, base_text, merge, parse_base
from .. import PREFIX
from .snapshot import Live

#: Annotation of a ConfigMap: what the release that was applied last held.
BASE_ANNOTATION = f"{PREFIX}release-data"


@dataclass(frozen=True, slots=True)
class Kept:
    """An edit that stays, and the ConfigMap in which it is."""

    reference: Reference
    edit: Edit


def with_edits(
    manifests: Sequence[Json],
    live: Live,
    names: Collection[str],
    said: Mapping[str, Mapping[str, Any]],
) -> tuple[list[Json], list[Kept]]:
    """Return the manifests with the edits of people in the ConfigMaps of these names, and the edits.

    said: what the task asks for, by ConfigMap and key; it wins.
    """
    found: list[Json] = []
    kept: list[Kept] = []
    for manifest in manifests:
        name = manifest["metadata"]["name"]
        if manifest["kind"] != "ConfigMap" or name not in names:
            found.append(manifest)
            continue
        reference = Reference.of(manifest)
        wanted = manifest.get("data") or {}
        there = live.get(MemberKey.of(reference))
        data = wanted
        if there is not None:
            merged = merge(_base(there), there.get("data") or {}, wanted, said.get(name) or {})
            data = merged.data
            kept += [Kept(reference, edit) for edit in merged.edits]
        found.append(_noted(manifest, data, base_text(wanted)))
    return found, kept


def clashes(kept: Sequence[Kept]) -> list[Problem]:
    """Return a warning for each value that people and the release have both changed."""
    return [
        Problem(
            "",
            f"{each.reference}: {each.edit}, both changed since the last install; the cluster's value stays; set it in transform.config to decide",
            "warning",
            rule="edit-clash",
        )
        for each in kept
        if each.edit.clash
    ]


def _base(there: Json) -> Json | None:
    """Return what the release held when the object was applied last: by this tool, else by `kubectl apply`."""
    annotations = there["metadata"].get("annotations") or {}
    if BASE_ANNOTATION in annotations:
        return parse_base(annotations[BASE_ANNOTATION])
    try:
        applied = json.loads(annotations.get(LAST_APPLIED) or "")
        return base_of(applied["data"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _noted(manifest: Json, data: Json, base: str) -> Json:
    metadata = dict(manifest["metadata"])
    metadata["annotations"] = {**(metadata.get("annotations") or {}), BASE_ANNOTATION: base}
    return {**manifest, "metadata": metadata, "data": data}
