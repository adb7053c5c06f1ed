# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""docs/troubleshooting.md has a row for whatever the code says to users, and says nothing else in the code's name."""

from __future__ import annotations

import re

from tests.tools import messages
from tests.tools.tree import CHECKOUT

PAGE = CHECKOUT / "docs" / "troubleshooting.md"
#: Words in the page's messages that are the API server's, the kubelet's or those of a picker.
OF_OTHERS = ("attempting to grant RBAC permissions not currently held",)

_CODE = re.compile(r"`([^`]+)`")
#: So many letters a message needs to stand for a text of the code.
_LEAST = 7


def rows() -> list[list[str]]:
    """The cells of each row of the tables by message, heads and lines between them left out."""
    dummy, dummy, tables = PAGE.read_text().partition("## By message")
    lines = [line for line in tables.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]
    return [row for row in cells if row[0] != "message"]


def codes(cell: str) -> list[str]:
    return _CODE.findall(cell)


MESSAGES = [code for row in rows() for code in codes(row[0]) if " " in code]
RULES = {code for row in rows() for code in codes(row[1])}
#: Named below a table: words of the Gateway API, which explain themselves.
NAMED = {code for line in PAGE.read_text().splitlines() for code in codes(line)}


def letters(message: str) -> int:
    return sum(sign.isalpha() for sign in message)


def test_every_row_has_message_rule_reason_and_advice() -> None:
    assert [row for row in rows() if len(row) != 4 or not all(row)] == []


def test_every_rule_has_a_row() -> None:
    missing = {
        f'rule "{said.text}" ({said.place}) has no row in {PAGE.name}'
        for said in messages.rules()
        if said.text not in NAMED
    }
    assert sorted(missing) == []


def test_every_text_of_an_error_has_a_row() -> None:
    long_enough = [message for message in MESSAGES if letters(message) >= _LEAST]
    missing = {
        f'"{said.text}" ({said.place}) has no row in {PAGE.name}'
        for said in messages.errors()
        if letters(said.text) >= _LEAST
        and not any(messages.says(said.text, message) for message in long_enough)
    }
    assert sorted(missing) == []


def test_every_message_of_the_page_is_one_of_the_code() -> None:
    texts = [text for text in messages.texts() if " " in text]
    assert [
        message
        for message in MESSAGES
        if message not in OF_OTHERS and not any(messages.says(text, message) for text in texts)
    ] == []


def test_every_rule_of_the_page_is_one_of_the_code() -> None:
    assert sorted(RULES - messages.texts()) == []
