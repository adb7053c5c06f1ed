# SPDX-License-Identifier: GPL-3.0-or-later
"""Sanitised names are legal, stable and never silently the same for texts that differ in more than case and separators."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.kube.names import check_dns_label, check_dns_subdomain, check_label_value
from module_utils.kube.sanitise import to_dns_label, to_dns_subdomain, to_label_value

Sanitise = Callable[..., str]
Check = Callable[[str], str | None]

#: The function, what judges its result, and its longest result.
FORMS: dict[str, tuple[Sanitise, Check, int]] = {
    "to_dns_label": (to_dns_label, check_dns_label, 63),
    "to_dns_subdomain": (to_dns_subdomain, check_dns_subdomain, 253),
    "to_label_value": (to_label_value, check_label_value, 63),
}
each_form = pytest.mark.parametrize("form", FORMS)

#: Near the border of what is legal, where mistakes are.
NAME_LIKE = st.text(alphabet="aBzm09-._/: +éＡ\u212a模", max_size=80)
ANY_TEXT = st.text(max_size=300) | NAME_LIKE
LONG = st.text(alphabet="abAB01-._/", min_size=254, max_size=300)
LIMITS = st.integers(12, 63)
LEGAL = {
    "to_dns_label": st.text("az09-", max_size=61).map("a{}0".format),
    "to_dns_subdomain": st.lists(
        st.text("az09-", max_size=9).map("0{}a".format), min_size=1, max_size=20
    ).map(".".join),
    "to_label_value": st.text("aZ09-_.", max_size=61).map("A{}0".format) | st.just(""),
}
UNUSABLE = "no letter a-z and no digit"


@each_form
@given(text=ANY_TEXT | LONG, limit=LIMITS, distinct=st.booleans())
def test_a_name_is_legal_and_stable_or_there_is_a_clear_error(
    form: str, text: str, limit: int, distinct: bool
) -> None:
    sanitise, check, _longest = FORMS[form]
    name = _name(sanitise, text, limit, distinct=distinct)
    if name is not None:
        assert check(name) is None
        assert len(name) <= limit
        assert sanitise(name, limit, distinct=distinct) == name
        assert name.__class__ is str


@each_form
@given(data=st.data())
def test_a_legal_name_is_unchanged(form: str, data: st.DataObject) -> None:
    text = data.draw(LEGAL[form])
    sanitise, _check, longest = FORMS[form]
    assert sanitise(text) == text
    assert sanitise(text, longest, distinct=True) == text


@each_form
@given(
    first=NAME_LIKE | LONG,
    place=st.integers(0, 300),
    put=st.sampled_from("aB0-._/ +é"),
    limit=LIMITS,
)
def test_texts_share_a_name_only_if_they_are_the_same_words(
    form: str, first: str, place: int, put: str, limit: int
) -> None:
    for second in (f"{first[:place]}{put}{first[place + 1 :]}", f"{first}{put}", f"{put}{first}"):
        name = _name(FORMS[form][0], first, limit)
        if name is not None and name == _name(FORMS[form][0], second, limit):
            assert _words(first) == _words(second)


@each_form
@given(first=NAME_LIKE)
def test_spellings_of_the_same_words_are_told_apart_on_request(form: str, first: str) -> None:
    sanitise, _check, longest = FORMS[form]
    spellings = {
        first,
        first.lower(),
        f"-{first}",
        re.sub("[-._/: ]", "_", first),
        first.replace("-", "/"),
    }
    names = [_name(sanitise, text, longest, distinct=True) for text in spellings if text]
    found = [name for name in names if name is not None]
    assert len(set(found)) == len(found)


@each_form
@given(middle=NAME_LIKE)
def test_long_texts_that_begin_alike_get_different_names(form: str, middle: str) -> None:
    start = f"{'x' * 254}{middle}"
    assert len({FORMS[form][0](f"{start}{end}") for end in ("", "a", "b", "-b", "B")}) == 5


TABLE = [
    # text, label, subdomain, value
    ("qwen3", "qwen3", "qwen3", "qwen3"),
    ("Qwen/Qwen3-32B", "qwen-qwen3-32b", "qwen-qwen3-32b", "Qwen-Qwen3-32B"),
    ("7B.Chat", "m-7b-chat", "7b.chat", "7B.Chat"),
    ("--Trailing--", "trailing", "trailing", "Trailing"),
    ("a - b", "a-b", "a-b", "a---b"),
    ("a..b", "a-b", "a.b", "a..b"),
    ("a.-b-.c", "a-b-c", "a.b.c", "a.-b-.c"),
    ("ghcr.io/acme/x:1.0", "ghcr-io-acme-x-1-0", "ghcr.io-acme-x-1.0", "ghcr.io-acme-x-1.0"),
    ("vllm+cu12", "vllm-cu12-908584e487", "vllm-cu12-908584e487", "vllm-cu12-908584e487"),
    ("Café", "cafe-73473dcc12", "cafe-73473dcc12", "Cafe-73473dcc12"),
    ("Δ1", "m-1-17dedb0f3a", "1-17dedb0f3a", "1-17dedb0f3a"),
    ("模型-qwen", "qwen-7dd08b5f49", "qwen-7dd08b5f49", "qwen-7dd08b5f49"),
]


@pytest.mark.parametrize(("text", "label", "subdomain", "value"), TABLE)
def test_names_stay_readable(text: str, label: str, subdomain: str, value: str) -> None:
    assert to_dns_label(text) == label
    assert to_dns_subdomain(text) == subdomain
    assert to_label_value(text) == value


def test_the_hash_is_of_the_whole_text() -> None:
    assert to_dns_label("a" * 64) == f"{'a' * 52}-ffe054fe7a"
    assert to_dns_label(f"{'a' * 51}-{'b' * 30}") == f"{'a' * 51}-cdc9ad3ccb"


@each_form
@pytest.mark.parametrize("text", ["___", "...", "模型", "-/:", "\u0301", "\ud800"])
def test_a_text_with_nothing_usable_is_an_error(form: str, text: str) -> None:
    with pytest.raises(ValueError, match=UNUSABLE):
        FORMS[form][0](text)


def test_only_a_label_value_may_be_empty() -> None:
    assert to_label_value("") == ""
    for sanitise in (to_dns_label, to_dns_subdomain):
        with pytest.raises(ValueError, match='"" has no letter'):
            sanitise("")


def test_broken_unicode_is_no_traceback() -> None:
    assert to_dns_label("a\ud800") == "a-25819b9b43"


@each_form
def test_a_length_that_has_no_room_for_the_hash_is_an_error(form: str) -> None:
    sanitise, _check, longest = FORMS[form]
    for limit in (-1, 0, 11, longest + 1):
        with pytest.raises(ValueError, match=f"max_length {limit} is out of range"):
            sanitise("a", limit)


def _name(sanitise: Sanitise, text: str, limit: int, *, distinct: bool = False) -> str | None:
    """Return the name, or None for a text that has nothing in it; which is wrong where ASCII letters or digits are."""
    try:
        return sanitise(text, limit, distinct=distinct)
    except ValueError:
        if re.search("[a-zA-Z0-9]", text, re.ASCII):
            raise
        return None


def _words(text: str) -> list[str]:
    """Return the words of a text. `m-` before a digit is what stands there for a label's sake, no word."""
    words = [word for word in re.split(r"[\s/:._-]+", text.lower()) if word]
    return words[1:] if len(words) > 1 and words[0] == "m" and words[1][0].isdigit() else words
