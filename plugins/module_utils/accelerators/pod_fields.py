# SPDX-License-Identifier: GPL-3.0-or-later
"""Where pods with devices go, beside what others want of their nodes.

Node selector and tolerations are one value each to the server: whoever applies one applies the whole, with what others want of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..kube import managed_fields
from ..kube.manifest import FieldPath, Json
from .build import Placement
from .vendors import VENDORS

_TAINTS = frozenset(vendor.resource for vendor in VENDORS.values())
_LABELS = frozenset(vendor.product_label for vendor in VENDORS.values())
FIELDS = ("nodeSelector", "tolerations")


@dataclass(frozen=True, slots=True)
class PodFields:
    """The live spec of pods. path: where it is in its object. held: the fields of the object that we have applied."""

    path: FieldPath
    spec: Json
    held: Json

    def with_devices(self, placement: Placement) -> Json:
        """Return what is applied so that pods go where the devices are."""
        live = list(self.spec.get("tolerations") or ())
        more = [each for each in placement.tolerations if each not in live]
        selector = {**(self.spec.get("nodeSelector") or {}), **placement.node_selector}
        return {
            **self._whole("nodeSelector", selector),
            **self._whole("tolerations", [*live, *more]),
        }

    def without_devices(self, devices: Iterable[str]) -> Json:
        """Return what is still applied when the devices are taken back. devices: resources that the pods ask for."""
        tainted = {*devices, *_TAINTS}
        selector = self.spec.get("nodeSelector") or {}
        tolerations = self.spec.get("tolerations") or ()
        kept = {
            "nodeSelector": {k: v for k, v in selector.items() if k not in _LABELS},
            "tolerations": [each for each in tolerations if each.get("key") not in tainted],
        }
        return {name: value for name, value in kept.items() if value and self._holds(name)}

    def _whole(self, name: str, wanted: Any) -> Json:
        changes = wanted != (self.spec.get(name) or type(wanted)())
        return {name: wanted} if wanted and (changes or self._holds(name)) else {}

    def _holds(self, name: str) -> bool:
        return managed_fields.owns(self.held, (*self.path, name))


def placed(spec: Json) -> Json:
    """Return the fields concerned of the spec of pods."""
    return {name: spec[name] for name in FIELDS if spec.get(name)}
