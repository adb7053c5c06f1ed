# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes the table of checks into docs/troubleshooting.md: `python -m tests.tools.check_tables`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ansible_collections.modelops.inference.plugins.module_utils.checks.registry import checks
from ansible_collections.modelops.inference.plugins.module_utils.kinds.check import BoundCheck
from ansible_collections.modelops.inference.plugins.module_utils.kinds.registry import KINDS

from .tree import CHECKOUT

PAGE = CHECKOUT / "docs" / "troubleshooting.md"
_BEGIN, _END = "<!-- made by tests/tools/check_tables.py -->", "<!-- end -->"
_VALUE = re.compile(r"\{[a-z_]+\}")


def every_check() -> Sequence[BoundCheck]:
    """Return the checks of all kinds, then those that one kind has for itself."""
    own = dict.fromkeys(check for kind in KINDS.values() for check in kind.own_checks)
    return (*checks(), *own)


def shown(template: str) -> str:
    """Return a text of a row with `…` in the place of values."""
    text = _VALUE.sub("…", template).replace("{{", "{").replace("}}", "}")
    return re.sub(r"(… ?)+…", "…", text).replace("`", "").replace("|", "/")


def reason(check: BoundCheck) -> str:
    """Return what a check looks for, from the first sentence of its function."""
    first = (check.function.__doc__ or "").strip().split("\n")[0].partition(". ")[0]
    return first.removeprefix("Yield ").rstrip(".")


def rows() -> Iterator[str]:
    """Yield a row for each check: message, rule, why, what to do."""
    yield "| message | rule | why | what to do |"
    yield "|---|---|---|---|"
    for check in every_check():
        row = check.row
        yield f"| `{shown(row.finds)}` | `{row.rule}` | {reason(check)} | {shown(row.fix)} |"


def with_table(page: str) -> str:
    """Return a page with its table of checks as it has to be. Raises ValueError for a page without a place for it."""
    before, begin, rest = page.partition(_BEGIN)
    dummy, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"no place between {_BEGIN} and {_END}")
    return "\n".join([f"{before}{begin}", *rows(), f"{end}{after}"])


def main() -> None:
    """Write the page."""
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
