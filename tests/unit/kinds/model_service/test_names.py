# SPDX-License-Identifier: GPL-3.0-or-later
"""Every child of a ModelService has a legal name, or the service is refused; a legal name stays as it is."""

from __future__ import annotations

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from module_utils.kinds.model_service import names
from module_utils.kube.names import check_dns_label, check_dns_subdomain, check_label_value

SANITISED = {
    "qwen3": "qwen3",
    "qwen3-0.6b-fp8-dynamic": "qwen3-0-6b-fp8-dynamic",
    "llama-3.1-8b-instruct": "llama-3-1-8b-instruct",
    "MyModel_1.0": "mymodel-1-0",
    "0.6b": "m-0-6b",
    "7b": "m-7b",
    "a--b": "a-b",
    "a..b": "a-b",
    "a.b": "a-b",
    "-a-": "a",
    "_x_": "x",
    "模型-qwen": "qwen",
    "ÀB": "b",
    "Δ1": "m-1",
    "Qwen/Qwen3-32B": "qwenqwen3-32b",
    "llama 3": "llama3",
    "\u212alm": "lm",
    "\u0130x": "x",
    "a" * 59: "a" * 59,
    "9" * 61: "m-" + "9" * 61,
}
EMPTY = ["", "___", "...", "模型", "ａｂ", "１２", "\u212a", " / "]

CHILDREN = [
    ("demo", "qwen3", "qwen3", "qwen3-epp"),
    ("demo", "phi-3.5-mini", "phi-3.5-mini", "phi-3-5-mini-epp"),
    ("tenant-42", "7b-chat.v2", "7b-chat.v2", "m-7b-chat-v2-epp"),
]

label_texts = st.text(string.ascii_lowercase + string.digits + "-", min_size=1, max_size=70)
subdomains = st.from_regex(
    r"[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?(\.[a-z0-9]{1,20}){0,3}", fullmatch=True
)


@pytest.mark.parametrize(("text", "label"), SANITISED.items())
def test_name_becomes_the_operators_label(text: str, label: str) -> None:
    assert names.sanitise(text) == label
    assert names.picker(text) == f"{label}-epp"


@pytest.mark.parametrize("text", EMPTY)
def test_name_of_which_nothing_is_left_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="no letter"):
        names.sanitise(text)


@given(st.text())
def test_label_is_legal_or_an_error(text: str) -> None:
    try:
        label = names.sanitise(text)
    except ValueError:
        assume(False)
    assert check_dns_label(label[:63].rstrip("-")) is None
    assert names.sanitise(label) == label


@given(label_texts)
def test_legal_label_is_unchanged(text: str) -> None:
    # A run of hyphens is legal and still becomes one: that is how the operator names the picker.
    assume(check_dns_label(text) is None and "--" not in text)
    assert names.sanitise(text) == text


@pytest.mark.parametrize(("namespace", "service", "raw", "picker"), CHILDREN)
def test_children_are_called_as_the_operator_calls_them(
    namespace: str, service: str, raw: str, picker: str
) -> None:
    assert names.all_names(service, namespace) == {
        "decode_deployment": f"{raw}-decode",
        "prefill_deployment": f"{raw}-prefill",
        "picker_service_account": picker,
        "picker_config": f"{picker}-config",
        "picker_deployment": picker,
        "picker_service": picker,
        "picker_secret": f"{picker}-sa-metrics-reader-secret",
        "picker_role": picker,
        "picker_role_binding": picker,
        "picker_cluster_role": f"{namespace}-{picker}",
        "picker_cluster_role_binding": f"{namespace}-{picker}",
        "inference_pool": raw,
        "http_route": raw,
        "destination_rule": picker,
        "decode_pod_monitor": f"{raw}-decode",
        "prefill_pod_monitor": f"{raw}-prefill",
        "service_monitor": picker,
    }


@given(subdomains, st.sampled_from(["demo", "n" * 63]))
def test_every_child_has_a_legal_name_or_the_service_is_refused(
    service: str, namespace: str
) -> None:
    try:
        found = names.all_names(service, namespace)
    except ValueError:
        assert len(names.picker(service)) > 63 or len(service) > 63
        return
    assert all(check_dns_subdomain(name) is None for name in found.values())
    assert check_dns_label(found["picker_service"]) is None
    assert check_label_value(service) is None
    assert check_label_value(found["picker_deployment"]) is None


REFUSED = {
    "60 letters": ("f" * 60, ["has 60 characters", "at most 59"]),
    "58 characters, digit first": ("9" + "a" * 57, ["has 58 characters", "at most 57"]),
    "64 characters that shrink": ("a" + "-" * 62 + "b", ["has 64 characters", "at most 63"]),
    "capitals": ("Qwen3", ['"Qwen3"', "DNS subdomain"]),
    "slash": ("Qwen/Qwen3", ['"/"']),
    "empty": ("", ["it is empty"]),
}


@pytest.mark.parametrize(("service", "texts"), REFUSED.values(), ids=REFUSED)
def test_illegal_name_is_refused_with_its_limit(service: str, texts: list[str]) -> None:
    with pytest.raises(ValueError, match=r"is not|at most") as error:
        names.all_names(service, "demo")
    assert all(text in str(error.value) for text in texts)
    assert list(names.problems(service)) == [str(error.value)]


@pytest.mark.parametrize("service", ["f" * 59, "9" * 57, "a" + "-" * 61 + "b"])
def test_longest_name_is_taken(service: str) -> None:
    assert not list(names.problems(service))


def test_illegal_namespace_is_refused_too() -> None:
    with pytest.raises(ValueError, match=r'"Chat".*"Team_A"'):
        names.all_names("Chat", "Team_A")
