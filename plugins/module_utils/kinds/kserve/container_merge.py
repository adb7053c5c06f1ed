# SPDX-License-Identifier: GPL-3.0-or-later
"""What a merge of two containers leaves behind: variables with a value of each. Source: KServe pkg/utils/container_merge.go@v0.20.0."""

from __future__ import annotations

from ...kube.manifest import Json
from ...kube.release import Since
from .releases import KServe

#: Whether the later value of a variable takes the place of the earlier one, where one of them is text and the other a reference.
_KEEPS_ONE: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})


def with_one_value_each(merged: Json, over: Json, release: KServe) -> Json:
    """Return a merged container whose variables have one value each, that of `over` where it gives one."""
    if not _KEEPS_ONE.at(release) or not over.get("env"):
        return merged
    given = {each.get("name"): each for each in over["env"]}
    return {**merged, "env": [_one(each, given) for each in merged.get("env") or ()]}


def _one(variable: Json, given: dict[object, Json]) -> Json:
    later = given.get(variable.get("name"))
    if later is None or not variable.get("value") or variable.get("valueFrom") is None:
        return variable
    if later.get("valueFrom") is None and not later.get("value"):
        return variable
    dropped = "valueFrom" if later.get("valueFrom") is None else "value"
    return {key: value for key, value in variable.items() if key != dropped}
