# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a text is a URL that a program can ask."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urlsplit

HTTP = ("http", "https")
_LOCAL = re.compile(
    r"(?i)(?:(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^/@\s]*@)?)?(?:localhost|127\.0\.0\.1|\[::1\])(?::(?P<port>[0-9]{1,5}))?(?:[/?].*)?"
)
_USUAL = {"http": 80, "https": 443}


def is_url(text: str, schemes: Collection[str] = HTTP) -> bool:
    """Tell whether a text has one of some schemes, a host, and nothing that no URL has."""
    try:
        parts = urlsplit(text)
        port_fits = parts.port is None or parts.port > 0
    except ValueError:
        return False
    blank = any(mark.isspace() for mark in text)
    return parts.scheme in schemes and bool(parts.hostname) and port_fits and not blank


def local_port(text: str) -> int:
    """Return the port of an address that everybody has for himself, `localhost:4317` or `http://127.0.0.1/x`; 0 for all other texts."""
    found = _LOCAL.fullmatch(text)
    if found is None:
        return 0
    return int(found["port"] or _USUAL.get((found["scheme"] or "").lower(), 0))
