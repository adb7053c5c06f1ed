# SPDX-License-Identifier: GPL-3.0-or-later
"""A message names the first of many things and says how many more there are."""

from __future__ import annotations

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kube.wording import few


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "", ""),
        (2, "", "0, 1"),
        (3, "fields", "0, 1 and 1 more fields"),
        (5, "", "0, 1 and 3 more"),
    ],
)
def test_first_of_many(count: int, noun: str, text: str) -> None:
    assert few([str(number) for number in range(count)], 2, noun) == text
