# SPDX-License-Identifier: GPL-3.0-or-later
"""Random changes of JSON values: drop, change, reorder, copy, empty. Each returns a changed copy."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

Json = dict[str, Any]
Path = tuple[str | int, ...]
#: What identifies an object, or belongs to the server: never changed.
UNTOUCHED = frozenset({"apiVersion", "kind", "status"})
METADATA = ("labels", "annotations", "ownerReferences", "finalizers")


def copy(value: Any) -> Any:
    """Return a deep copy of a JSON value."""
    return json.loads(json.dumps(value))


def places(manifest: Json) -> list[Path]:
    """Return the paths of everything in an object that a user may change, maps and lists included."""
    found: list[Path] = []
    for name, value in manifest.items():
        if name == "metadata":
            for part in METADATA:
                if part in value:
                    found += _below(value[part], ("metadata", part))
        elif name not in UNTOUCHED:
            found += _below(value, (name,))
    return found


def _below(value: Any, path: Path) -> Iterator[Path]:
    yield path
    if isinstance(value, dict | list):
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in steps:
            yield from _below(inner, (*path, step))


def value_at(manifest: Any, path: Path) -> Any:
    """Return what is at a path."""
    for step in path:
        manifest = manifest[step]
    return manifest


def _changed(manifest: Json, path: Path, change: Callable[[Any, Any], None]) -> Json:
    result: Json = copy(manifest)
    change(value_at(result, path[:-1]), path[-1])
    return result


def _put(manifest: Json, path: Path, value: Any) -> Json:
    return _changed(manifest, path, lambda holder, step: holder.__setitem__(step, value))


def dropped(random: Random, manifest: Json) -> Json:
    """Leave out a field or a list item."""
    path = random.choice(places(manifest))
    return _changed(manifest, path, lambda holder, step: holder.__delitem__(step))


def varied(random: Random, manifest: Json) -> Json:
    """Give a single value another content."""
    path = _one(random, manifest, lambda value: not isinstance(value, dict | list))
    return (
        manifest if path is None else _put(manifest, path, _other(random, value_at(manifest, path)))
    )


def retyped(random: Random, manifest: Json) -> Json:
    """Write a single value in another type or form."""
    path = _one(random, manifest, lambda value: not isinstance(value, dict | list))
    if path is None:
        return manifest
    value = value_at(manifest, path)
    forms: list[Any] = [str(value), "", f"{value}m"]
    if isinstance(value, int):
        forms += [float(value), bool(value), f"{value}.0"]
    if isinstance(value, str) and value.isdigit():
        forms += [int(value), f"{value}000m"]
    return _put(manifest, path, random.choice(forms))


def emptied(random: Random, manifest: Json) -> Json:
    """Leave nothing in a map, a list or a text."""
    path = _one(random, manifest, lambda value: isinstance(value, dict | list | str))
    if path is None:
        return manifest
    return _put(manifest, path, type(value_at(manifest, path))())


def reordered(random: Random, manifest: Json) -> Json:
    """Put the items of a list in another order."""
    path = _one(random, manifest, lambda value: isinstance(value, list) and len(value) > 1)
    if path is None:
        return manifest
    items = list(value_at(manifest, path))
    random.shuffle(items)
    return _put(manifest, path, items)


def extended(random: Random, manifest: Json) -> Json:
    """Add an item to a list, a copy of one of its own under another name, or an entry to a map."""
    path = _one(random, manifest, lambda value: isinstance(value, dict | list) and len(value) > 0)
    if path is None:
        return manifest
    value = copy(value_at(manifest, path))
    if isinstance(value, dict):
        name = random.choice([*EXTRA, f"added-{random.randrange(9)}"])
        value[name] = copy(EXTRA.get(name, random.choice(["x", "1"])))
    else:
        item = copy(random.choice(value))
        value.insert(random.randrange(len(value) + 1), _renamed(random, item))
    return _put(manifest, path, value)


#: Fields that many maps of the API have, with values that servers add, or take for nothing.
EXTRA: Json = {
    "args": [],
    "env": [],
    "weight": 1,
    "protocol": "TCP",
    "kind": "Service",
    "group": "",
    "apiVersion": "v1",
    "labels": {},
    "optional": False,
    "value": "",
    "type": "Exact",
    "matches": [{"path": {"type": "PathPrefix", "value": "/"}}],
    "filters": [],
    "nodeSelector": {"disk": "fast"},
    "resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}},
    "securityContext": {},
    "minReadySeconds": 5,
    "path": {"type": "Exact", "value": "/x"},
    "interval": "60s",
    "failureMode": "FailOpen",
    "spare": "x",
    "numbers": [1, 2],
}


def _renamed(random: Random, item: Any) -> Any:
    if isinstance(item, dict):
        single = [name for name, value in item.items() if not isinstance(value, dict | list)]
        for name in ("name", "port", "containerPort", "uid", "mountPath", *single):
            if name in item:
                return {**item, name: _other(random, item[name])}
        return item
    return item if isinstance(item, list) else _other(random, item)


def _other(random: Random, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + random.choice([1, 7])
    return random.choice(["x", "other-1", f"{value}x", f"{value}-2"])


def _one(random: Random, manifest: Json, fits: Callable[[Any], bool]) -> Path | None:
    found = [path for path in places(manifest) if fits(value_at(manifest, path))]
    return random.choice(found) if found else None


Edit = Callable[[Random, Json], Json]
EDITS: dict[str, Edit] = {
    "drop": dropped,
    "vary": varied,
    "retype": retyped,
    "empty": emptied,
    "reorder": reordered,
    "extend": extended,
}
