# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of plugins: which keys a release reads, and what it makes of the ones that it is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import cast

from ...kube.did_you_mean import nearest
from ...kube.manifest import Json
from ..findings import Finding, Value, refusal, unknown, warning
from ..releases import Generation, PickerRelease, generation_named
from ..schema import Field, Fields, ListOf, has_field
from ..strict_decoding import fits, is_number_text, wanted_kind
from .parameter_table import TABLE

#: Types that take no keys, and say so.
_KEYLESS_READERS = frozenset({"soft-reflective-ceiling-policy"})


@cache
def parameters_of(type_name: str, generation: Generation) -> Fields:
    """Return the keys that a type reads in a generation. Empty: it never looks at its parameters."""
    root: dict[str, Field] = {}
    for kind, since, until, path in _table().get(type_name, ()):
        if since <= generation <= until:
            _insert(root, path.split("."), kind)
    return _finished(root)


def reads_parameters(type_name: str, release: PickerRelease) -> bool:
    """Whether a type looks at its parameters at all."""
    return bool(parameters_of(type_name, release.generation)) or type_name in _KEYLESS_READERS


def parameter_faults(
    value: Value, type_name: str, path: str, release: PickerRelease
) -> Iterator[Finding]:
    """Yield what is wrong with a plugin's parameters by their keys and kinds of value."""
    if value is None:
        return
    if not reads_parameters(type_name, release):
        if value:
            yield warning(
                "parameters-ignored",
                path,
                value,
                f"{type_name} reads no parameters in {release.target}; they are ignored",
                "delete them",
            )
        return
    if not isinstance(value, dict):
        yield refusal(
            "parameters-kind",
            path,
            value,
            f"the parameters of {type_name} have to be a map",
            "write a map of keys and values",
        )
        return
    yield from _struct(
        value, parameters_of(type_name, release.generation), path, type_name, release
    )


def read_parameters(value: Value, type_name: str, release: PickerRelease) -> Value:
    """Return of a plugin's parameters those that a release reads."""
    return _read(value, parameters_of(type_name, release.generation))


def _read(value: Value, field: Field) -> Value:
    if isinstance(field, ListOf):
        return [_read(item, field.fields) for item in value] if isinstance(value, list) else value
    if isinstance(field, str) or not isinstance(value, dict):
        return value
    names = {key: key if key in field else _folded(key, field) for key in value}
    return {
        key: _read(item, field[name])
        for key, item in value.items()
        if (name := names[key]) is not None
    }


def _struct(
    value: Json, fields: Fields, path: str, type_name: str, release: PickerRelease
) -> Iterator[Finding]:
    for key, item in value.items():
        here = f"{path}.{key}"
        name = key if key in fields else _folded(key, fields)
        if name is None:
            yield _unknown(key, here, fields, type_name, release)
        else:
            yield from _field(item, fields[name], here, type_name, release)


def _field(
    value: Value, field: Field, path: str, type_name: str, release: PickerRelease
) -> Iterator[Finding]:
    if value is None:
        return
    if isinstance(field, ListOf):
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from _field(item, field.fields, f"{path}[{index}]", type_name, release)
        else:
            yield _wrong_kind(value, "a list", path, type_name)
    elif isinstance(field, str):
        if not fits(value, field):
            yield _wrong_kind(value, wanted_kind(field), path, type_name)
    elif isinstance(value, dict):
        yield from _struct(value, field, path, type_name, release)
    else:
        yield _wrong_kind(value, "a map", path, type_name)


#: What is written without quotes.
_NUMBERS = ("a whole number", "a number")


def _wrong_kind(value: Value, wanted: str, path: str, type_name: str) -> Finding:
    unquoted = wanted in _NUMBERS and is_number_text(value)
    fix = f"write {value} without quotes" if unquoted else f"write {wanted}"
    return refusal("parameter-kind", path, value, f"{type_name} expects {wanted} here", fix)


def _unknown(
    key: str, path: str, fields: Fields, type_name: str, release: PickerRelease
) -> Finding:
    hint = nearest(key, fields)
    fix = f"did you mean {hint}?" if hint else f"delete it; {type_name} reads {_list(fields)}"
    other = _HANDED_ON.get(type_name, "")
    if key in parameters_of(other, release.generation):
        fix = f"declare {other}, and give it {key}; {type_name} reads {_list(fields)}"
    if release.strict_parameters:
        message = f"{type_name} has no such parameter in {release.target}, which stops the picker"
        sure = release.judged or _was_read(path, type_name)
        return unknown("parameter-unknown", path, key, message, fix, sure=sure)
    message = f"{type_name} has no such parameter in {release.target}; it is ignored"
    return warning("parameter-unknown", path, key, message, fix)


#: Plugins whose work and parameters another one took over.
_HANDED_ON = {
    "prefix-cache-scorer": "approx-prefix-cache-producer",
    "precise-prefix-cache-scorer": "precise-prefix-cache-producer",
    "active-request-scorer": "inflight-load-producer",
}


def _was_read(path: str, type_name: str) -> bool:
    """Whether any release reads the parameter at a path."""
    steps = [step.split("[")[0] for step in path.partition(".parameters.")[2].split(".")]
    return any(has_field(parameters_of(type_name, each), steps) for each in Generation)


def _list(fields: Fields) -> str:
    return ", ".join(sorted(fields)) or "no parameters"


def _folded(key: str, fields: Fields) -> str | None:
    """Return the field that Go's decoder takes a key for: inside parameters the case of letters does not matter."""
    return next((name for name in fields if name.casefold() == key.casefold()), None)


@cache
def _table() -> Mapping[str, list[tuple[str, Generation, Generation, str]]]:
    rows: dict[str, list[tuple[str, Generation, Generation, str]]] = {}
    types: list[str] = []
    for line in TABLE.strip().splitlines():
        if line.startswith("["):
            types = line[1:-1].split()
            continue
        kind, generations, *paths = line.split()
        since, until = generations.split("..")
        last = generation_named(until) if until else max(Generation)
        for type_name in types:
            rows.setdefault(type_name, []).extend(
                (kind, generation_named(since), last, path) for path in paths
            )
    return rows


def _insert(root: dict[str, Field], steps: list[str], kind: str) -> None:
    """Put one key of the table into a tree in which containers are maps, those of lists under a key that ends in []."""
    *parents, last = steps
    below = root
    for step in parents:
        below = cast("dict[str, Field]", below.setdefault(step, {}))
    if kind in ("object", "list"):
        below.setdefault(last if kind == "object" else f"{last}[]", {})
    else:
        below[last] = cast("Field", {"strings": "map"}.get(kind, kind))


def _finished(tree: Mapping[str, Field]) -> Fields:
    """Return the tree with lists as such, and with containers without keys as what they are."""
    result: dict[str, Field] = {}
    for key, field in tree.items():
        if isinstance(field, str):
            result[key] = field
            continue
        below = _finished(cast("Mapping[str, Field]", field))
        if key.endswith("[]"):
            result[key[:-2]] = ListOf(below) if below else "strings"
        else:
            result[key] = below or cast("Field", "object")
    return result
