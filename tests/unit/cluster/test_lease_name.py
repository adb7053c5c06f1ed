# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet's Lease has a legal name, its own, whatever label value the fleet is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.cluster.lease import lease_name

LABEL_VALUES = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?", fullmatch=True)
SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")


@pytest.mark.parametrize(
    ("fleet", "name"),
    [("default", "modelops-inference-default"), ("team-a", "modelops-inference-team-a")],
)
def test_plain_fleets_have_plain_names(fleet: str, name: str) -> None:
    assert lease_name(fleet) == name


@given(fleet=LABEL_VALUES)
def test_names_are_legal(fleet: str) -> None:
    name = lease_name(fleet)
    assert SUBDOMAIN.fullmatch(name)
    assert len(name) <= 63


@given(fleets=st.sets(LABEL_VALUES, min_size=2, max_size=2))
def test_two_fleets_never_share_a_lease(fleets: set[str]) -> None:
    assert len({lease_name(fleet) for fleet in fleets}) == 2


@pytest.mark.parametrize("fleet", ["Team", "a_b", "a.-b", "a..b", "x" * 63])
def test_what_a_name_cannot_hold_becomes_a_hash(fleet: str) -> None:
    assert re.search(r"-[0-9a-f]{10}$", lease_name(fleet))
