# SPDX-License-Identifier: GPL-3.0-or-later
"""Expressions of CEL: those that the API server takes have no fault, and what it refuses for its form has one."""

from __future__ import annotations

import pytest

from module_utils.kube.cel_syntax import cel_fault, words_of

RIGHT = (
    "device.driver == 'gpu.example.com'",
    'device.attributes["gpu.example.com"].productName.matches(r"^H[12]00$")',
    "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0",
    "!has(device.attributes['a.example.com'].b) || device.attributes['a.example.com'].b in [1, -2, 3u]",
    "size({'a': 1.5e3, 'b': 0x1F}) > 0 ? true : device.allowMultipleAllocations // why not",
    "cel.bind(d, device.attributes['a.example.com'], has(d.b) && d.b == 'x' + \"y\")",
    '"""several\nlines""" == b\'bytes\' && - -1 == 1',
    "['a', 'b'].exists(each, each == device.driver)",
    "device.?attributes[?'a'].orValue('') == ''",
)
WRONG = (
    ("", "empty"),
    ("device.driver = 'a'", "write =="),
    ("device.driver == 'a' and true", "write &&"),
    ("device.driver == 'a' & true", "write &&"),
    ("not device.ready", "write !"),
    ("device.driver == 'a", "no end"),
    ("(device.driver == 'a'", "never closed"),
    ("device.driver == 'a')", "closes nothing"),
    ("device.attributes['a'].b ==", "nothing on its right"),
    ("&& device.driver == 'a'", "nothing on its left"),
    ("device.driver == 'a' || && true", "nothing on its left"),
    ("device.driver === 'a'", "write =="),
    ("device.driver 'a'", "without an operator"),
    ("device.", "nothing on its right"),
)


@pytest.mark.parametrize("expression", RIGHT)
def test_an_expression_that_can_be_has_no_fault(expression: str) -> None:
    assert cel_fault(expression) == ""


@pytest.mark.parametrize(("expression", "says"), WRONG)
def test_what_is_no_expression_is_told(expression: str, says: str) -> None:
    assert says in cel_fault(expression)


def test_words_are_those_that_may_name_a_variable() -> None:
    assert words_of("gpu.memory >= quantity('4Gi') && f(x)") == {"gpu", "x"}
