# SPDX-License-Identifier: GPL-3.0-or-later
"""Which texts Kubernetes takes as names, label keys and label values, and what is wrong with those that it refuses.

The rules are those of k8s.io/apimachinery v0.36.3 (pkg/api/validate/content, pkg/util/validation). Each `check_…` function
answers None for a legal text, else one message that holds the text, what is wrong with it and the limit.
"""

from __future__ import annotations

import hashlib
import re

#: Longest DNS label, label value, and name part of a label key; in characters, which are bytes for legal texts.
LABEL_LENGTH = 63

#: Longest DNS subdomain, and prefix part of a label key.
SUBDOMAIN_LENGTH = 253

#: Longest name of a port.
PORT_NAME_LENGTH = 15

#: How much of a wrong text a message repeats.
_SHOWN = 80

#: Hexadecimal digits of an MD5.
_CHILD_HASH = 32

_NOT_AT_THE_END = re.compile("[^A-Za-z0-9]+$", re.ASCII)
_WORD = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile("[a-z]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_NAMESPACE = re.compile(_WORD, re.ASCII)
_SUBDOMAIN = re.compile(rf"{_WORD}(\.{_WORD})*", re.ASCII)
_LABEL_NAME = re.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_PORT_NAME = re.compile("(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_DATA_KEY = re.compile("[-._A-Za-z0-9]+", re.ASCII)
_LETTER = re.compile("[A-Za-z]", re.ASCII)


def check_dns_label(text: str) -> str | None:
    """Say what keeps a text from being an RFC 1035 label, the form that each Kubernetes release takes as Service name."""
    shape = 'lower-case letters, digits and "-", beginning with a letter and ending with a letter or digit'
    return _check(text, "a DNS label", _DNS_LABEL, LABEL_LENGTH, shape)


def check_word(text: str) -> str | None:
    """Say what keeps a text from being an RFC 1123 label, the form of the names of containers and volumes."""
    shape = 'lower-case letters, digits and "-", beginning and ending with a letter or digit'
    return _check(text, "an RFC 1123 label", _NAMESPACE, LABEL_LENGTH, shape)


def check_namespace(text: str) -> str | None:
    """Say what keeps a text from being an RFC 1123 label, the form of a namespace; it may begin with a digit."""
    shape = 'lower-case letters, digits and "-", beginning and ending with a letter or digit'
    return _check(text, "a namespace", _NAMESPACE, LABEL_LENGTH, shape)


def check_dns_subdomain(text: str) -> str | None:
    """Say what keeps a text from being an RFC 1123 subdomain, the form of most object names."""
    shape = 'words of lower-case letters, digits and "-", joined by ".", each beginning and ending with a letter or digit'
    return _check(text, "a DNS subdomain", _SUBDOMAIN, SUBDOMAIN_LENGTH, shape)


def check_label_value(text: str) -> str | None:
    """Say what keeps a text from being a label value. The empty text is one."""
    shape = 'letters, digits, "-", "_" and ".", beginning and ending with a letter or digit'
    return _check(text, "a label value", _LABEL_NAME, LABEL_LENGTH, shape) if text else None


def check_label_key(text: str) -> str | None:
    """Say what keeps a text from being a label key (an annotation key has the same form): `[subdomain/]name`."""
    prefix, slash, name = text.rpartition("/")
    shape = 'letters, digits, "-", "_" and ".", beginning and ending with a letter or digit'
    wrong = _check(name, "the name part of a label key", _LABEL_NAME, LABEL_LENGTH, shape)
    if slash and "/" in prefix:
        wrong = 'a label key has at most one "/"'
    elif slash and wrong is None:
        wrong = check_dns_subdomain(prefix)
        wrong = wrong and f"the prefix of a label key is a DNS subdomain: {wrong}"
    if wrong is None or text == name:
        return wrong
    return f"{quoted(text)}: {wrong}"


def check_port_name(text: str) -> str | None:
    """Say what keeps a text from being the name of a port (IANA service name)."""
    shape = 'lower-case letters, digits and single "-" between them, with at least one letter'
    return _check(text, "a port name", _PORT_NAME, PORT_NAME_LENGTH, shape)


def check_data_key(text: str) -> str | None:
    """Say what keeps a text from being the name of an entry of a ConfigMap or Secret, which becomes a file in pods."""
    shape = 'letters, digits, "-", "_" and "."'
    if text == "." or text.startswith(".."):
        return f'{quoted(text)} is not the name of an entry: it must not be "." nor begin with ".."'
    return _check(text, "the name of an entry", _DATA_KEY, SUBDOMAIN_LENGTH, shape)


def child_name(parent: str, suffix: str) -> str:
    """Return KServe's name for what belongs to a parent: both put together, shortened by a hash to 63 characters.

    Source: knative.dev/pkg kmeta.ChildName as KServe v0.17.0 uses it.
    """
    if len(parent) + len(suffix) <= LABEL_LENGTH:
        return parent + suffix
    room = LABEL_LENGTH - _CHILD_HASH
    if len(suffix) < room:
        return f"{parent[: room - len(suffix)]}{_child_hash(parent)}{suffix}"
    name = f"{parent[:room]}{_child_hash(parent + suffix)}{suffix}"[:LABEL_LENGTH]
    return _NOT_AT_THE_END.sub("", name)


def _child_hash(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def quoted(text: str) -> str:
    """Return a text as messages show it: in quotation marks, unprintable characters escaped, cut when it is long."""
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return (
        '"'
        + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)
        + '"'
    )


def _check(text: str, what: str, pattern: re.Pattern[str], limit: int, shape: str) -> str | None:
    wrong = []
    if not text:
        wrong.append("it is empty")
    if len(text) > limit:
        wrong.append(f"it has {len(text)} characters")
    if text and not pattern.fullmatch(text):
        wrong.append(_why(text, pattern))
    if not wrong:
        return None
    return f"{quoted(text)} is not {what}: {' and '.join(wrong)}; {what} has 1 to {limit} characters: {shape}"


def _why(text: str, pattern: re.Pattern[str]) -> str:
    """Name the characters that are allowed nowhere in the form, or else the place where the form breaks."""
    strange = [c for c in dict.fromkeys(text) if not pattern.fullmatch(f"a{c}a")]
    if strange:
        return (
            "it holds "
            + ", ".join(quoted(c) for c in strange[:5])
            + (", …" if len(strange) > 5 else "")
        )
    if not text[-1].isalnum():
        return f"it ends with {quoted(text[-1])}"
    if not pattern.fullmatch(f"{text[0]}a"):
        return f"it begins with {quoted(text[0])}"
    return "two separators follow each other" if _LETTER.search(text) else "it has no letter"
