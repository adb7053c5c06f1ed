# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/endpoint_picker.md names every rule, and no other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
ROOM = ROOT / "plugins" / "module_utils" / "endpoint_picker"
MADE = re.compile(r"(?:refusal|warning|info|Finding|_fault|DecodeError)\(\s*\"([a-z0-9-]+)\"")


def test_the_page_names_each_rule() -> None:
    made = {rule for path in ROOM.rglob("*.py") for rule in MADE.findall(path.read_text())}
    table = (ROOT / "docs" / "endpoint_picker.md").read_text().partition("## Rules")[2]
    assert set(re.findall(r"`([a-z][a-z0-9-]+)`", table)) - {"plugins"} == made
