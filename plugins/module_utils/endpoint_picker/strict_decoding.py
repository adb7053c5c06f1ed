# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a document has the fields and the kinds of value that a release reads, as Go's strict JSON decoding decides it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Set

from ..kube.did_you_mean import nearest
from ..kube.manifest import Json
from ..kube.quantity import canonical_quantity, is_quantity
from .field_hints import homes, moved
from .findings import Finding, Value, refusal, unknown
from .releases import KIND, NEXT_API_VERSION, Generation, PickerRelease, releases
from .schema import Field, Fields, ListOf, fields_of, has_field
from .text.decode import JsonNumber
from .text.durations import canonical_duration, parse_duration

_WORD = {
    bool: "true or false",
    str: "text",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a map",
}

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_WANTED = {
    "string": "text",
    "strings": "a list of texts",
    "map": "a map of texts",
    "object": "a map",
    "bool": "true or false",
    "switch": "true or false",
    "int": "a whole number",
    "number": "a number",
    "quantity": "a quantity such as 1Gi",
    "duration": "a duration such as 30s",
    "set-duration": "a duration such as 200ms",
}


#: What is written as a text, too, so that its form is wrong and not its type.
_OF_TEXT = ("quantity", "duration", "set-duration")


def decoding_faults(document: Value, release: PickerRelease) -> Iterator[Finding]:
    """Yield what keeps a release from decoding a document. An empty document (None) has no faults."""
    if document is None:
        return
    if not isinstance(document, dict):
        yield refusal(
            "document-not-a-map",
            "",
            document,
            f"the document is {_kind(document)}, not a map",
            f"write a map with kind: {KIND}",
        )
        return
    yield from _identity_faults(document, release)
    yield from _number_faults(document, "")
    yield from _struct_faults(document, fields_of(release.generation), "", release)


def cleaned(document: Value, generation: Generation) -> Json:
    """Return a document without faults as the decoder holds it: without fields that are null, empty text, or a switch that is off."""
    unset = _UNSET_WHEN_EMPTY | ({"sources"} if generation >= Generation.V0_9 else set())
    fields = fields_of(generation)
    return _clean_struct(document if isinstance(document, dict) else {}, fields, unset)


def wanted_kind(leaf: str) -> str:
    """Return what a field takes, in words."""
    return _WANTED.get(leaf, "any value")


def is_number_text(value: Value) -> bool:
    """Return whether a value is a number that is in quotes."""
    return isinstance(value, str) and _NUMBER.fullmatch(value) is not None


def fits(value: Value, leaf: str) -> bool:
    """Whether a value can be decoded into a field. Null always can, except where it has to be a duration."""
    if value is None:
        return leaf != "set-duration"
    match leaf:
        case "string":
            return isinstance(value, str)
        case "strings":
            return isinstance(value, list) and all(
                item is None or isinstance(item, str) for item in value
            )
        case "map":
            return isinstance(value, dict) and all(
                item is None or isinstance(item, str) for item in value.values()
            )
        case "object":
            return isinstance(value, dict)
        case "bool" | "switch":
            return isinstance(value, bool)
        case "int":
            return _is_integer(value)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "quantity":
            return _is_quantity(value)
        case "duration" | "set-duration":
            return isinstance(value, str) and parse_duration(value) is not None
    return True


def _is_integer(value: Value) -> bool:
    if isinstance(value, (bool, JsonNumber)):
        return False
    if isinstance(value, float):
        return value.is_integer() and -(2**63) <= value < 2**63
    return isinstance(value, int) and -(2**63) <= value < 2**63


def _is_quantity(value: Value) -> bool:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return False
    return is_quantity(_quantity_text(value))


def _quantity_text(value: str | float) -> str:
    if isinstance(value, JsonNumber):
        return value.text
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return str(value).strip()


def _identity_faults(document: Json, release: PickerRelease) -> Iterator[Finding]:
    api_version, kind = document.get("apiVersion") or "", document.get("kind") or ""
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return
    group, dummy, version = api_version.rpartition("/")
    if group and not version:
        # The decoder fills in the version of a group that ends in a slash.
        api_version = f"{group}/v1alpha1"
    if api_version not in ("", "/", *release.api_versions):
        fitting = [name for name, other in releases().items() if api_version in other.api_versions]
        yield refusal(
            "api-version",
            "apiVersion",
            api_version,
            f"{release.target} does not know this apiVersion"
            + (f"; it belongs to {', '.join(fitting)}" if fitting else _to_come(api_version)),
            f"write {release.api_versions[0]}, with the fields of that version",
        )
    if kind not in ("", KIND):
        whole = kind in ("ConfigMap", "Secret")
        way = (
            f"give the text in its data, and not the {kind} around it" if whole else f"write {KIND}"
        )
        yield refusal("kind", "kind", kind, f"the picker reads only kind {KIND}", way)


def _to_come(api_version: str) -> str:
    """Return what is known of an apiVersion that no release reads yet."""
    if api_version != NEXT_API_VERSION:
        return ""
    return (
        "; it is announced for pickers after llm-d 0.11, with dataLayer.discovery.endpoints.pluginRef in the place of "
        "dataLayer.discovery.pluginRef, and dataLayer.crossReplica in that of the two keys that begin so"
    )


