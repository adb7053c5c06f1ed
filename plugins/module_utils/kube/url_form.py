# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a text is a URL that a program can ask."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

HTTP = ("http", "https")


def is_url(text: str, schemes: Collection[str] = HTTP) -> bool:
    """Tell whether a text has one of some schemes, a host, and nothing that no URL has."""
    try:
        parts = urlsplit(text)
        port_fits = parts.port is None or parts.port > 0
    except ValueError:
        return False
    blank = any(mark.isspace() for mark in text)
    return parts.scheme in schemes and bool(parts.hostname) and port_fits and not blank
