# SPDX-License-Identifier: GPL-3.0-or-later
"""Claims of volumes that are there, and that pods cannot mount all the same."""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import ERROR, WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView
from ..kube.manifest import value_at
from ..kube.named_objects import Named
from ..kube.problem import Problem
from ..kube.reader import Reader
from .names import find

_ONE_POD, _ONE_NODE = "ReadWriteOncePod", "ReadWriteOnce"

LOST = Check(
    "claim-lost",
    ERROR,
    finds="PersistentVolumeClaim {name} is Lost, because its volume no longer exists: the pods wait for it",
    fix="delete it, create it again, and bring the model back",
    stops=True,
)
ONE_POD = Check(
    "claim-shared",
    WARNING,
    finds="{replicas} pods mount PersistentVolumeClaim {name} with {mode}: {effect}",
    fix="use a claim with ReadOnlyMany or ReadWriteMany, or one pod",
)


@check(LOST, reads=("PersistentVolumeClaims",))
def lost(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield volume claims whose volume no longer exists."""
    for named, place in view.names:
        if named.kind == "PersistentVolumeClaim":
            found = find(named, reader) or {}
            if value_at(found, ("status", "phase")) == "Lost":
                yield LOST.at(place, name=named.name)


@check(ONE_POD, reads=("PersistentVolumeClaims",))
def one_pod(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield volume claims that more pods mount than the access mode allows, counting all workloads and the autoscalers' maximum."""
    pods: dict[str, int] = {}
    claims: dict[str, tuple[Named, Place]] = {}
    for workload in view.workloads:
        mounted = {
            named.name: (named, place)
            for named, place in view.names_of(workload)
            if named.kind == "PersistentVolumeClaim"
        }
        several = view.most_replicas(workload) * workload.pods_per_replica if mounted else 0
        for name in mounted:
            pods[name] = pods.get(name, 0) + several
        claims = mounted | claims
    for name, (named, place) in claims.items():
        modes = value_at(find(named, reader) or {}, ("spec", "accessModes")) or ()
        for mode, effect in (
            (_ONE_POD, "all but one of them wait"),
            (_ONE_NODE, "those on other nodes than the first wait"),
        ):
            if list(modes) == [mode] and pods[name] > 1:
                yield ONE_POD.at(place, replicas=pods[name], name=name, mode=mode, effect=effect)
