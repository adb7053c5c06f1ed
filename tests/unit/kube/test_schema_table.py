# SPDX-License-Identifier: GPL-3.0-or-later
"""A table of types becomes the schemas that it says, and the table of pods is written as its tool writes it."""

from __future__ import annotations

import pytest

from module_utils.kube.schema import (
    Boolean,
    Integer,
    IntOrText,
    ListOf,
    MapOf,
    Object,
    QuantityValue,
    Schema,
    Text,
)
from module_utils.kube.schema_table import read_table

OTHER = Object(fields={"a": Text()})


@pytest.mark.parametrize(
    ("word", "schema"),
    [
        ("a", Text()),
        ("a=", Text(default="")),
        ("a=TCP", Text(default="TCP")),
        ("a:bool=false", Boolean(default=False)),
        ("a:int32", Integer()),
        ("a:int64", Integer(bits=64)),
        ("a:int-or-text", IntOrText()),
        ("a:quantity", QuantityValue()),
        ("a:map", MapOf(values=Text())),
        ("a:map-atomic", MapOf(values=Text(), atomic=True)),
        ("a:quantities", MapOf(values=QuantityValue())),
        ("a:text[]", ListOf(items=Text())),
        ("a:int32-set", ListOf(items=Integer(), unique=True)),
        ("a:Other[name]", ListOf(items=OTHER, keys=("name",), title="name")),
        ("a:Other[b,c]", ListOf(items=OTHER, keys=("b", "c"))),
        ("a:Later", Object(fields={"b": Text()}, required=("b",), atomic=True)),
    ],
)
def test_a_word_of_the_table_is_a_field(word: str, schema: Schema) -> None:
    types = read_table(f"First  {word}\nLater atomic  b!\n", {"Other": OTHER})
    assert types["First"].fields["a"] == schema


def test_a_line_goes_on_and_what_is_required_is_sorted() -> None:
    types = read_table("First  b! a!\n  c\nEmpty\n", {})
    assert list(types["First"].fields) == ["b", "a", "c"]
    assert types["First"].required == ("a", "b")
    assert types["Empty"] == Object(fields={})
