# SPDX-License-Identifier: GPL-3.0-or-later
"""A set and its members as they are applied: manifests with the set's label, under the set's own field manager."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...kube import gvk
from ...kube.apply_order import set_stage
from ...kube.applyset import (
    GROUP_KINDS_ANNOTATION,
    ID_LABEL,
    NAMESPACES_ANNOTATION,
    PART_OF_LABEL,
    TOOL,
    TOOLING,
    TOOLING_ANNOTATION,
    GroupKind,
    MemberKey,
    group_kinds_text,
    namespaces_text,
    set_id,
    tooling_of,
)
from ...kube.manifest import FieldPath, Json, value_at
from ...kube.reference import Reference
from .. import FIELD_MANAGER, PREFIX
from ..desired import Desired, sealed

#: A field manager's name has at most 128 characters.
LONGEST_NAME = 128 - len(f"{FIELD_MANAGER}.applyset.")
#: Annotation of the parent: the release of what is in the set.
VERSION_ANNOTATION = f"{PREFIX}version"
#: Annotation of the parent: which component the set is.
COMPONENT_ANNOTATION = f"{PREFIX}component"
REPLICAS: FieldPath = ("spec", "replicas")


@dataclass(frozen=True, slots=True)
class ApplySet:
    """A set by its parent, the ConfigMap that stands for it."""

    parent: Reference

    @classmethod
    def of(cls, name: str, namespace: str) -> ApplySet:
        """Return the set of a name."""
        return cls(Reference("v1", "ConfigMap", namespace, name))

    @property
    def id(self) -> str:
        """The id that the parent and every member carry."""
        return set_id(self.parent)

    @property
    def fleet(self) -> str:
        """For whom the Lease of the set is taken, beside its parent."""
        return f"applyset.{self.parent.name}"

    @property
    def manager(self) -> str:
        """The field manager of the members."""
        return f"{FIELD_MANAGER}.applyset.{self.parent.name}"


def member(
    applyset: ApplySet,
    manifest: Json,
    *,
    scaled: frozenset[MemberKey] = frozenset(),
    shared: bool = False,
) -> Desired:
    """Return an object as it is applied. scaled: workloads whose replicas an autoscaler sets, so that we only begin with a number."""
    metadata = manifest["metadata"]
    labels = dict(metadata.get("labels") or {})
    if not shared:
        labels[PART_OF_LABEL] = applyset.id
    annotations = dict(metadata.get("annotations") or {})
    marked = {**manifest, "metadata": {**metadata, "labels": labels, "annotations": annotations}}
    reference = Reference.of(manifest)
    begun = MemberKey.of(reference) in scaled and value_at(marked, REPLICAS) is not None
    return sealed(
        marked,
        applyset.parent,
        set_stage(reference),
        [REPLICAS] if begun else [],
        manager=applyset.manager,
        shared=shared,
    )


def parent(
    applyset: ApplySet,
    kinds: Iterable[GroupKind],
    namespaces: Iterable[str],
    live: Json | None,
    version: str,
    component: str,
) -> Desired:
    """Return the parent as it is applied. live: another version of this tool that kept the set is not written over.

    version: the release of what is in the set, which is noted so that the next one can be compared with it. component: what the set is,
    so that nobody has to name it again.
    """
    tooling = tooling_of(live) if live else ""
    if tooling.partition("/")[0] != TOOL:
        tooling = TOOLING
    manifest: Json = applyset.parent.to_manifest()
    manifest["metadata"] |= {
        "labels": {ID_LABEL: applyset.id},
        "annotations": {
            TOOLING_ANNOTATION: tooling,
            GROUP_KINDS_ANNOTATION: group_kinds_text(kinds),
            NAMESPACES_ANNOTATION: namespaces_text(namespaces, applyset.parent),
            **({VERSION_ANNOTATION: version} if version else {}),
            **({COMPONENT_ANNOTATION: component} if component else {}),
        },
    }
    stage = set_stage(applyset.parent)
    return sealed(manifest, applyset.parent, stage, manager=applyset.manager)


def scaled_workloads(manifests: Iterable[Json]) -> frozenset[MemberKey]:
    """Return the workloads that an autoscaler among these manifests sets the replicas of."""
    found = set()
    for manifest in manifests:
        if manifest["kind"] not in ("HorizontalPodAutoscaler", "ScaledObject"):
            continue
        target = value_at(manifest, ("spec", "scaleTargetRef"))
        if isinstance(target, dict):
            namespace = manifest["metadata"].get("namespace") or ""
            found.add(_target(target, namespace, manifest["kind"]))
    return frozenset(found)


def _target(target: Mapping[str, Any], namespace: str, scaler: str) -> MemberKey:
    # KEDA takes a Deployment of apps/v1 where nothing is said.
    default = gvk.APPS if scaler == "ScaledObject" else ""
    group = str(target.get("apiVersion") or default).rpartition("/")[0]
    kind = str(target.get("kind") or "Deployment")
    return MemberKey(group, kind, namespace, str(target.get("name") or ""))
