# SPDX-License-Identifier: GPL-3.0-or-later
"""A ConfigMap that a release brings and people edit: what they changed stays, and what they left alone follows the release.

Each key is a plain text, or a JSON map that is compared value by value. Three states meet: what the release held when it was applied
last (`base`), what is there now, and what the release holds now. Source: KServe config/configmap/inferenceservice.yaml@v0.17.0.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .canonical import canonical_json
from .manifest import Json

Path = tuple[str, ...]
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Edit:
    """A value that stays although the release has another one. clash: the release has changed it, too."""

    path: Path
    live: Any
    released: Any
    clash: bool

    @property
    def where(self) -> str:
        """The path, as messages show it."""
        return ".".join(self.path)

    def __str__(self) -> str:
        return f"{self.where} is {_shown(self.live)}, and the release has {_shown(self.released)}"


@dataclass(frozen=True, slots=True)
class Merged:
    """What a ConfigMap is to hold, and what of that is not the release's."""

    data: dict[str, str]
    edits: tuple[Edit, ...]


def base_text(data: Mapping[str, str]) -> str:
    """Return what a release holds, for comparing it with later edits: JSON maps as they are, other texts as a hash."""
    return canonical_json({key: _held(text) for key, text in data.items()}).decode()


def parse_base(text: str) -> Json | None:
    """Return what `base_text` noted, None where that is no such note."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def base_of(data: Mapping[str, str]) -> Json:
    """Return the base that a release's own data is."""
    return {key: _held(text) for key, text in data.items()}


def merge(
    base: Json | None, live: Mapping[str, str], wanted: Mapping[str, str], said: Mapping[str, Any]
) -> Merged:
    """Merge the release's data with edits. base: None where nobody knows what was there before; then what differs is taken for an edit.

    said: what a task asks for by key, as a text or as values in the JSON of the key; that wins over every edit.
    Keys that only somebody else has are left out: an apply leaves them alone.
    """
    data: dict[str, str] = {}
    edits: list[Edit] = []
    for key in sorted(set(wanted) | (set(base or {}) & set(live))):
        was = _ABSENT if base is None else base.get(key, _ABSENT)
        there, ours = _document(live, key), _document(wanted, key)
        found, kept = _merge(_State(was, there, ours, base is not None), said.get(key), (key,))
        edits += kept
        if found is not _ABSENT:
            data[key] = _text(found, key, live, wanted)
    return Merged(data, tuple(edits))


@dataclass(frozen=True, slots=True)
class _State:
    """One value, three times. known: whether there is a base at all."""

    base: Any
    live: Any
    wanted: Any
    known: bool

    def below(self, key: str) -> _State:
        return _State(_at(self.base, key), _at(self.live, key), _at(self.wanted, key), self.known)


def _merge(state: _State, said: Any, path: Path) -> tuple[Any, list[Edit]]:
    if said is not None and not isinstance(said, Mapping):
        return state.wanted, []
    if isinstance(state.live, dict) and isinstance(state.wanted, dict):
        return _merge_maps(state, said or {}, path)
    if said:
        return state.wanted, []
    return _choose(state, path)


def _merge_maps(state: _State, said: Mapping[str, Any], path: Path) -> tuple[Json, list[Edit]]:
    found: Json = {}
    edits: list[Edit] = []
    for key in [*state.wanted, *(key for key in state.live if key not in state.wanted)]:
        value, kept = _merge(state.below(key), said.get(key), (*path, key))
        edits += kept
        if value is not _ABSENT:
            found[key] = value
    return found, edits


def _choose(state: _State, path: Path) -> tuple[Any, list[Edit]]:
    """Return one of the states of a value that is no map."""
    live, wanted = state.live, state.wanted
    if _same(live, wanted):
        return wanted, []
    if not state.known:
        if live is _ABSENT or _is_another_tag(live, wanted):
            return wanted, []
        return live, [Edit(path, live, wanted, clash=False)]
    if _same(live, state.base):
        return wanted, []
    clash = not _same(wanted, state.base)
    return live, [Edit(path, live, wanted, clash)]


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values are equal; a text is also equal to the hash that a base holds of it."""
    if one is _ABSENT or other is _ABSENT:
        return one is other
    if canonical_json(one) == canonical_json(other):
        return True
    return isinstance(one, str) and _hash(one) == other


def _is_another_tag(live: Any, wanted: Any) -> bool:
    """Tell whether two texts are one image at two releases: nobody edits that by hand and means it to stay."""
    if not isinstance(live, str) or not isinstance(wanted, str):
        return False
    repository, colon, dummy = live.rpartition(":")
    return bool(colon) and "/" in repository and repository == wanted.rpartition(":")[0]


def _at(part: Any, key: str) -> Any:
    return part.get(key, _ABSENT) if isinstance(part, dict) else _ABSENT


def _held(text: str) -> Any:
    document = _parsed(text)
    return document if isinstance(document, dict) else _hash(text)


def _hash(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _document(data: Mapping[str, str], key: str) -> Any:
    """Return the JSON map that a key holds, else its text."""
    if key not in data:
        return _ABSENT
    document = _parsed(data[key])
    return document if isinstance(document, dict) else data[key]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _text(found: Any, key: str, live: Mapping[str, str], wanted: Mapping[str, str]) -> str:
    """Return a value as a text; one that is there already keeps its form."""
    for data in (live, wanted):
        if _same(_document(data, key), found):
            return data[key]
    return found if isinstance(found, str) else json.dumps(found, indent=2)


def _shown(value: Any) -> str:
    if value is _ABSENT:
        return "not there"
    text = value if isinstance(value, str) else json.dumps(value)
    return f'"{text}"' if len(text) <= 60 else f'"{text[:57]}…"'
