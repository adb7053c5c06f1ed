# SPDX-License-Identifier: GPL-3.0-or-later
"""How secrets look: names that say so, and the forms in which texts hold them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_WORD = r"pass(?:word|wd|phrase|code)s?|secrets?|credentials?|tokens?|(?:api|access|private|signing|encryption)[-_.]?keys?"
#: Names of variables, annotations and labels. TOKENIZERS_PARALLELISM and MAX_NUM_TOKENS are none.
_NAME = re.compile(
    r"(?i)pass(?:word|wd|phrase|code)|secret(?![-_.]?names?\W*$)|credential|token(?!i[sz])(?!s(?![a-z]))"
    r"|(?:api|auth|access|hub)[-_.]?tokens|(?:api|access|private|signing|encryption)[-_.]?key"
    r"|(?:^|[-_./])(?:key|auth|authorization|cookie|jwt|pwd)$"
)
#: Fields of objects and of kubeconfigs; `secretName` and `tokenFile` hold none.
_FIELD = re.compile(
    r"(?i)(?:[\w.-]*[-_.])?(?:token|passw(?:or)?d|passphrase|secret|api[-_]?key|(?:secret)?access[-_]?key|private[-_]?key)"
    r"|client-key-data|clientKeyData|bearerToken|clientSecret|authorization"
)
_FLAG = rf"--?(?:[A-Za-z0-9_.-]*[-_.])?(?:{_WORD})(?![\w-])"
_WHOLE_FLAG = re.compile(rf"(?i){_FLAG}")
#: One argument: a flag alone or with its value, or a variable that is set for a program.
_ARGUMENT = re.compile(r"(?s)(?P<name>-{0,2}[A-Za-z_][\w.-]*)(?:(?P<sign>=|\s+)(?P<value>.*))?")

_QUOTED = (
    r"\\+[\"'](?:(?!\\+[\"']).)*(?:\\+[\"']|$)|\"(?:[^\"\\]|\\.)*(?:\"|$)|'(?:[^'\\]|\\.)*(?:'|$)"
)
_BARE = r"[^\s\"'\\,;&|)}\]<]+"
_MARK = r"\\*[\"']"
#: Only where a word begins: a search that starts at each of its characters takes hours for a megabyte.
_BEGINS = r"(?<![A-Za-z0-9_.-])"
_FORMS = (
    # NAME=value, NAME="value", "NAME": "value"
    re.compile(
        rf"(?is){_BEGINS}[0-9.-]*?(?P<name>-{{0,2}}[A-Za-z_][A-Za-z0-9_.-]*)(?P<link>(?:{_MARK})?\s*[:=]\s*(?=\\*[\"'])|=)"
        rf"(?P<value>{_QUOTED}|{_BARE})"
    ),
    # {"name": "NAME", "value": "value"} as JSON, Go and YAML write it
    re.compile(
        rf"(?is)\bname(?:{_MARK})?\s*[:=]\s*(?:{_MARK})?(?P<name>[A-Za-z0-9_.-]+)"
        rf"(?P<link>(?:{_MARK})?[\s,]*(?:{_MARK})?value(?:{_MARK})?\s*[:=]\s*)(?P<value>{_QUOTED}|{_BARE})"
    ),
    # --name value, "--name", "value"
    re.compile(
        rf"(?is)(?P<name>(?<![\w.-]){_FLAG})(?P<link>(?:{_MARK})?[\s,]+)(?P<value>{_QUOTED}|(?!-){_BARE})"
    ),
)
#: What is secret by its own form: user and password in a URL, headers, keys and tokens that begin in a known way.
_SHAPES = (
    re.compile(r"(?P<head>(?<![A-Za-z0-9+.-])[A-Za-z0-9+.-]+://)(?P<value>[^/\s@\"'<>]+)(?=@)"),
    re.compile(r"(?P<head>\bBearer\s+)(?P<value>[A-Za-z0-9+/_.=~-]{16,})", re.IGNORECASE),
    re.compile(r"(?P<head>\bBasic\s+)(?P<value>(?=[A-Za-z0-9+/]*[0-9=])[A-Za-z0-9+/]{8,}={0,2})"),
    re.compile(
        r"(?P<head>)(?P<value>-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$(?![\s\S])))",
        re.DOTALL,
    ),
    re.compile(r"(?P<head>)(?P<value>\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"),
    re.compile(
        r"(?P<head>)(?P<value>\b(?:hf_|gh[pousr]_|glpat-|xox[abp]-|sk-)[A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16})"
    ),
)


def is_secret_name(name: Any) -> bool:
    """Return whether the value of a variable, an annotation or a label of this name is taken for a secret."""
    return isinstance(name, str) and _NAME.search(name) is not None


def is_secret_flag(flag: str) -> bool:
    """Return whether the value of a flag is taken for a secret: the word is at its end, unlike in `--token-threshold`."""
    return _WHOLE_FLAG.fullmatch(flag) is not None and is_secret_name(flag.lstrip("-"))


def is_secret_field(name: str) -> bool:
    """Return whether a text in a field of this name is taken for a secret."""
    return _FIELD.fullmatch(name) is not None


def split_argument(argument: str) -> tuple[str | None, str | None]:
    """Return what of an argument may be shown, and its secret. A secret flag without a value: the next argument is its value."""
    found = _ARGUMENT.fullmatch(argument)
    if found is None or not _tells(found["name"]):
        return None, None
    if not found["name"].startswith("-") and found["sign"] != "=":
        return None, None
    return found["name"] + (found["sign"] or ""), found["value"]


def hide_forms(text: str, hide: Callable[[str], str]) -> str:
    """Return a text with everything hidden that is in the form of a secret."""

    def pair(found: re.Match[str]) -> str:
        if not _tells(found["name"]) or _is_entry(found["name"], found["link"]):
            return found[0]
        value = found["value"]
        mark = re.match(_MARK, value)
        if mark is None:
            shown = hide(value)
        else:
            end = mark[0] if value.endswith(mark[0]) and len(value) > len(mark[0]) else ""
            shown = mark[0] + hide(value[len(mark[0]) : len(value) - len(end)]) + end
        start = found.start("value") - found.start()
        return found[0][:start] + shown

    for form in _FORMS:
        text = form.sub(pair, text)
    for shape in _SHAPES:
        text = shape.sub(lambda found: found["head"] + hide(found["value"]), text)
    return text


def _is_entry(name: str, link: str) -> bool:
    """Tell whether this is the field `key` of a map: Kubernetes calls labels, taints and entries so, never what is in them."""
    return name.casefold() == "key" and ":" in link and "value" not in link


def _tells(name: str) -> bool:
    return is_secret_flag(name) if name.startswith("-") else is_secret_name(name)
