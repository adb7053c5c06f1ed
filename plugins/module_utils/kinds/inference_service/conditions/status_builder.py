# SPDX-License-Identifier: GPL-3.0-or-later
"""A status while it is worked out, part after part, in the controller's order."""

from __future__ import annotations

from dataclasses import dataclass, field

from ....kube.fields import filled
from ....kube.manifest import Json
from ..names import Role
from .condition_set import ConditionSet
from .types import INGRESS

#: What the model's status says where nothing is known.
_NO_MODEL: Json = {"transitionStatus": ""}


@dataclass
class StatusBuilder:
    """The parts of a status.

    address: of the service inside the cluster. observed: the generation that a workload reports last.
    was_routed: whether something was said before of the way to the service.
    """

    conditions: ConditionSet
    components: dict[Role, Json] = field(default_factory=dict)
    model: Json = field(default_factory=lambda: dict(_NO_MODEL))
    canaries: list[Json] = field(default_factory=list)
    url: str = ""
    address: str = ""
    observed: int = 0
    was_routed: bool = False

    @classmethod
    def of(cls, status: Json) -> StatusBuilder:
        """Return a draft that begins with what was said before."""
        return cls(
            conditions=ConditionSet(status.get("conditions") or ()),
            components={
                role: dict(part) for role, part in (status.get("components") or {}).items()
            },
            model=dict(status.get("modelStatus") or _NO_MODEL),
            url=status.get("url") or "",
            address=(status.get("address") or {}).get("url") or "",
            observed=status.get("observedGeneration") or 0,
            was_routed=any(one["type"] == INGRESS for one in status.get("conditions") or ()),
        )

    def clear(self) -> None:
        """Forget everything that was said."""
        self.conditions = ConditionSet()
        self.components, self.model, self.canaries = {}, dict(_NO_MODEL), []
        self.url, self.address, self.observed = "", "", 0

    def to_json(self) -> Json:
        """Return the status as the API takes it."""
        told = {
            "address": filled({"url": self.address}),
            "canaryStatuses": self.canaries,
            "components": self.components,
            "conditions": self.conditions.to_json(),
            "observedGeneration": self.observed or None,
            "url": self.url,
        }
        return {**filled(told), "modelStatus": self.model}
