# SPDX-License-Identifier: GPL-3.0-or-later
"""Test plugins answer yes or no about what they are for, and fail about anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible.utils.unsafe_proxy import wrap_var

from ansible_collections.modelops.inference.plugins.filter.names import FilterModule
from ansible_collections.modelops.inference.plugins.test.names import (
    dns_label,
    dns_subdomain,
    label_value,
)
from ansible_collections.modelops.inference.plugins.test.readiness import ready

POD = {"kind": "Pod", "metadata": {"name": "a"}, "spec": {}}
READY_POD = {**POD, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}

ANSWERS: list[tuple[Callable[[Any], bool], Any, bool]] = [
    (dns_label, "qwen3", True),
    (dns_label, "7b", False),
    (dns_label, "", False),
    (dns_subdomain, "qwen3-0.6b", True),
    (dns_subdomain, "Qwen3", False),
    (label_value, "", True),
    (label_value, "Qwen/Qwen3", False),
    (ready, {"name": "a", "ready": True, "phase": "Ready"}, True),
    (ready, {"name": "a", "ready": False, "phase": "Running"}, False),
    (ready, READY_POD, True),
    (ready, POD, False),
]

ERRORS: list[tuple[Callable[[Any], bool], Any, str]] = [
    (dns_label, 7, "dns_label: the input has to be of type str, but it is int"),
    (dns_subdomain, None, "dns_subdomain: the input has to be of type str, but it is null"),
    (label_value, True, "label_value: the input has to be of type str, but it is bool"),
    (ready, [], "ready: the input has to be of type dict, but it is list"),
    (ready, {"ready": "yes"}, "`ready` of the service result has to be of type bool"),
    (ready, {}, "ready: neither a service result with `ready`, nor an object"),
    (ready, {"kind": "ConfigMap", "metadata": {"name": "a"}}, "ConfigMap a has neither spec"),
]


@pytest.mark.parametrize(("function", "value", "answer"), ANSWERS)
def test_answers(function: Callable[[Any], bool], value: Any, answer: bool) -> None:
    assert function(value) is answer
    assert function(wrap_var(value)) is answer


@pytest.mark.parametrize(("function", "value", "message"), ERRORS)
def test_what_it_is_not_for_is_an_error(
    function: Callable[[Any], bool], value: Any, message: str
) -> None:
    with pytest.raises(AnsibleFilterError, match=message):
        function(value)


@pytest.mark.parametrize("text", ["Qwen/Qwen3-32B", "7B.Chat", "--Trailing--", "a" * 300])
def test_what_a_filter_makes_passes_the_test_of_its_name(text: str) -> None:
    filters = FilterModule().filters()
    assert dns_label(filters["to_dns_label"](text))
    assert dns_subdomain(filters["to_dns_subdomain"](text))
    assert label_value(filters["to_label_value"](text))
