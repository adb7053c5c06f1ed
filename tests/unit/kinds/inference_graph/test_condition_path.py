# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions that do not tell requests apart are told, and those that may are not."""

from __future__ import annotations

import pytest

from module_utils.kinds.inference_graph.condition_path import path_fault


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ('{"kind":kind}', "always taken"),
        ("[a,b]", "always taken"),
        ("$.instances", "is JSONPath"),
        ('kind=="cat"', "compares with =="),
        ("a > 1 && b", "compares with >"),
        ('instances.#(kind=="cat").name == "x"', "compares with =="),
        ('instances.#(kind=="cat"', "does not close it"),
        ('[@this].#(kind=="cat', "does not close it"),
        ('a.#(b.#(c=="(x)")', "does not close it"),
        ("@this.#(kind", "does not close it"),
    ],
)
def test_a_condition_that_tells_no_requests_apart_is_told(condition: str, words: str) -> None:
    assert words in path_fault(condition)


@pytest.mark.parametrize(
    "condition",
    [
        "kind",
        "instances.0.kind",
        '[@this].#(target=="cat")',
        'instances.#(kind=="cat")#.name',
        'a.#(b.#(c.#(d=="x")))',
        'a.#(kind==")(")',
        r'a.#(kind=="\")")',
        r"a\=b",
        "@this",
        '@pretty:{"indent":"#("}',
    ],
)
def test_a_condition_that_may_tell_requests_apart_is_left_alone(condition: str) -> None:
    assert not path_fault(condition)
