# SPDX-License-Identifier: GPL-3.0-or-later
"""CEL expressions compile here if and only if they do for the picker (cel-go judged each of these)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.modelops.inference.plugins.module_utils.endpoint_picker.cel.compiler import (
    compile_fault,
)
from ansible_collections.modelops.inference.plugins.module_utils.endpoint_picker.check import (
    check_document,
)
from ansible_collections.modelops.inference.plugins.module_utils.endpoint_picker.releases import (
    release_of,
)

USAGE = {"usage": "struct"}


@pytest.mark.parametrize(
    "text",
    [
        "usage.prompt_tokens + 2 * usage.completion_tokens",
        "int(usage.prompt_tokens) % 7",
        'has(usage.details.cached) ? usage["total"] : 0',
        "usage.items.all(i, i > 0) && !usage.items.exists(i, i == 3)",
        "usage.m.map(k, k + 1).filter(k, k < 5).size() > 0",
        "[1, 2].exists_one(i, i == 1)",
        '"abc".startsWith("a") || "b" in ["b",]',
        'duration("1s") + duration("2s") > duration("1s")',
        '{"a": 1}.a == 1',
        "r'\\d' == '\\n' // a comment",
        "--usage.x == 1.5e3",
        "type(1) == int",
        "int(null)",
    ],
)
def test_what_compiles(text: str) -> None:
    assert compile_fault(text, USAGE) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the end"),
        ("usage.", "no name of a field"),
        ("1 +", "the end"),
        ("prompt_tokens", "prompt_tokens is not declared; known are usage"),
        ("usage.x + foo(1)", "no function foo"),
        ('1 + "a"', "no + for int and string"),
        ("1 < 2.0", "no < for int and double"),
        ("usage + 1", "no + for struct and int"),
        ("usage[0]", "struct cannot be indexed by int"),
        ('"a".b', "string has no fields"),
        ("1 ? 2 : 3", "no bool"),
        ("true ? 1 : 'a'", "one branch is int, the other string"),
        ("has(usage)", "has() wants a field"),
        ("usage.all(1, true)", "name of an element"),
        ("usage.x.filter(i, 1)", "wants a bool"),
        ("size(1)", "no size for int"),
        ("for", "reserved"),
        ("'\\q'", "begins no word"),
        ("a = 1", "'=' begins no word"),
        ("99999999999999999999", "too large"),
        ("(" * 500, "too deep"),
    ],
)
def test_what_does_not_compile_says_where_and_why(text: str, said: str) -> None:
    assert said in str(compile_fault(text, USAGE))


@given(st.text(alphabet="usage.x1 +-*/%&|!?:<>=()[]{}'\",in", max_size=30))
def test_any_text_gets_an_answer(text: str) -> None:
    compile_fault(text, USAGE)


@pytest.mark.parametrize("key", ["expression", "condition"])
def test_an_expression_that_does_not_compile_keeps_the_picker_from_starting(key: str) -> None:
    attribute = {"key": {"name": "cost"}, "expression": "usage.total_tokens", key: "total_tokens"}
    reporter = {"type": "request-attribute-reporter", "parameters": {"attributes": [attribute]}}
    for target in ("gaie:1.4", "llmd:0.10"):
        report = check_document({"plugins": [reporter]}, release_of(target))
        assert report.verdict == "reject"
        (error,) = report.errors
        assert error.path == f"plugins[0].parameters.attributes[0].{key}"
