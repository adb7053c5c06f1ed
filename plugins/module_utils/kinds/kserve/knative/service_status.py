# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Service of Knative says of itself."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.fault import WorkloadFault
from ....kube.manifest import Json


def is_current(live: Json | None) -> bool:
    """Return whether Knative has seen a Service as it is now."""
    generation = ((live or {}).get("metadata") or {}).get("generation") or 0
    seen = ((live or {}).get("status") or {}).get("observedGeneration") or 0
    return bool(live is not None and seen >= generation)


def refused(live: Json) -> Iterator[WorkloadFault]:
    """Yield what Knative says no to."""
    for said in (live.get("status") or {}).get("conditions") or ():
        if (said.get("type"), said.get("status")) == ("Ready", "False") and is_current(live):
            name = live["metadata"]["name"]
            reason = said.get("reason") or "NotReady"
            yield WorkloadFault(reason, f"Knative Service {name}: {said.get('message') or reason}")
