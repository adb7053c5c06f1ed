# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that only a cache of a model can have: groups of nodes that it never fills.

KServe takes such caches, and their Jobs or the pods of services wait forever. Source: KServe
pkg/controller/v1alpha1/utils/utils.go@v0.20.0; volumes and claims: Kubernetes pkg/controller/volume/persistentvolume.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.manifest import Json, value_at
from ...kube.problem import Problem
from ...kube.quantity import parse_quantity
from ...kube.reader import Reader
from ...kube.redact import redact_text
from ...kube.reference import Reference
from ..check import WARNING, Check, check
from ..kserve.storage.address import address_fault
from ..kserve.system_config import CONFIG_MAP
from ..view import ServiceView
from .container import OWN_NAME
from .resolved import Resolved

_STORAGE, _SOURCE = "storage", "spec.sourceModelUri"
#: What KServe's own container fetches.
_SCHEMES = ("hf", "s3", "gs", "https", "http", "hdfs", "webhdfs")

NO_NODES = Check(
    "cache-nodes",
    WARNING,
    finds="LocalModelNodeGroup {group} {why}, so no node gets the model by it",
    fix="correct persistentVolumeSpec.nodeAffinity.required in the group, or label the nodes",
)
TOO_LARGE = Check(
    "cache-size",
    WARNING,
    finds="the model takes {size}, and LocalModelNodeGroup {group} has {limit} for all models of a node",
    fix="raise storageLimit in the group, or name another group",
)
NO_SIZE = Check(
    "cache-size",
    WARNING,
    finds='"{size}" is no room for a model, so that every group seems to have enough of it',
    fix="write what the model takes on a node, for example 20Gi",
)
UNBOUND = Check(
    "cache-claim",
    WARNING,
    finds="the claims of LocalModelNodeGroup {group} ask for {wanted}, which its volumes do not have: they are never bound",
    fix="let persistentVolumeClaimSpec ask for no more than persistentVolumeSpec has",
)

UNFETCHED = Check(
    "cache-address",
    WARNING,
    finds='"{uri}" {fault}',
    fix="{way}",
)
OFF = Check(
    "cache-off",
    WARNING,
    finds="localModel.enabled is not true in {config}, so that no service reads from the cache",
    fix="set it to true",
)


@check(UNFETCHED)
def unfetched(view: ServiceView) -> Iterator[Problem]:
    """Yield an address that KServe's own container cannot fetch, where no other one takes it."""
    resolved = _resolved(view)
    if not any(each.container["name"] == OWN_NAME for each in resolved.downloads):
        return
    uri = resolved.cache.source
    scheme, separator, dummy = uri.partition("://")
    fault = address_fault(uri)
    if fault is not None:
        yield UNFETCHED.at(_SOURCE, uri=redact_text(uri), fault=fault.finds, way=fault.fix)
    elif not separator or scheme not in _SCHEMES:
        known = ", ".join(f"{each}://" for each in _SCHEMES)
        way = f"begin it with {known}, or create a ClusterStorageContainer of workloadType localModelDownloadJob that takes it"
        finds = "cannot be fetched onto nodes, so that the Jobs fail"
        yield UNFETCHED.at(_SOURCE, uri=redact_text(uri), fault=finds, way=way)


@check(OFF, reads=("ConfigMaps",))
def off(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield a cache in which no service looks for its model. Among given objects the configuration may be missing, which says nothing."""
    resolved = _resolved(view)
    place = Reference("v1", "ConfigMap", resolved.settings.kserve_namespace, CONFIG_MAP)
    known = reader.complete or reader.get(place) is not None
    if known and not resolved.config.local_model.enabled:
        yield OFF.at(_SOURCE, config=place.full_name)


@check(NO_NODES)
def no_nodes(view: ServiceView) -> Iterator[Problem]:
    """Yield groups to which no node belongs."""
    resolved = _resolved(view)
    filled = {node.group for node in resolved.nodes}
    for place, group, spec in _groups(resolved):
        affinity = value_at(spec, ("persistentVolumeSpec", "nodeAffinity", "required"))
        if not affinity:
            yield NO_NODES.at(place, group=group, why="has no required node affinity")
        elif resolved.nodes_known and group not in filled:
            why = "matches no node that an earlier group does not match"
            yield NO_NODES.at(place, group=group, why=why if filled else "matches no node")


@check(TOO_LARGE)
def too_large(view: ServiceView) -> Iterator[Problem]:
    """Yield groups whose nodes have less room for models than the model takes."""
    resolved = _resolved(view)
    size = resolved.cache.spec["modelSize"]
    for place, group, spec in _groups(resolved):
        limit = spec.get("storageLimit")
        if limit is not None and parse_quantity(size) > parse_quantity(limit):
            yield TOO_LARGE.at(place, size=size, group=group, limit=limit)


@check(NO_SIZE)
def no_size(view: ServiceView) -> Iterator[Problem]:
    """Yield a size that no model has."""
    size = _resolved(view).cache.spec["modelSize"]
    if parse_quantity(size) <= 0:
        yield NO_SIZE.at("spec.modelSize", size=size)


@check(UNBOUND)
def unbound(view: ServiceView) -> Iterator[Problem]:
    """Yield groups whose claims never get their volumes."""
    for place, group, spec in _groups(_resolved(view)):
        volume, claim = spec["persistentVolumeSpec"], spec["persistentVolumeClaimSpec"]
        for wanted in _lacking(volume, claim):
            yield UNBOUND.at(place, group=group, wanted=wanted)


def _lacking(volume: Json, claim: Json) -> Iterator[str]:
    """Yield what a claim asks for and its volume has not."""
    ours, theirs = claim.get("storageClassName"), volume.get("storageClassName") or ""
    if ours is not None and ours != theirs:
        yield f"storage class {ours or 'none'}"
    modes = set(claim.get("accessModes") or ()) - set(volume.get("accessModes") or ())
    if modes:
        yield f"access mode {', '.join(sorted(modes))}"
    wanted = value_at(claim, ("resources", "requests", _STORAGE))
    there = value_at(volume, ("capacity", _STORAGE))
    if wanted and there and parse_quantity(wanted) > parse_quantity(there):
        yield f"{wanted} of storage"
    mode = claim.get("volumeMode") or "Filesystem"
    if mode != (volume.get("volumeMode") or "Filesystem"):
        yield f"volume mode {mode}"


def _groups(resolved: Resolved) -> Iterator[tuple[str, str, Json]]:
    """Yield each group with its field and its spec."""
    names = resolved.cache.spec["nodeGroups"]
    for group, spec in resolved.groups.items():
        yield f"spec.nodeGroups[{names.index(group)}]", group, spec


def _resolved(view: ServiceView) -> Resolved:
    found: Resolved = view.basis
    return found


CHECKS = (unfetched, off, no_nodes, too_large, no_size, unbound)
