# SPDX-License-Identifier: GPL-3.0-or-later
"""Every place of a live object that holds a value of ours, and every field that our entry records: what can go wrong there.

Found by comparing what was sent with what is there, without the rules that are under test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from module_utils.engine import FIELD_MANAGER
from module_utils.kube.manifest import Json

from .recorded import Case

Path = tuple[str | int, ...]
#: What no object lacks.
WHOLE: tuple[Path, ...] = ((), ("metadata",))


@dataclass(frozen=True, slots=True)
class Spot:
    """A value in a live object. path: the keys and indices that lead to it."""

    path: Path

    def container(self, live: Json) -> Any:
        """Return the map or list that holds the value."""
        target: Any = live
        for step in self.path[:-1]:
            target = target[step]
        return target

    def value(self, live: Json) -> Any:
        """Return the value."""
        return self.container(live)[self.path[-1]]

    def put(self, live: Json, value: Any) -> None:
        """Change the value."""
        self.container(live)[self.path[-1]] = value

    def remove(self, live: Json) -> None:
        """Take the value out of its map or list."""
        del self.container(live)[self.path[-1]]


def sent(case: Case) -> Json:
    """Return what is sent and read back: the metadata of a Secret, all of another object; never what names it."""
    manifest = case.desired.manifest(case.uid)
    metadata = {
        name: value
        for name, value in manifest.pop("metadata").items()
        if name not in ("name", "namespace")
    }
    body = {} if manifest["kind"] == "Secret" else manifest
    return {
        "metadata": metadata,
        **{name: value for name, value in body.items() if name not in ("apiVersion", "kind")},
    }


@cache
def values(case: Case) -> list[Spot]:
    """Return the place of each single value that we sent."""
    return [Spot(path) for path, found in _places(sent(case), case.live, ()) if not _nested(found)]


@cache
def things(case: Case) -> list[Spot]:
    """Return the place of each value, map and list that we sent."""
    return [Spot(path) for path, _found in _places(sent(case), case.live, ()) if path not in WHOLE]


@cache
def lists(case: Case) -> list[tuple[Spot, tuple[int, int]]]:
    """Return each list of which two neighbours of ours can be swapped, with their places."""
    found = []
    for path, inner in _places(sent(case), case.live, ()):
        live = Spot(path).value(case.live) if path else None
        if isinstance(inner, list) and isinstance(live, list):
            ours = [match(item, live) for item in inner]
            found += [
                (Spot(path), (one, other))
                for one, other in pairwise(ours)
                if live[one] != live[other]
            ]
    return found


def _nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _places(wanted: Any, live: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield where each part of what is wanted stands in the live object, with what is wanted there."""
    yield path, wanted
    if isinstance(wanted, dict):
        for name, inner in wanted.items():
            yield from _places(inner, live[name], (*path, name))
    elif isinstance(wanted, list):
        for item in wanted:
            place = match(item, live)
            yield from _places(item, live[place], (*path, place))


def match(wanted: Any, live: list[Any]) -> int:
    """Return which live item is the wanted one, by its name, else by all that it holds."""
    for place, item in enumerate(live):
        named = isinstance(wanted, dict) and "name" in wanted
        if (item.get("name") == wanted["name"]) if named else _holds(item, wanted):
            return place
    raise LookupError(f"{wanted} is not there")


def _holds(live: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict) and isinstance(live, dict):
        return all(name in live and _holds(live[name], inner) for name, inner in wanted.items())
    if isinstance(wanted, list) and isinstance(live, list):
        return len(live) == len(wanted) and all(map(_holds, live, wanted))
    return bool(live == wanted)


def entry(live: Json) -> Json:
    """Return our entry of a live object's managed fields."""
    entries: list[Json] = live["metadata"]["managedFields"]
    return next(
        each for each in entries if each["manager"] == FIELD_MANAGER and not each.get("subresource")
    )


@cache
def recorded_fields(case: Case) -> list[tuple[str, ...]]:
    """Return the path of each leaf of our entry that another manager can take, what nobody claims apart."""
    unclaimed = {tuple(f"f:{step}" for step in path) for path in case.desired.unclaimed}
    return [path for path in _leaves(entry(case.live)["fieldsV1"], ()) if path not in unclaimed]


def _leaves(fields: Json, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for step, below in fields.items():
        if step == ".":
            continue
        if below:
            yield from _leaves(below, (*path, step))
        else:
            yield (*path, step)


def lose(fields: Json, path: tuple[str, ...]) -> None:
    """Take a leaf out of an entry, and what is empty without it, as the server does."""
    head, *rest = path
    if rest:
        lose(fields[head], tuple(rest))
    if not rest or not set(fields[head]) - {"."}:
        del fields[head]
