# SPDX-License-Identifier: GPL-3.0-or-later
"""An empty map is written with its defaults, so that server-side apply can take fields out of it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kube.schema import (
    Integer,
    ListOf,
    MapOf,
    Object,
    Text,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.spelt_out import spelt_out

ROLE = Object(
    fields={
        "replicas": Integer(default=1),
        "selector": MapOf(values=Text()),
        "items": ListOf(items=Text()),
        "note": Text(default=""),
    }
)
SPEC = Object(
    fields={"role": ROLE, "spare": ROLE, "plain": Object(fields={"a": Text()})}, required=("role",)
)


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({"role": {}}, {"role": {"replicas": 1}}),
        ({"role": {"replicas": 3}}, {"role": {"replicas": 3}}),
        ({"role": {"replicas": 0}}, {"role": {"replicas": 0}}),
        ({"role": {"selector": {}, "items": []}}, {"role": {"replicas": 1}}),
        ({"role": {"selector": {"a": ""}}}, {"role": {"selector": {"a": ""}}}),
        ({"role": {}, "spare": {}}, {"role": {"replicas": 1}, "spare": {"replicas": 1}}),
        ({"role": {"replicas": 2}, "plain": {}}, {"role": {"replicas": 2}}),
        ({"role": {"items": [{}]}}, {"role": {"items": [{}]}}),
    ],
)
def test_empty_maps_hold_their_defaults(given: Any, written: Any) -> None:
    assert spelt_out(SPEC, given) == written
