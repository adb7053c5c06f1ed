# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes secrets out of what is shown: objects by their structure, before anything is formatted; foreign texts by their forms.

A secret is what a Secret holds, the value of a variable, flag, annotation or field whose name says so, and what kubectl keeps
as last applied. Texts that a server or a pod says are formatted already: in them, the values that are known to be secret
are replaced, and whatever is in a form that holds one (`--api-key=…`, `HF_TOKEN=…`, `https://user:…@host`).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias
from urllib.parse import quote

from .manifest import Json
from .secret_forms import hide_forms, is_secret_field, is_secret_name, split_argument

#: A kubectl annotation that repeats the whole object.
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
#: Maps whose keys are names that somebody chose.
_NAMED = frozenset({"annotations", "labels", "env"})
#: What is shorter is no secret that could be told from other text.
_SHORTEST = 4
#: Values of which nobody learns anything: that something is switched on.
_SAY_NOTHING = frozenset({"", "true", "false"})
_MASK = re.compile(r"<masked [0-9a-f]{8}>")
_NAMED_PATH = re.compile(r"\b(?:labels|annotations)[.\[](.+)$")
_QUOTED = re.compile(r'"[^"]*"')

#: Equal values get equal masks within one run; the key makes them useless to guess with.
_RUN_KEY = secrets.token_bytes(16)

#: What is put in the place of a secret.
Hide: TypeAlias = Callable[[str], str]


def mask(value: Any) -> str:
    """Return a text that shows whether a secret changed within this run, and nothing else."""
    if _MASK.fullmatch(str(value)):
        return str(value)
    return f"<masked {hmac.new(_RUN_KEY, str(value).encode(), hashlib.sha256).hexdigest()[:8]}>"


def redact(manifest: Json) -> Json:
    """Return a copy of an object with everything masked that is secret in it."""
    shown: Json = _any(manifest, mask)
    return shown


def redact_argument(item: str) -> str:
    """Return an item of a command line with its value masked where that is secret."""
    (shown,) = redact({"args": [item]})["args"]
    return str(shown)


def secrets_of(value: Any) -> frozenset[str]:
    """Return what `redact` would mask in a value."""
    found: set[str] = set()

    def note(secret: str) -> str:
        found.add(secret)
        return mask(secret)

    _any(value, note)
    return frozenset(found)


def redact_text(text: str, known: Iterable[str] = ()) -> str:
    """Return a text that somebody else wrote, without secrets. known: values that are secret wherever they are."""
    for secret in sorted(known, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            for form in _spellings(secret):
                text = text.replace(form, mask(secret))
    return hide_forms(text, mask)


def masked_paths(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths at which a value holds a mask: it was shown once, and is no input any more."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from masked_paths(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from masked_paths(inner, f"{path}[{number}]")
    elif isinstance(value, str) and _MASK.search(value):
        yield path


@lru_cache(maxsize=1024)
def redact_message(path: str, message: str) -> str:
    """Return what is said about the value at a path, without secrets: of a label or annotation whose name tells, nothing is quoted."""
    named = _NAMED_PATH.search(path)
    if named and is_secret_name(named[1]):
        message = _QUOTED.sub(lambda found: f'"{mask(found[0])}"', message)
    return hide_forms(message, mask)


def _spellings(secret: str) -> list[str]:
    """Return how others write a value: as it is, within JSON once or twice, in a URL, as a Secret holds it."""
    once = json.dumps(secret)[1:-1]
    return list(
        dict.fromkeys(
            [
                secret,
                json.dumps(secret, ensure_ascii=False)[1:-1],
                once,
                json.dumps(once)[1:-1],
                quote(secret, safe=""),
                base64.b64encode(secret.encode()).decode(),
            ]
        )
    )


def _any(value: Any, hide: Hide) -> Any:
    if isinstance(value, dict):
        return _map(value, hide)
    if isinstance(value, list | tuple):
        return _list(value, hide)
    return _text(value, hide) if isinstance(value, str) else value


def _map(value: Json, hide: Hide) -> Json:
    copy = {key: _entry(str(key), inner, hide) for key, inner in value.items()}
    if is_secret_name(value.get("name")):
        # A source that is no map is a value in the wrong place.
        wrong = () if isinstance(value.get("valueFrom"), dict) else ("valueFrom",)
        copy |= {key: _hidden(value[key], hide) for key in ("value", *wrong) if value.get(key)}
    if value.get("kind") == "Secret":
        copy |= {key: _hidden(value[key], hide) for key in ("data", "stringData") if value.get(key)}
    return copy


def _entry(key: str, value: Any, hide: Hide) -> Any:
    if key in _NAMED and isinstance(value, dict):
        return {
            name: _hidden(inner, hide)
            if name == LAST_APPLIED or is_secret_name(name)
            else _any(inner, hide)
            for name, inner in value.items()
        }
    if isinstance(value, str) and is_secret_field(key):
        return _hidden(value, hide)
    return _any(value, hide)


def _hidden(value: Any, hide: Hide) -> Any:
    """Return a value with the same shape and keys, and nothing else of it."""
    if isinstance(value, dict):
        return {key: _hidden(inner, hide) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden(inner, hide) for inner in value]
    return value if value is None or str(value).lower() in _SAY_NOTHING else hide(str(value))


def _list(items: list[Any] | tuple[Any, ...], hide: Hide) -> list[Any]:
    """Mask items, and in arguments the value of a secret flag: in the item itself, or the item after it."""
    out: list[Any] = []
    follows = False
    for item in items:
        head, value = split_argument(item) if isinstance(item, str) else (None, None)
        if follows and isinstance(item, str) and not item.startswith("-"):
            out.append(hide(item))
        elif head is not None and value:
            out.append(head + hide(value))
        else:
            out.append(_any(item, hide))
        follows = head is not None and value is None
    return out


def _text(text: str, hide: Hide) -> str:
    """Mask within a text; one that is a JSON object is masked as the object: our record of a service, copies in annotations."""
    if text.startswith("{"):
        try:
            document = json.loads(text)
        except ValueError:
            document = None
        if isinstance(document, dict):
            shown = _any(document, hide)
            return text if shown == document else json.dumps(shown, ensure_ascii=False)
    return hide_forms(text, hide)
