# SPDX-License-Identifier: GPL-3.0-or-later
"""When two sets of manifests are equal.

Left out of the comparison: fields that a server owns, owner references (the engine adds them), labels and annotations under
`inference.modelops.io/`, and what is empty after that. Everything else counts: types of numbers, quantities as text, and the
order of list items. In a recording `<text sha256=… bytes=…>` stands for the text with that digest, any other `<word>` for
any text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Json = dict[str, Any]
#: apiVersion, kind, namespace, name.
Key = tuple[str, str, str, str]

OURS = "inference.modelops.io/"
SERVER_OWNED = frozenset(
    {
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "managedFields",
        "selfLink",
        "ownerReferences",
    }
)
_TEXT = re.compile(r"<text sha256=([0-9a-f]{64})\s+bytes=\d+>")
_ANY_TEXT = re.compile(r"<[A-Za-z][A-Za-z-]*>")


def key_of(manifest: Mapping[str, Any]) -> Key:
    """Return the identity of an object, from its manifest or from a recorded reference to it."""
    meta = manifest.get("metadata") or manifest
    return (
        manifest["apiVersion"],
        manifest["kind"],
        meta.get("namespace") or "",
        meta.get("name") or "",
    )


def by_key(manifests: Iterable[Json]) -> dict[Key, Json]:
    """Return the manifests by identity, reduced to what counts."""
    found: dict[Key, Json] = {}
    for manifest in manifests:
        key = key_of(manifest)
        assert key not in found, f"{key} is listed twice"
        found[key] = reduced(manifest)
    return found


def reduced(manifest: Json) -> Json:
    """Return a manifest without what does not count."""
    meta = {k: v for k, v in manifest["metadata"].items() if k not in SERVER_OWNED}
    for field in ("labels", "annotations"):
        kept = (meta.get(field) or {}).items()
        meta[field] = {k: v for k, v in kept if not k.startswith(OURS)}
    rest = {k: v for k, v in manifest.items() if k != "status"}
    out: Json = _pruned({**rest, "metadata": meta})
    return out


def differences(ours: Mapping[Key, Json], recorded: Mapping[Key, Json]) -> list[str]:
    """Return one line for each difference between two reduced sets of manifests."""
    lines = []
    for key in sorted(ours.keys() | recorded.keys()):
        name = f"{key[1]} {key[2] + '/' if key[2] else ''}{key[3]}"
        if key not in ours:
            lines.append(f"{name}: missing")
        elif key not in recorded:
            lines.append(f"{name}: not in the recording")
        else:
            lines += [f"{name}: {line}" for line in _differences(ours[key], recorded[key], "")]
    return lines


def shortfalls(ours: Any, recorded: Any, path: str = "") -> Iterator[str]:
    """Yield the places where a recorded object does not hold what we send; what it holds besides does not matter.

    For updates: the operator sends the whole live object, with the server's defaults and other people's fields.
    """
    if isinstance(ours, dict) and isinstance(recorded, dict):
        for key, value in ours.items():
            yield from shortfalls(value, recorded.get(key), f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(recorded, list) and len(ours) == len(recorded):
        for number, value in enumerate(ours):
            yield from shortfalls(value, recorded[number], f"{path}[{number}]")
    else:
        yield from _differences(ours, recorded, path)


def _differences(ours: Any, recorded: Any, path: str) -> Iterator[str]:
    if _stands_for(recorded, ours):
        return
    if isinstance(ours, dict) and isinstance(recorded, dict):
        for key in sorted(ours.keys() | recorded.keys()):
            yield from _differences(ours.get(key), recorded.get(key), f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(recorded, list):
        for number in range(max(len(ours), len(recorded))):
            yield from _differences(
                ours[number] if number < len(ours) else None,
                recorded[number] if number < len(recorded) else None,
                f"{path}[{number}]",
            )
    elif type(ours) is not type(recorded) or ours != recorded:
        yield f"{path}: recorded {recorded!r}, ours {ours!r}"


def _stands_for(recorded: Any, ours: Any) -> bool:
    if not isinstance(recorded, str) or not isinstance(ours, str) or not ours:
        return False
    if text := _TEXT.fullmatch(recorded):
        return hashlib.sha256(ours.encode()).hexdigest() == text[1]
    return _ANY_TEXT.fullmatch(recorded) is not None


def _pruned(value: Any) -> Any:
    """Return a value without nulls and empty containers, from the inside out: a server drops them."""
    if isinstance(value, dict):
        kept = {k: _pruned(v) for k, v in value.items()}
        return {k: v for k, v in kept.items() if v not in (None, {}, [])}
    return [_pruned(item) for item in value] if isinstance(value, list) else value
