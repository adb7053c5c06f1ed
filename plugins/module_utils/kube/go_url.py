# SPDX-License-Identifier: GPL-3.0-or-later
"""URLs as Go reads and writes them: what a field of Go's type for URLs comes to when an object is stored.

Source: net/url of Go 1.25. Text that stands for bytes is UTF-8.
"""

from __future__ import annotations

import json
import re
import string

_PLAIN = frozenset(string.ascii_letters + string.digits + "-_.~")
#: Characters that stay as they are beside the plain ones, when a part is written.
_KEPT = {
    "path": _PLAIN | frozenset("$&+,/:;=@"),
    "fragment": _PLAIN | frozenset("$&+,/:;=?@!()*"),
    "user": _PLAIN | frozenset("$&+,;="),
    "host": _PLAIN | frozenset("!$&'()*+,;=:[]<>\""),
}
#: Characters by which a part counts as written by somebody who knew what to escape.
_WRITTEN = frozenset("!$&'()*+,;=:@[]%")
_USER = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_IN_HOST = re.compile(r"%([0-9A-Fa-f]{2})|.")
_NUMBERED = re.compile(r"\[[0-9A-Fa-f:.]+\](:[0-9]*)?")
_DIGITS = re.compile(r"[0-9]+")


def go_url(text: str) -> str:
    """Return a URL as Go writes it once it has read it. Raises ValueError in Go's words where it cannot be read."""
    try:
        return _rewritten(text)
    except ValueError as error:
        raise ValueError(f"parse {_quoted(text.partition('#')[0])}: {error}") from None


def _rewritten(text: str) -> str:
    if any(ord(sign) < 0x20 or ord(sign) == 0x7F for sign in text):
        raise ValueError("net/url: invalid control character in URL")
    before, dummy, fragment = text.partition("#")
    scheme, rest = _scheme(before)
    rest, mark, query = rest.partition("?")
    end = f"{mark}{query}" + (f"#{_kept(fragment, 'fragment')}" if fragment else "")
    start = f"{scheme}:" if scheme else ""
    if scheme and not rest.startswith("/"):
        return f"{start}{rest}{end}"
    if not rest.startswith("/") and ":" in rest.partition("/")[0]:
        raise ValueError("first path segment in URL cannot contain colon")
    if not rest.startswith("//") or (not scheme and rest.startswith("///")):
        return f"{start}{_kept(rest, 'path')}{end}"
    authority, slash, path = rest[2:].partition("/")
    path = _kept(f"{slash}{path}", "path")
    authority = _authority(authority)
    return f"{start}{'//' if authority or path else ''}{authority}{path}{end}"


def _scheme(text: str) -> tuple[str, str]:
    found = re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", text)
    if found:
        return found[0][:-1].lower(), text[found.end() :]
    if text.startswith(":"):
        raise ValueError("missing protocol scheme")
    return "", text


def _authority(text: str) -> str:
    user, at, host = text.rpartition("@")
    host = _host(host)
    if not at:
        return host
    if not _USER.fullmatch(user):
        raise ValueError("net/url: invalid userinfo")
    name, colon, password = user.partition(":")
    return f"{_again(name, 'user')}{colon}{_again(password, 'user')}@{host}"


def _host(text: str) -> str:
    if "[" in text:
        if not _NUMBERED.fullmatch(text):
            raise ValueError("invalid IP-literal")
        return text
    dummy, colon, port = text.rpartition(":")
    if colon and port and not _DIGITS.fullmatch(port):
        raise ValueError(f"invalid port {_quoted(colon + port)} after host")
    for found in _IN_HOST.finditer(text):
        code, sign = found[1], found[0]
        if code is not None and int(code, 16) < 0x80:
            raise ValueError(f"invalid URL escape {_quoted(sign)}")
        if code is None and ord(sign) < 0x80 and sign not in _KEPT["host"] and sign != "%":
            raise ValueError(f"invalid character {_quoted(sign)} in host name")
    return _again(text, "host")


def _kept(text: str, part: str) -> str:
    """Return a part as it is where that is well escaped, else escaped anew."""
    again = _again(text, part)
    return text if all(sign in _KEPT[part] or sign in _WRITTEN for sign in text) else again


def _again(text: str, part: str) -> str:
    wrong = re.search(r"%(?![0-9A-Fa-f]{2}).{0,2}", text)
    if wrong:
        raise ValueError(f"invalid URL escape {_quoted(wrong[0])}")
    plain = b"".join(
        bytes([int(piece, 16)]) if number % 2 else piece.encode()
        for number, piece in enumerate(_ESCAPE.split(text))
    )
    return "".join(
        chr(byte) if byte < 0x80 and chr(byte) in _KEPT[part] else f"%{byte:02X}" for byte in plain
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
