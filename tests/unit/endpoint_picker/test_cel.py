# SPDX-License-Identifier: GPL-3.0-or-later
"""CEL expressions compile here if and only if they do for the picker (cel-go judged each of these)."""

from __future__ import annotations

import contextlib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.endpoint_picker.check import Report, check_document
from module_utils.endpoint_picker.releases import release_of
from module_utils.endpoint_picker.rules import expressions
from module_utils.endpoint_picker.rules.expressions import NotJudgedError, compile_fault


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
    assert compile_fault(text) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "<EOF>"),
        ("usage.", "no viable alternative"),
        ("1 +", "<EOF>"),
        ("prompt_tokens", "undeclared reference to 'prompt_tokens'"),
        ("usage.x + foo(1)", "undeclared reference to 'foo'"),
        ('1 + "a"', "'_+_' applied to '(int, string)'"),
        ("1 < 2.0", "'_<_' applied to '(int, double)'"),
        ("usage + 1", "'_+_' applied to '(map(string, dyn), int)'"),
        ("usage[0]", "'_[_]' applied to '(map(string, dyn), int)'"),
        ('"a".b', "'string' cannot be the operand of a select"),
        ("1 ? 2 : 3", "'(int, int, int)'"),
        ("true ? 1 : 'a'", "'(bool, int, string)'"),
        ("has(usage)", "must be a field selection"),
        ("usage.all(1, true)", "must be a simple identifier"),
        ("usage.x.filter(i, 1)", "found no matching overload"),
        ("size(1)", "'size' applied to '(int)'"),
        ("for", "reserved identifier: for"),
        ("'\\q'", "token recognition error"),
        ("a = 1", "token recognition error"),
        ("99999999999999999999", "invalid int literal"),
    ],
)
def test_what_does_not_compile_says_where_and_why(text: str, said: str) -> None:
    assert said in compile_fault(text)


@given(st.text(alphabet="usage.x1 +-*/%&|!?:<>=()[]{}'\",in", max_size=30))
def test_any_text_gets_an_answer(text: str) -> None:
    with contextlib.suppress(NotJudgedError):
        compile_fault(text)


def test_what_is_deeper_than_the_library_reads_is_not_judged() -> None:
    with pytest.raises(NotJudgedError, match="recursion limit"):
        compile_fault("(" * 100 + "1" + ")" * 100)


def check(target: str, **attribute: str) -> Report:
    reporter = {
        "type": "request-attribute-reporter",
        "parameters": {"attributes": [{"key": {"name": "cost"}, **attribute}]},
    }
    return check_document({"plugins": [reporter]}, release_of(target))


@pytest.mark.parametrize("target", ["gaie:1.4", "llmd:0.10"])
@pytest.mark.parametrize("key", ["expression", "condition"])
def test_an_expression_that_does_not_compile_keeps_the_picker_from_starting(
    key: str, target: str
) -> None:
    report = check(target, **{"expression": "usage.total_tokens", key: "total_tokens"})
    assert report.verdict == "reject"
    (error,) = report.errors
    assert error.path == f"plugins[0].parameters.attributes[0].{key}"


def test_without_the_library_nothing_is_said_of_an_expression_but_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [*sys.modules]:
        if name.partition(".")[0] == "cel_expr_python":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cel_expr_python", None)
    expressions._environment.cache_clear()
    report = check("llmd:0.10", expression="total_tokens +")
    assert report.verdict == "accept"
    (told,) = [each for each in report.findings if each.rule == "expression-not-judged"]
    assert told.severity == "info"
    assert told.path == "plugins[0].parameters.attributes[0].expression"
    assert "cel-expr-python is not installed" in told.message
