# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of the wrong type, out of bounds, or misspelt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from module_utils.kube.schema import (
    Boolean,
    Integer,
    ListOf,
    MapOf,
    Object,
    QuantityValue,
    Schema,
    Text,
)

from .places import Place, Spoilt, dropped, put
from .registry import Service, mistake


def _of(service: Service, *kinds: type) -> Iterator[Place]:
    return (place for place in service.places if isinstance(place.schema, kinds))


def _with(
    service: Service, kinds: tuple[type, ...], value: Callable[[Any], Any]
) -> Iterator[Spoilt]:
    for place in _of(service, *kinds):
        yield Spoilt(put(service.document, place.steps, value(place.value)), (place.path,))


@mistake
def word_for_number(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (Integer,), lambda dummy: "four")


@mistake
def number_in_quotes(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (Integer,), str)


@mistake
def number_with_fraction(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (Integer,), lambda value: value + 0.5)


@mistake
def number_below_its_minimum(service: Service) -> Iterator[Spoilt]:
    for place in _of(service, Integer):
        low = _minimum(place.schema)
        if low is not None:
            yield Spoilt(put(service.document, place.steps, low - 1), (place.path,))


def _minimum(schema: Schema | None) -> int | None:
    return schema.minimum if isinstance(schema, Integer) else None


@mistake
def number_too_large(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (Integer,), lambda dummy: 2**63)


@mistake
def switch_in_quotes(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (Boolean,), lambda value: "yes" if value else "no")


@mistake
def number_for_text(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (Text,), lambda dummy: 8)


@mistake
def switch_for_text(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (Text,), lambda dummy: True)


@mistake
def list_for_text(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (Text,), lambda value: [value])


@mistake
def text_for_list(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (ListOf,), lambda value: str(value[0]) if value else "x")


@mistake
def map_for_list(service: Service) -> Iterator[Spoilt]:
    for place in _of(service, ListOf):
        first = place.value[0] if place.value else {}
        value = first if isinstance(first, dict) else {"item": first}
        yield Spoilt(put(service.document, place.steps, value), (place.path,))


@mistake
def list_for_map(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (Object, MapOf), lambda value: [value])


@mistake
def text_for_map(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (Object, MapOf), lambda dummy: "true")


@mistake
def word_misspelt(service: Service) -> Iterator[Spoilt]:
    for place in _of(service, Text):
        if isinstance(place.schema, Text) and place.schema.enum and len(place.value) > 2:
            value = f"{place.value[:2]}{place.value[1:]}"
            yield Spoilt(put(service.document, place.steps, value), (place.path,))


@mistake
def word_in_wrong_case(service: Service) -> Iterator[Spoilt]:
    for place in _of(service, Text):
        words = place.schema.enum if isinstance(place.schema, Text) else ()
        value = str(place.value).swapcase()
        if words and value not in words:
            yield Spoilt(put(service.document, place.steps, value), (place.path,))


@mistake
def amount_with_wrong_unit(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (QuantityValue,), lambda dummy: "16GB")


@mistake
def amount_with_blank(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (QuantityValue,), lambda dummy: "16 Gi")


@mistake
def amount_with_comma(service: Service) -> Iterator[Spoilt]:
    yield from _with(service, (QuantityValue,), lambda dummy: "1,5")


@mistake
def item_twice(service: Service) -> Iterator[Spoilt]:
    for place in _of(service, ListOf):
        keys = place.schema.keys if isinstance(place.schema, ListOf) else ()
        if keys and place.value:
            value = [*place.value, place.value[0]]
            where = f"{place.path}[{len(place.value)}]"
            yield Spoilt(put(service.document, place.steps, value), (where, place.path))


@mistake
def item_without_name(service: Service) -> Iterator[Spoilt]:
    for place in service.fields("name"):
        # KServe's webhook gives the first container of a component its name; a reference without one is told at its router.
        given = service.kind == "InferenceService" and place.steps[-2] == 0
        if isinstance(place.steps[-2], int) and not given and "refs" not in place.steps:
            yield Spoilt(dropped(service.document, place.steps), (place.path,))
