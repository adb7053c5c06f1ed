# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration text is read as Go reads it, where PyYAML or common sense would read something else."""

from __future__ import annotations

import math
from typing import Any

import pytest

from module_utils.endpoint_picker.text.decode import decode
from module_utils.endpoint_picker.text.durations import parse_duration
from module_utils.endpoint_picker.text.errors import DecodeError
from module_utils.endpoint_picker.text.yaml_scalars import plain_scalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("y", True),
        ("No", False),
        ("on", True),
        ("Null", None),
        ("", None),
        ("~", None),
        ("010", 8),
        ("08", 8.0),
        ("0o17", 15),
        ("0x10", 16),
        ("0b11", 3),
        ("1_000", 1000),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-.inf", -math.inf),
        ("12:30", "12:30"),
        ("2024-01-02", "2024-01-02"),
        ("1.2.3", "1.2.3"),
        ("18446744073709551616", 18446744073709551616.0),
        ("nope", "nope"),
        ("+", "+"),
    ],
)
def test_unquoted_scalars_mean_what_they_mean_to_go(text: str, value: Any) -> None:
    assert plain_scalar(text) == value
    assert type(plain_scalar(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('name: "y"', {"name": "y"}),
        ("name: !!str 5", {"name": "5"}),
        ("1: a\ntrue: b", {"1": "a", "true": "b"}),
        ("a: &x {b: 1}\nc: *x", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ("# {\na: 1", {"a": 1}),
        ('  {"a": 1}', {"a": 1}),
        ("a: |\n  text\n", {"a": "text\n"}),
        ("a: 1\n---\n{broken: [", {"a": 1}),
    ],
)
def test_documents(text: str, value: Any) -> None:
    assert decode(text).value == value
    assert decode(text.encode()).value == value


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
def test_encodings_with_a_mark_are_read(encoding: str) -> None:
    assert decode("a: ü\r\n".encode(encoding)).value == {"a": "ü"}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a: 1\na: 2", "document-duplicate-key"),
        ('{"a": 1, "a": 2}', "document-json"),
        ("{a: 1}", "document-json"),
        ('{"a": NaN}', "document-json"),
        ("a: [", "document-yaml"),
        ("a: \x01", "document-yaml"),
        ("\tb: 1", "document-yaml"),
        ("a: *nobody", "document-alias"),
        ("a: &x [*x]", "document-alias"),
        ("a: {<<: 5}", "document-merge"),
        ("? [a]\n: b", "document-key"),
        ("a: !!int text", "document-tag"),
        ("a: !!binary '%'", "document-tag"),
        ("a: " + "[" * 300 + "]" * 300, "document-depth"),
    ],
)
def test_what_go_refuses_is_refused_with_a_way_out(text: str, rule: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode(text)
    assert caught.value.rule == rule
    assert caught.value.fix


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(DecodeError, match="not YAML"):
        decode(b"\xff\xfe\xfd\x00\x01")


def test_aliases_that_explode_are_refused_before_they_do() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(DecodeError) as caught:
        decode("\n".join(levels))
    assert caught.value.rule == "document-aliases-explode"


def test_an_empty_first_document_is_a_lost_configuration() -> None:
    (note,) = decode("---\n---\na: 1\n").notes
    assert note.rule == "document-empty-first"
    assert decode("---\na: 1\n").notes == []


def test_more_documents_are_ignored_with_a_note() -> None:
    (note,) = decode("a: 1\n---\nb: 2\n").notes
    assert note.rule == "document-more-than-one"


def test_only_no_bytes_at_all_are_empty() -> None:
    assert decode("").empty
    assert decode(b"").empty
    assert not decode("\n").empty
    assert decode("# nothing\n").value is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h30m", 5400),
        ("-1.5s", -1.5),
        ("0", 0),
        (".5ms", 0.0005),
        ("1", None),
        ("", None),
        ("1 s", None),
    ],
)
def test_durations(text: str, seconds: float | None) -> None:
    assert parse_duration(text) == (None if seconds is None else pytest.approx(seconds))
