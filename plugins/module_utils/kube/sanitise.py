# SPDX-License-Identifier: GPL-3.0-or-later
"""Legal names made of any text: readable where that is possible, and never silently the same for texts that differ in more
than case and separators.

The rules, which all three functions share:

1. A legal text is returned unchanged, so that a second application changes nothing.
2. White space and `/ : . _ -` separate words; a separator that the form does not have becomes `-`, several in a row one,
   and none is left at the ends. Capitals become small letters where the form has none.
3. An accented letter loses its accent; any other character becomes a separator.
4. What rules 2 and 3 leave empty is an error.
5. A hash of the whole input is appended where more than case and separators was lost: a character of rule 3, or what
   had to be cut off. With `distinct` it is appended to every text that is not legal as it is.

So two texts share a name only where they are the same words in the same order, or where somebody chooses a legal name that
ends in the hash of another.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable
from string import ascii_lowercase, ascii_uppercase

from .names import (
    LABEL_LENGTH,
    SUBDOMAIN_LENGTH,
    check_dns_label,
    check_dns_subdomain,
    check_label_value,
    quoted,
)

#: Hexadecimal digits of the SHA-256 of the input's UTF-8: among 10,000 long names two agree once in 20,000 installations.
HASH_LENGTH = 10

#: Room for one character, a hyphen and the hash.
SHORTEST_LIMIT = HASH_LENGTH + 2

_LOSES_MORE = re.compile(r"[^A-Za-z0-9\s/:._-]", re.ASCII)
_NOT_IN_LABEL = re.compile("[^a-z0-9]+", re.ASCII)
#: Of ASCII only: `str.lower` makes ASCII of other letters too.
_SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)
_NOT_IN_VALUE = re.compile("[^A-Za-z0-9._-]+", re.ASCII)


def to_dns_label(text: str, max_length: int = LABEL_LENGTH, *, distinct: bool = False) -> str:
    """Return an RFC 1035 label, the form of a Service's name; `m-` is put before a leading digit.

    max_length: 12 to 63 characters. Raises ValueError where nothing usable is in the text, or for another max_length.
    """
    return _sanitise(text, _label, check_dns_label, _limit(max_length, LABEL_LENGTH), distinct)


def to_dns_subdomain(
    text: str, max_length: int = SUBDOMAIN_LENGTH, *, distinct: bool = False
) -> str:
    """Return an RFC 1123 subdomain, the form of most objects' names; dots and leading digits stay.

    max_length: 12 to 253 characters. Raises ValueError where nothing usable is in the text, or for another max_length.
    """
    limit = _limit(max_length, SUBDOMAIN_LENGTH)
    return _sanitise(text, _subdomain, check_dns_subdomain, limit, distinct)


def to_label_value(text: str, max_length: int = LABEL_LENGTH, *, distinct: bool = False) -> str:
    """Return a label value; capitals, dots and underscores stay, and so does the empty text, which is a legal value.

    max_length: 12 to 63 characters. Raises ValueError where nothing usable is in the text, or for another max_length.
    """
    return _sanitise(text, _value, check_label_value, _limit(max_length, LABEL_LENGTH), distinct)


def _limit(max_length: int, longest: int) -> int:
    if not SHORTEST_LIMIT <= max_length <= longest:
        raise ValueError(
            f"max_length {max_length} is out of range: choose from {SHORTEST_LIMIT} to {longest}"
        )
    return max_length


def _sanitise(
    text: str,
    shape: Callable[[str], str],
    check: Callable[[str], str | None],
    limit: int,
    distinct: bool,
) -> str:
    if len(text) <= limit and check(text) is None:
        return str(text)
    name = shape(_without_accents(text))
    if not name:
        raise ValueError(f"{quoted(text)} has no letter a-z and no digit to make a name of")
    if len(name) <= limit and not distinct and not _LOSES_MORE.search(text):
        return name
    # A lone surrogate has no UTF-8, but must not end in a traceback.
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:HASH_LENGTH]
    return f"{name[: limit - HASH_LENGTH - 1].rstrip('._-')}-{digest}"


def _without_accents(text: str) -> str:
    """Decompose what is composed: é becomes e, full-width forms become ASCII. What has no such form stays."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _words(text: str) -> str:
    return _NOT_IN_LABEL.sub("-", text.translate(_SMALL)).strip("-")


def _label(text: str) -> str:
    words = _words(text)
    return f"m-{words}" if words[:1].isdigit() else words


def _subdomain(text: str) -> str:
    return ".".join(filter(None, map(_words, text.split("."))))


def _value(text: str) -> str:
    return _NOT_IN_VALUE.sub("-", text).strip("._-")
