# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters give plain values, and errors that name the filter, what they got and what they want."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from ansible.utils.unsafe_proxy import wrap_var
from jinja2 import StrictUndefined, UndefinedError

from ansible_collections.modelops.inference.plugins.filter.accelerators import gpu_resource_name
from ansible_collections.modelops.inference.plugins.filter.labels import (
    inference_graph_labels,
    inference_service_labels,
    label_selector,
    local_model_cache_labels,
    model_service_labels,
    recommended_labels,
)
from ansible_collections.modelops.inference.plugins.filter.names import (
    kserve_child_name,
    local_model_cache_names,
    model_service_names,
    to_dns_label,
    to_dns_subdomain,
    to_label_value,
)
from ansible_collections.modelops.inference.plugins.filter.quantities import as_quantity

Filter = Callable[..., Any]
SERVICE = {"kind": "ModelService", "metadata": {"name": "qwen3.5", "namespace": "team-a"}}

WRONG_TYPES: list[tuple[Filter, Any, dict[str, Any], str]] = [
    (kserve_child_name, "chat", {"suffix": 7}, "suffix has to be of type str, but it is int"),
    (to_dns_label, 7, {}, "to_dns_label: the input has to be of type str, but it is int"),
    (to_dns_label, None, {}, "the input has to be of type str, but it is null"),
    (to_dns_label, True, {}, "the input has to be of type str, but it is bool"),
    (to_dns_subdomain, ["a"], {}, "to_dns_subdomain: the input .* it is list"),
    (to_label_value, {"a": 1}, {}, "to_label_value: the input .* it is dict"),
    (to_dns_label, "a", {"max_length": "40"}, "max_length has to be of type int, but it is str"),
    (to_dns_label, "a", {"max_length": True}, "max_length has to be of type int, but it is bool"),
    (to_dns_label, "a", {"distinct": "yes"}, "distinct has to be of type bool, but it is str"),
    (model_service_names, 7, {"namespace": "a"}, r"type str \(a service's name\) or dict"),
    (model_service_names, "a", {}, "model_service_names: namespace has to be .* it is null"),
    (model_service_names, {"spec": {}}, {}, "metadata has to be of type dict, but it is null"),
    (model_service_names, {"metadata": {"name": 7}}, {}, "metadata.name has to be .* it is int"),
    (
        local_model_cache_names,
        7,
        {"group": "g", "service_namespace": "a"},
        "local_model_cache_names: the input has to be",
    ),
    (
        local_model_cache_names,
        "a",
        {"group": 1, "service_namespace": "a"},
        "group has to be of type str, but it is int",
    ),
    (model_service_labels, [], {}, "model_service_labels: the input has to be"),
    (model_service_labels, "a", {"release": 1.0}, "release has to be of type str, but it is float"),
    (model_service_labels, "a", {"operator_version": 1}, "operator_version has to be of type str"),
    (inference_service_labels, 7, {}, "inference_service_labels: the input has to be"),
    (inference_graph_labels, 7, {}, "inference_graph_labels: the input has to be"),
    (local_model_cache_labels, 7, {}, "local_model_cache_labels: the input has to be"),
    (local_model_cache_labels, "a", {"namespace": 1}, "namespace has to be of type str"),
    (inference_service_labels, "a", {"mode": 1}, "mode has to be of type str, but it is int"),
    (recommended_labels, "a", {"version": 1.4}, "version has to be of type str, but it is float"),
    (label_selector, "a=b", {}, "label_selector: the input has to be of type dict, but it is str"),
    (as_quantity, True, {}, "as_quantity: the input has to be of type str, int or float, .* bool"),
    (as_quantity, 1, {"family": 2}, "family has to be of type str, but it is int"),
    (gpu_resource_name, 8, {}, "gpu_resource_name: the input has to be of type str"),
    (gpu_resource_name, "nvidia", {"shared": "yes"}, "shared has to be of type bool"),
]