def _number_faults(value: Value, path: str) -> Iterator[Finding]:
    """Yield numbers that JSON, through which every value goes, does not have."""
    if isinstance(value, float) and not math.isfinite(value):
        yield refusal(
            "number-not-finite",
            path,
            str(value),
            "the picker cannot read this number",
            "write a finite number",
        )
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _number_faults(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _number_faults(item, f"{path}[{index}]")


def _struct_faults(
    value: Json, fields: Fields, path: str, release: PickerRelease
) -> Iterator[Finding]:
    for key, item in value.items():
        here = f"{path}.{key}" if path else str(key)
        field = fields.get(key)
        if field is None:
            yield _unknown(key, here, fields, release)
        else:
            yield from _field_faults(item, field, here, release)


def _field_faults(
    value: Value, field: Field, path: str, release: PickerRelease
) -> Iterator[Finding]:
    if isinstance(field, str):
        if not fits(value, field):
            yield _wrong_kind(value, field, path, release)
    elif value is None:
        return
    elif isinstance(field, ListOf):
        if not isinstance(value, list):
            yield _wrong_kind(value, "a list", path, release)
            return
        for index, item in enumerate(value):
            yield from _field_faults(item, field.fields, f"{path}[{index}]", release)
    elif not isinstance(value, dict):
        yield _wrong_kind(value, "a map", path, release, tuple(field))
    else:
        yield from _struct_faults(value, field, path, release)


def _wrong_kind(
    value: Value, wanted: str, path: str, release: PickerRelease, fields: tuple[str, ...] = ()
) -> Finding:
    words = _WANTED.get(wanted, wanted)
    if wanted in ("int", "number") and is_number_text(value):
        return refusal(
            "field-kind",
            path,
            value,
            f"this is text, but {words} is expected",
            f"write {value} without quotes",
        )
    if wanted == "int" and path.endswith(".weight"):
        return refusal(
            "weight-whole",
            path,
            value,
            f"{release.target} takes whole numbers for weights, and {value} is none; fractions come with 1.4 (llm-d 0.6)",
            "multiply all weights of the profile until they are whole",
        )
    fix = f"write {words}{f' with {fields[0]}' if fields else ''}"
    if wanted == "string" and isinstance(value, bool):
        fix = "quote it: y, n, yes, no, on and off are booleans for the picker"
    elif wanted == "string":
        fix = "quote it"
    said = f"this is {_kind(value)}, but {words} is expected"
    if isinstance(value, str) and wanted in _OF_TEXT:
        said = f'"{value}" is not {words}'
    return refusal("field-kind", path, value, said, fix)


def _kind(value: Value) -> str:
    return "null" if value is None else _WORD.get(type(value), "a number")


def _unknown(key: str, path: str, fields: Fields, release: PickerRelease) -> Finding:
    elsewhere = _targets_with_field(path)
    if elsewhere:
        message = f"{release.target} has no such field; it is known to {', '.join(elsewhere)}"
        fix = moved(path, release) or "delete it, or migrate the configuration"
        return refusal("field-unknown", path, key, message, fix)
    hint = nearest(key, fields)
    home = next(homes(key, fields_of(release.generation)), "")
    known = (
        f"{f'it belongs in {home}' if home else 'delete it'}; known here are {', '.join(fields)}"
    )
    return unknown(
        "field-unknown",
        path,
        key,
        "no release has such a field here",
        f"did you mean {hint}?" if hint else known,
        sure=release.judged,
    )


def _targets_with_field(path: str) -> list[str]:
    steps = [step.split("[")[0] for step in path.split(".")]
    return [
        target
        for target, release in releases().items()
        if has_field(fields_of(release.generation), steps)
    ]


def _clean_struct(value: Json, fields: Fields, unset: Set[str]) -> Json:
    result: Json = {}
    for key, item in value.items():
        # Of a release that was not run, a field may be unknown here, and is left out.
        field = fields.get(key)
        if field is None:
            continue
        if field == "any":
            if item is not None:
                result[key] = _without_nulls(item)
        elif not _is_unset(item, field) and not (item == [] and key in unset):
            result[key] = _clean(item, field, unset)
    return result


#: Lists that are as if they were not given while they are empty.
_UNSET_WHEN_EMPTY = frozenset({"featureGates", "parsers", "priorityBands"})


def _is_unset(value: Value, field: Field) -> bool:
    """Whether a field is as if it were not given."""
    return value is None or value == "" or (field == "switch" and value is False)


def _without_nulls(value: Value) -> Value:
    """Return parameters without keys that are null, which stand for "not given"."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value


def _canonical(quantity: str) -> str:
    try:
        return canonical_quantity(quantity)
    except ValueError:
        # Beyond the largest suffix there is no shorter way to write it.
        return quantity


def _clean(value: Value, field: Field, unset: Set[str]) -> Value:
    if field in ("int", "number") and isinstance(value, float) and value.is_integer():
        return int(value)
    if field == "quantity":
        return _canonical(_quantity_text(value))
    if field in ("duration", "set-duration"):
        return canonical_duration(value)
    if field == "strings":
        return [item or "" for item in value]
    if isinstance(field, str):
        return value
    if isinstance(field, ListOf):
        return [_clean_struct(item or {}, field.fields, unset) for item in value]
    return _clean_struct(value, field, unset)
