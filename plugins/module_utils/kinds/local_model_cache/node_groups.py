# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of nodes, and which nodes belong to one.

Source: KServe pkg/controller/v1alpha1/utils/utils.go, pkg/controller/v1alpha1/localmodel/reconcilers/utils.go@v0.20.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...accelerators.node_eligibility import unselected
from ...kube.manifest import Json, value_at
from ...kube.reader import Reader
from ...kube.reference import Reference
from ..kserve.local_models import API_VERSION
from .child_kinds import NODE_GROUP
from .resolved import NodeOfGroup

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def group_of(name: str, reader: Reader) -> Json | None:
    """Return the spec of a group, None where it is not there."""
    live = reader.get(Reference(API_VERSION, NODE_GROUP, "", name))
    return None if live is None else dict(live.get("spec") or {})


def nodes_of(groups: Mapping[str, Json], nodes: Sequence[Json]) -> tuple[NodeOfGroup, ...]:
    """Return the nodes that the volumes of groups fit. One that fits several belongs to the first; a group that asks for nothing has none."""
    found: dict[str, NodeOfGroup] = {}
    for group, spec in groups.items():
        required = value_at(spec, ("persistentVolumeSpec", "nodeAffinity", "required"))
        if not required:
            continue
        wanted = {"affinity": {"nodeAffinity": {_REQUIRED: required}}}
        for node in sorted(nodes, key=lambda each: str(each["metadata"]["name"])):
            name = str(node["metadata"]["name"])
            if not unselected(wanted, name, node["metadata"].get("labels") or {}):
                found.setdefault(name, NodeOfGroup(name, group, _is_ready(node)))
    return tuple(found[name] for name in sorted(found))


def _is_ready(node: Json) -> bool:
    said = value_at(node, ("status", "conditions")) or ()
    return any((each.get("type"), each.get("status")) == ("Ready", "True") for each in said)
