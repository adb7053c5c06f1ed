# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes on which several devices of a pod may be parts of one and the same device, as their labels say."""

from __future__ import annotations

from collections.abc import Iterator

from ..kube.problem import Problem
from ..kube.text import few
from .fit import Answer
from .inventory import Inventory
from .vendors import part_label

#: How many nodes a message names.
_NAMED = 3


def shared_device_problems(answer: Answer, inventory: Inventory) -> Iterator[Problem]:
    """Yield an error where a pod of several devices finds room on such nodes alone, a warning where it may."""
    device, slots = answer.demand.device, answer.room.slots
    count = answer.demand.requests.get(device, 0)
    nodes = [inventory.nodes[name] for name, most in slots.items() if most]
    labels = {node.name: part_label(device, node.labels) for node in nodes}
    parts = [f"{name} ({label})" for name, label in labels.items() if label]
    if count < 2 or not parts or not answer.wanted:
        return
    text = f"{count} of {device} may be parts of one and the same device on {few(parts, _NAMED, 'node')}"
    if len(parts) == len(nodes):
        text += ", and only such nodes have room; request 1"
        yield Problem("", text, rule="shared-devices")
    else:
        text += "; keep the pods away from there by a node selector"
        yield Problem("", text, "warning", rule="shared-devices")
