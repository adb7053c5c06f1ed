# SPDX-License-Identifier: GPL-3.0-or-later
"""TPUs, which pods get with the whole of a node: its slice has to be selected, and fits one number of them.

Source: Google Kubernetes Engine documentation, Deploy TPU workloads.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.problem import Problem
from .devices import TPUS, asked_devices

#: Labels by which nodes with TPUs are chosen.
_TOPOLOGY_LABEL = "cloud.google.com/gke-tpu-topology"
_TPU_LABELS = ("cloud.google.com/gke-tpu-accelerator", _TOPOLOGY_LABEL)

TPU = Check(
    "tpu-selector",
    WARNING,
    finds="pods with {resource} must select the type and topology of their slice, but nodeSelector lacks {missing}: Google's clusters refuse them",
    fix="name both in nodeSelector, for example tpu-v6e-slice and 2x2",
)
SLICE = Check(
    "tpu-selector",
    WARNING,
    finds="{count} {resource} are asked for in a slice of {form}, which has {chips}: pods take the TPUs of a node as a whole, so no node takes them",
    fix="request all TPUs of the node, or a slice of another topology",
)


@check(TPU)
def tpu_selector(view: ServiceView) -> Iterator[Problem]:
    """Yield pods with TPUs that do not select their nodes."""
    for workload, path, names, dummy in asked_devices(view):
        selector = workload.pod.get("nodeSelector") or {}
        missing = [label for label in _TPU_LABELS if label not in selector]
        # Who chooses nodes by affinity, or has TPUs elsewhere, knows better.
        if TPUS in names and missing and not workload.pod.get("affinity"):
            where = workload.fields(f"{path}.resources")
            yield TPU.at(where, resource=TPUS, missing=" and ".join(missing))


@check(SLICE)
def tpu_slice(view: ServiceView) -> Iterator[Problem]:
    """Yield pods that request another number of TPUs than the nodes of their slice have."""
    for workload, path, names, counts in asked_devices(view):
        form = str((workload.pod.get("nodeSelector") or {}).get(_TOPOLOGY_LABEL) or "")
        sides = form.split("x")
        if TPUS not in names or not counts[TPUS] or not all(map(str.isdecimal, sides)):
            continue
        chips = prod(map(int, sides))
        if chips and chips % counts[TPUS]:
            where = workload.fields(f"{path}.resources")
            yield SLICE.at(where, count=counts[TPUS], resource=TPUS, form=form, chips=chips)
