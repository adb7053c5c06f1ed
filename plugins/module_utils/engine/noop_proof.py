# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an apply would change nothing, proved from what was listed.

Four witnesses have to agree: the hash of the intent, the fields that we own, their values, and the order of our items. The rule
is sound and may be incomplete: any doubt means that the apply is sent, which costs a request; a wrong proof would lose a change.
An object that the server stores in another form than it was sent is proved by the mark of `settled` instead.
Source: docs/decisions.md; each known pitfall is a test of `test_noop_proof.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import Any

from ..kube import managed_fields
from ..kube.managed_fields import Fields
from ..kube.manifest import Json, put_at
from ..kube.problem import Problem
from ..kube.quantity import same_quantity
from . import INTENT_ANNOTATION, METADATA_ONLY, RELEASE_ANNOTATION, SETTLED_ANNOTATION
from .defaults import Defaults, defaults_of
from .desired import NOTES, SETTLED, TAKEN_BACK, Desired
from .unstable_fields import unstable_mark

#: What says nothing, and is stored as null or not at all.
EMPTY: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Rules:
    """How values are compared. lenient: what means the same is equal: empty and absent, `1000m` and `1`."""

    defaults: Defaults
    lenient: bool = False


def doubt(desired: Desired, live: Json, owner_uid: str) -> str | None:
    """Return why an apply has to be sent, or None where it is proved to change nothing.

    owner_uid: the uid of the parent, empty where the child carries no owner reference.
    """
    metadata = live["metadata"]
    if metadata.get("deletionTimestamp"):
        return "it is being deleted"
    annotations = metadata.get("annotations") or {}
    if annotations.get(INTENT_ANNOTATION) != desired.digest:
        return "this run's input, settings or release would change it"
    # What was made before releases were noted gets the note with the next write.
    noted = annotations.get(RELEASE_ANNOTATION)
    if noted and noted != desired.release:
        return f"it was made as release {noted}"
    entry = managed_fields.apply_entry(live, desired.manager)
    if entry is None:
        return "its managed fields hold no apply of ours"
    if entry.get("apiVersion") != desired.reference.api_version:
        return f"it was applied as {entry.get('apiVersion')}"
    if not entry.get("fieldsV1"):
        return "its managed fields do not say which fields are ours"
    mark = annotations.get(SETTLED_ANNOTATION, "")
    if mark and mark == unstable_mark(desired, live, owner_uid):
        return None
    rules = Rules(defaults_of(desired.reference.kind))
    return _unproved(desired.manifest(owner_uid), desired, live, entry["fieldsV1"], rules)


def kept_by_server(desired: Desired, live: Json, owner_uid: str) -> tuple[Problem, ...]:
    """Return a warning where the server keeps another value than we send: a webhook that changes it back each time."""
    mark = (live["metadata"].get("annotations") or {}).get(SETTLED_ANNOTATION)
    if not mark:
        return ()
    entry = managed_fields.apply_entry(live, desired.manager) or {}
    rules = Rules(defaults_of(desired.reference.kind), lenient=True)
    sent = desired.manifest(owner_uid)
    put_at(sent, SETTLED, mark)
    found = _unproved(sent, desired, live, entry.get("fieldsV1") or {}, rules)
    if found is None:
        return ()
    text = f"{desired.reference}: the server does not keep the values that were sent, {found}; look for a webhook, or for a feature that is switched off"
    return (Problem("", text, "warning", rule="server-mutated"),)


def _unproved(sent: Json, desired: Desired, live: Json, fields: Fields, rules: Rules) -> str | None:
    """Return the first field of which ownership, value or place are not as an apply of ours leaves them."""
    if (live["apiVersion"], live["kind"]) in METADATA_ONLY:
        # The rest is not read, and cannot change.
        live = {**sent, "metadata": live["metadata"]}
    ours = managed_fields.without(fields, [TAKEN_BACK, *NOTES, *desired.unclaimed])
    for note in desired.notes:
        sent["metadata"]["annotations"].pop(note)
    found = _map(managed_fields.tracked(sent), live, ours, rules)
    return None if found is None else found.lstrip(".")


# Each of these returns None, or the rest of a path and what is wrong there: `.image was changed`.


def _map(wanted: Json, live: Any, fields: Fields, rules: Rules) -> str | None:
    if not isinstance(live, dict):
        return " was removed"
    for name, value in wanted.items():
        below = fields.get(f"f:{name}")
        if below is None:
            return f".{name} is not ours any more"
        if name not in live:
            if rules.lenient and value in EMPTY:
                continue
            return f".{name} was removed"
        if found := _value(value, live[name], below, name, rules):
            return f".{name}{found}"
    if _steps(fields) == len(wanted):
        return None
    surplus = sorted(managed_fields.members(fields).keys() - wanted.keys())
    return (
        f".{surplus[0]} is owned but no longer wanted" if surplus else " is not recorded as a map"
    )


def _value(wanted: Any, live: Any, fields: Fields, name: str, rules: Rules) -> str | None:
    if not fields:
        return None if holds(live, wanted, name, rules) else " was changed"
    if isinstance(wanted, dict):
        return _map(wanted, live, fields, rules)
    if not isinstance(wanted, list):
        return " is recorded as more than a value"
    if not isinstance(live, list):
        return " was removed"
    if managed_fields.is_keyed(fields):
        return _keyed(wanted, live, fields, name, rules)
    if managed_fields.is_set(fields):
        return _set(wanted, live, fields)
    return " is recorded in an unknown form"


def _keyed(
    wanted: list[Any], live: list[Any], fields: Fields, name: str, rules: Rules
) -> str | None:
    owned = managed_fields.items(fields)
    if not len(wanted) == len(owned) == _steps(fields):
        return " holds other items than ours"
    names = tuple(owned[0][0])
    keys = [_key(key, names) for key, dummy in owned]
    there = [_key(item, names) for item in live]
    last = -1
    for item in wanted:
        key = _key(item, names)
        if key not in keys:
            # The server has completed it by a default, if it is one of them.
            key = _completed(item, [each for each, dummy in owned], names)
        if keys.count(key) != 1:
            return " has an item that is not ours any more"
        if there.count(key) != 1:
            return " lost an item"
        place, below = there.index(key), owned[keys.index(key)][1]
        if below and "." not in below:
            return " has an item that is not ours any more"
        if found := _value(item, live[place], below, name, rules):
            return f"[{','.join(map(str, key))}]{found}"
        if place < last:
            return " was put in another order"
        last = place
    return None


def _steps(fields: Fields) -> int:
    """Return how many members or items are recorded."""
    return len(fields) - ("." in fields)


def _key(item: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple([item.get(name) for name in names]) if isinstance(item, dict) else ()


def _completed(item: Any, keys: list[Json], names: tuple[str, ...]) -> tuple[Any, ...]:
    found = [key for key in keys if managed_fields.matches(key, item, defaulted=True)]
    return _key(found[0], names) if len(found) == 1 else ()


def _set(wanted: list[Any], live: list[Any], fields: Fields) -> str | None:
    owned = managed_fields.set_items(fields)
    if not len(wanted) == len(owned) == _steps(fields) or not all(item in owned for item in wanted):
        return " holds other items than ours"
    if not all(live.count(item) == 1 for item in wanted):
        return " lost an item"
    places = [live.index(item) for item in wanted]
    return None if places == sorted(places) else " was put in another order"


def holds(live: Any, wanted: Any, name: str, rules: Rules) -> bool:
    """Tell whether a live value is the wanted one, but for what the server adds by itself.

    name: the field that holds the value, or the list that it stands in. An apply replaces such a value as a whole, so anything
    more in it is a change.
    """
    # An empty map says nothing: what the server puts into it is its own default.
    if (
        rules.lenient
        and wanted in EMPTY
        and (live in EMPTY or (wanted == {} and isinstance(live, dict)))
    ):
        return True
    if isinstance(wanted, dict):
        return isinstance(live, dict) and _holds_map(live, wanted, name, rules)
    if isinstance(wanted, list):
        return (
            isinstance(live, list)
            and len(live) == len(wanted)
            and all(map(holds, live, wanted, repeat(name), repeat(rules)))
        )
    return _same(live, wanted, rules)


def _holds_map(live: Json, wanted: Json, name: str, rules: Rules) -> bool:
    for field, inner in wanted.items():
        if field not in live or not holds(live[field], inner, field, rules):
            return False
    for field, inner in live.items():
        if field in wanted:
            continue
        default = (name, field)
        if default not in rules.defaults or not _same(rules.defaults[default], inner, rules):
            return False
    return True


def _same(one: Any, other: Any, rules: Rules) -> bool:
    """Tell whether two values are equal; numbers by value, and true is not 1."""
    if one == other and isinstance(one, str):
        return True
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return bool(one == other) or (rules.lenient and same_quantity(one, other))