WRONG_VALUES: list[tuple[Filter, Any, dict[str, Any], str]] = [
    (gpu_resource_name, "nvida", {}, 'gpu_resource_name: "nvida" is not one of nvidia, amd'),
    (gpu_resource_name, "nvidia", {"profile": "10gb"}, "is not a MIG profile"),
    (to_dns_label, "模型", {}, 'to_dns_label: "模型" has no letter a-z and no digit'),
    (to_dns_label, "a", {"max_length": 64}, "to_dns_label: max_length 64 is out of range"),
    (model_service_names, "a" * 60, {"namespace": "b"}, "model_service_names: .*at most 59"),
    (model_service_names, "A", {"namespace": "b"}, 'it holds "A"'),
    (
        local_model_cache_names,
        "A",
        {"group": "g", "service_namespace": "a"},
        'local_model_cache_names: .*it holds "A"',
    ),
    (
        local_model_cache_names,
        "a",
        {"group": "g", "service_namespace": "a.b"},
        "local_model_cache_names: .*is not a namespace",
    ),
    (local_model_cache_labels, "a" * 64, {}, "local_model_cache_labels: .*has 64 characters"),
    (local_model_cache_labels, "a", {"namespace": "b.c"}, "is not a namespace"),
    (model_service_names, "a", {"namespace": "b.c"}, "is not a namespace"),
    (model_service_labels, "a", {"release": "2"}, 'release "2" is not one of 0.9.0-alpha.2, 1.0.1'),
    (model_service_labels, "a" * 64, {}, "model_service_labels: .*at most 59"),
    (model_service_labels, "a", {"operator_version": "1+2"}, 'it holds "\\+"'),
    (inference_service_labels, "a", {"mode": "ModelMesh"}, 'mode "ModelMesh" is not one of'),
    (inference_service_labels, "a" * 49, {}, "inference_service_labels: .*64 characters"),
    (inference_service_labels, "a.b", {}, 'inference_service_labels: "a.b" is not a DNS label'),
    (inference_graph_labels, "a" * 59, {}, "inference_graph_labels: .*64 characters"),
    (inference_graph_labels, "a.b", {}, 'inference_graph_labels: "a.b" is not a DNS label'),
    (recommended_labels, "a b", {}, "recommended_labels: app.kubernetes.io/name: "),
    (label_selector, {"a": 1}, {}, "label_selector: a: a label value is text"),
    (as_quantity, "1 Gi", {}, 'as_quantity: "1 Gi" is not a quantity'),
    (as_quantity, 1, {"family": "Gi"}, 'family "Gi" is not one of binary, decimal, exponent'),
]


@pytest.mark.parametrize(("function", "value", "options", "message"), WRONG_TYPES + WRONG_VALUES)
def test_a_wrong_input_is_an_error_of_the_filter(
    function: Filter, value: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(AnsibleFilterError, match=message):
        function(value, **options)


@pytest.mark.parametrize(
    "function",
    [to_dns_label, model_service_names, model_service_labels, label_selector, as_quantity],
)
def test_an_undefined_variable_is_named(function: Filter) -> None:
    with pytest.raises(UndefinedError, match="'model' is undefined"):
        function(StrictUndefined(name="model"))


@pytest.mark.parametrize("function", [to_dns_label, to_dns_subdomain, to_label_value])
@pytest.mark.parametrize("text", ["legal", "Not/Legal", "é" * 80 + "a"])
def test_text_from_outside_becomes_plain(function: Filter, text: str) -> None:
    name = function(wrap_var(text))
    assert name.__class__ is str
    assert name == function(text)


def test_results_can_be_written_as_yaml() -> None:
    service = wrap_var(SERVICE)
    selector = wrap_var({"matchLabels": {"a": "b"}})
    values = [
        model_service_names(service),
        model_service_labels(service),
        recommended_labels(wrap_var("a"), wrap_var("b")),
        label_selector(selector),
        as_quantity(wrap_var("32.500")),
    ]
    assert yaml.safe_load(yaml.safe_dump(values)) == values


def test_names_of_a_custom_resource_are_those_of_its_name() -> None:
    assert model_service_names(SERVICE) == model_service_names("qwen3.5", "team-a")
    other = model_service_names(SERVICE, namespace="team-b")
    assert other["picker_cluster_role"] == "team-b-qwen3-5-epp"


def test_an_empty_operator_version_leaves_the_label_out() -> None:
    labels = model_service_labels("a", operator_version="")
    assert "version" not in str(labels)
    assert model_service_labels("a", release="v1.0.1") == model_service_labels("a", "1.0.1")


def test_every_child_that_has_a_name_has_labels() -> None:
    assert model_service_labels("a").keys() == model_service_names("a", "b").keys()
