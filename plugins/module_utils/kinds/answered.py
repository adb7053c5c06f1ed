# SPDX-License-Identifier: GPL-3.0-or-later
"""What came back from a service that was asked, as results show it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ..kube.manifest import Json


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back from a service. status: of HTTP, 0 where nothing came. latency_ms: of the last request. fault: what failed."""

    status: int = 0
    model: str = ""
    served_by: str = ""
    latency_ms: int = 0
    through: str = ""
    fault: str = ""

    def to_dict(self) -> Json:
        """Return it as results show it."""
        return asdict(self)
