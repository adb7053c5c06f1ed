# SPDX-License-Identifier: GPL-3.0-or-later
"""A message names the first of many things and says how many more there are."""

from __future__ import annotations

import pytest

from module_utils.kube.text import counted, few


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "", ""),
        (2, "", "0, 1"),
        (3, "field", "0, 1 and 1 more field"),
        (4, "field", "0, 1 and 2 more fields"),
        (5, "", "0, 1 and 3 more"),
    ],
)
def test_first_of_many(count: int, noun: str, text: str) -> None:
    assert few([str(number) for number in range(count)], 2, noun) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 objects"), (1, "1 object"), (2, "2 objects"), (11, "11 objects")]
)
def test_a_noun_is_right_for_its_count(count: int, text: str) -> None:
    assert counted(count, "object") == text
