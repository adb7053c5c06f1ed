# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task is given becomes plain data before it is used: YAML dumpers stumble over Ansible's own types."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest
import yaml
from ansible.utils.unsafe_proxy import wrap_var
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.modelops.inference.plugins.plugin_utils.arguments import plain
from tests.unit.kinds.model_service.build import document

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


class _Text(str):
    """Text as ansible-core hands it over: it says of itself that it is something else."""

    def __str__(self) -> str:  # pylint: disable=invalid-str-returned
        return self


class _Number(int):
    """A number that carries where it came from."""


class _Fraction(float):
    """A fraction that carries where it came from."""


def _tagged(value: Any) -> Any:
    match value:
        case dict():
            return OrderedDict((_Text(key), _tagged(item)) for key, item in value.items())
        case list():
            return tuple(_tagged(item) for item in value)
        case str():
            return _Text(value)
        case bool() | None:
            return value
        case int():
            return _Number(value)
        case float():
            return _Fraction(value)
        case _:
            return value


def _parts(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _parts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _parts(item)


@given(VALUES)
def test_everything_within_is_plain_and_equal(value: Any) -> None:
    found = plain(_tagged(value))
    assert found == value
    assert {part.__class__ for part in _parts(found)} <= {
        dict,
        list,
        str,
        int,
        float,
        bool,
        type(None),
    }


@pytest.mark.parametrize("wrap", [wrap_var, _tagged])
def test_service_from_a_template_can_be_written_as_yaml(wrap: Any) -> None:
    found = plain(wrap(document()))
    assert yaml.safe_load(yaml.safe_dump(found)) == document()


def test_mapping_of_any_sort_is_a_map() -> None:
    assert plain(MappingProxyType({"a": MappingProxyType({})})) == {"a": {}}


def test_bool_stays_a_bool() -> None:
    assert plain([True, False, 1, 0]) == [True, False, 1, 0]
    assert [each.__class__ for each in plain([True, 1])] == [bool, int]
