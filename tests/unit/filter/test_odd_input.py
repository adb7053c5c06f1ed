# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a filter gets, it gives a value, or an error that begins with its name and says what is wrong."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

FILES = sorted(
    path.stem for path in (Path(__file__).parents[3] / "plugins" / "filter").glob("*.py")
)
FILTERS: dict[str, Callable[..., Any]] = {
    name: function
    for file in FILES
    for name, function in import_module(
        f"ansible_collections.modelops.inference.plugins.filter.{file}"
    )
    .FilterModule()
    .filters()
    .items()
}
LLM = {"apiVersion": "serving.kserve.io/v1alpha1", "kind": "LLMInferenceService"}
ODD: dict[str, Any] = {
    "null": None,
    "empty text": "",
    "zero": 0,
    "negative": -1,
    "fraction": 1.5,
    "no number": float("nan"),
    "infinite": float("inf"),
    "enormous": 10**400,
    "switch": True,
    "empty list": [],
    "empty map": {},
    "nested lists": [[[["a"]]]],
    "list of null": [None],
    "list of maps": [{}],
    "null in a map": {"a": None},
    "number as key": {1: 2},
    "unicode": "é\u0000\n模",
    "half a character": "\ud800",
    "huge": "x" * 50_000,
    "bytes": b"abc",
    "set": {1},
    "object": object(),
    "number for a version": {"apiVersion": 1},
    "parts of no kind": {**LLM, "metadata": None, "spec": []},
    "name of no kind": {**LLM, "metadata": {"name": None}, "spec": {"model": 3}},
    "fields of no kind": {**LLM, "metadata": {"name": "x"}, "spec": {"model": {"uri": 1}, "router": []}},
}  # fmt: skip


def _calls(function: Callable[..., Any], odd: Any) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Yield calls in which one argument after the other is odd, and the rest is a plain text."""
    parameters = list(inspect.signature(function).parameters.values())
    needed = sum(1 for each in parameters if each.default is each.empty)
    for number, parameter in enumerate(parameters):
        arguments: list[Any] = ["chat"] * needed
        if number < needed:
            arguments[number] = odd
            yield arguments, {}
        else:
            yield arguments, {parameter.name: odd}


def _told(function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> str:
    """Return the text of a filter's error, empty where it gives a value. Any other error is one of the filter."""
    try:
        function(*arguments, **options)
    except AnsibleFilterError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", sorted(FILTERS))
@pytest.mark.parametrize("odd", ODD)
def test_odd_input_ends_with_a_value_or_an_error_of_the_filter(name: str, odd: str) -> None:
    for arguments, options in _calls(FILTERS[name], ODD[odd]):
        told = _told(FILTERS[name], arguments, options)
        assert told == "" or told.startswith(f"{name}: ")
