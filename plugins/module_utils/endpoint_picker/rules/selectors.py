# SPDX-License-Identifier: GPL-3.0-or-later
"""Label selectors written as text, as in `app=m,tier in (a, b),!old`."""

from __future__ import annotations

import re

_KEY = r"(?:[a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?"
_VALUE = r"(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?"
_REQUIREMENT = (
    rf"\s*(?:!\s*{_KEY}|{_KEY}(?:\s*(?:==?|!=)\s*{_VALUE}|\s*[<>]\s*-?[0-9]+"
    rf"|\s+(?:in|notin)\s*\(\s*{_VALUE}\s*(?:,\s*{_VALUE}\s*)*\))?)\s*"
)
_SELECTOR = re.compile(rf"{_REQUIREMENT}(?:,{_REQUIREMENT})*", re.ASCII)


def selector_fault(text: str) -> str | None:
    """Return why a text is no label selector, None if it is one."""
    return None if _SELECTOR.fullmatch(text) else f"{text!r} is no label selector"
