# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of fields is the one that the schema gives."""

from __future__ import annotations

from tests.tools.fields import PAGE, page


def test_page_of_fields_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.tools.fields"
