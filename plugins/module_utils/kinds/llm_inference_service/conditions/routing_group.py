# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the group works that a service shares requests with. Source: KServe pkg/controller/v1alpha2/llmisvc/router_group_status.go@v0.20.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.condition import Condition
from ..resolved import Resolved
from .condition_types import GROUP, GROUP_DEGRADED, true


def group_conditions(resolved: Resolved) -> Iterator[Condition]:
    """Yield what is said of the group of a service; neither counts for whether the service is ready."""
    group = resolved.group
    if group is None:
        return
    yield true(GROUP)
    if group.divergent:
        models = sorted({"+".join(each.told) for each in group.divergent})
        message = f"group has members with different model sets: {', '.join(models)}"
        yield Condition(GROUP_DEGRADED, "True", "MemberDivergence", message)
