# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, label keys and values are judged as the API server judges them, and each message names text, fault and limit."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from module_utils.kube.names import (
    LABEL_LENGTH,
    check_dns_label,
    check_dns_subdomain,
    check_label_key,
    check_label_value,
    check_namespace,
    check_port_name,
    child_name,
)

Check = Callable[[str], str | None]

LEGAL: list[tuple[Check, list[str]]] = [
    (check_dns_label, ["a", "a1", "a-b", "a--b", "x" * 63]),
    (check_namespace, ["a", "1", "7b", "team-a", "x" * 63]),
    (check_dns_subdomain, ["a", "1", "a.b", "0.6b", "a-b.c-d", "x" * 253]),
    (check_label_value, ["", "a", "A", "1", "a_b.c-D", "a..b", "x" * 63]),
    (check_label_key, ["a", "A_b.c", "app.kubernetes.io/name", f"{'x' * 253}/{'y' * 63}"]),
    (check_port_name, ["http", "a", "1a", "grpc-ext-proc", "a" * 15]),
]

ILLEGAL: list[tuple[Check, str, str]] = [
    (check_dns_label, "", "it is empty"),
    (check_dns_label, "7b", 'it begins with "7"'),
    (check_dns_label, "a-", 'it ends with "-"'),
    (check_dns_label, "-a", 'it begins with "-"'),
    (check_dns_label, "a.b", 'it holds "."'),
    (check_dns_label, "Ab", 'it holds "A"'),
    (check_dns_label, "a\n", 'it holds "\\n"'),
    (check_dns_label, "é", 'it holds "é"'),
    (check_dns_label, "١", 'it holds "١"'),
    (check_dns_label, "x" * 64, "it has 64 characters"),
    (check_dns_label, f"{'x' * 64}.", 'it has 65 characters and it holds "."'),
    (check_namespace, "team.a", 'it holds "."'),
    (check_namespace, "a-", 'it ends with "-"'),
    (check_dns_subdomain, "a..b", "two separators follow each other"),
    (check_dns_subdomain, "a.-b", "two separators follow each other"),
    (check_dns_subdomain, "a.", 'it ends with "."'),
    (check_dns_subdomain, ".a", 'it begins with "."'),
    (check_dns_subdomain, "a_b", 'it holds "_"'),
    (check_dns_subdomain, "x" * 254, "it has 254 characters"),
    (check_label_value, "a/b", 'it holds "/"'),
    (check_label_value, "v1+dirty", 'it holds "+"'),
    (check_label_value, "_a", 'it begins with "_"'),
    (check_label_value, " ", 'it holds " "'),
    (check_label_value, "x" * 64, "it has 64 characters"),
    (check_label_key, "", "it is empty"),
    (check_label_key, "a/", "it is empty"),
    (check_label_key, "/a", "the prefix of a label key"),
    (check_label_key, "A/b", "the prefix of a label key"),
    (check_label_key, "a/b/c", 'at most one "/"'),
    (check_label_key, f"a/{'x' * 64}", "it has 64 characters"),
    (check_port_name, "a" * 16, "it has 16 characters"),
    (check_port_name, "123", "it has no letter"),
    (check_port_name, "a--b", "two separators follow each other"),
    (check_port_name, "-a", 'it begins with "-"'),
    (check_port_name, "HTTP", 'it holds "H", "T", "P"'),
]


@pytest.mark.parametrize(("check", "texts"), LEGAL)
def test_what_kubernetes_takes_passes(check: Check, texts: list[str]) -> None:
    assert {text: check(text) for text in texts} == dict.fromkeys(texts)


@pytest.mark.parametrize(("check", "text", "fault"), ILLEGAL)
def test_what_kubernetes_refuses_is_named(check: Check, text: str, fault: str) -> None:
    message = check(text)
    assert message is not None
    assert fault in message


def test_a_message_names_the_limit_and_does_not_flood_the_screen() -> None:
    message = check_dns_subdomain("x" * 100_000)
    assert message is not None
    assert "at most 253" in message or "1 to 253 characters" in message
    assert len(message) < 400


def test_children_of_kserve_are_shortened_at_the_limit() -> None:
    assert child_name("chat", "-kserve") == "chat-kserve"
    assert child_name("a" * 56, "-kserve") == "a" * 56 + "-kserve"
    short = child_name("a" * 57, "-kserve")
    assert (len(short), short[:24], short[-7:]) == (LABEL_LENGTH, "a" * 24, "-kserve")
    assert short != child_name("a" * 58, "-kserve")


def test_a_long_suffix_of_kserve_is_cut_and_ends_with_a_letter_or_digit() -> None:
    suffix = "-" + "b" * 40
    name = child_name("c" * 30, suffix)
    assert (
        name
        == "c" * 30 + hashlib.md5(("c" * 30 + suffix).encode(), usedforsecurity=False).hexdigest()
    )
    assert len(child_name("c" * 40, suffix)) == LABEL_LENGTH
