# SPDX-License-Identifier: GPL-3.0-or-later
"""An empty map is written with something in it, so that server-side apply can take fields out of it."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.schema import Integer, ListOf, MapOf, Object, Text
from module_utils.kube.ssa_normalise import normalised

PORT = Object(
    fields={
        "number": Integer(default=1),
        "selector": MapOf(values=Text()),
        "items": ListOf(items=Text(), keys=("name",)),
        "note": Text(default=""),
    }
)
ROLE = Object(fields={"replicas": Integer(default=1), "taints": ListOf(items=Text())})
SPEC = Object(
    fields={"role": ROLE, "port": PORT, "plain": Object(fields={"a": Text()})}, required=("role",)
)
GIVEN = {"replicas": 3}


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({"role": {}}, {"role": {"taints": []}}),
        ({"role": {"taints": []}}, {"role": {"taints": []}}),
        ({"role": {"replicas": 3}}, {"role": GIVEN}),
        ({"role": {"replicas": 0}}, {"role": {"replicas": 0}}),
        ({"role": {"replicas": 3, "taints": []}}, {"role": GIVEN}),
        ({"role": GIVEN, "port": {}}, {"role": GIVEN, "port": {"number": 1}}),
        ({"role": GIVEN, "port": {"selector": {}, "items": []}}, {"role": GIVEN, "port": {"number": 1}}),
        ({"role": GIVEN, "port": {"selector": {"a": ""}}}, {"role": GIVEN, "port": {"selector": {"a": ""}}}),
        ({"role": GIVEN, "plain": {}}, {"role": GIVEN}),
        ({"role": {"taints": [{}]}}, {"role": {"taints": [{}]}}),
    ],
)  # fmt: skip
def test_no_map_of_known_fields_is_empty(given: Any, written: Any) -> None:
    assert normalised(SPEC, given) == written
