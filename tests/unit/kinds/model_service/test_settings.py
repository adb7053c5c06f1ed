# SPDX-License-Identifier: GPL-3.0-or-later
"""The task's `settings` become the operator's flags; everything wrong with them is named at once."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.model_service.releases import ModelOperator
from module_utils.kinds.model_service.settings import Tracing, make_settings
from module_utils.kube.problem import InputError

ALPHA2 = {"model_operator": "0.9.0-alpha.2"}


def test_defaults_are_the_operators_flags() -> None:
    made = make_settings({}, {})
    assert made.engine_image == "ghcr.io/llm-d/llm-d-cuda:v0.5.1"
    assert made.endpoint_picker_image == "ghcr.io/llm-d/llm-d-inference-scheduler:v0.6.0"
    assert made.routing_proxy_image == "ghcr.io/llm-d/llm-d-routing-sidecar:v0.6.0"
    assert made.model_kit_image == "ghcr.io/kitops-ml/kitops:v1.11.0"
    assert (made.gateway_namespace, made.gateway_name) == ("llm-d", "llm-d-infra-inference-gateway")
    assert (made.provider, made.metrics_endpoint_auth, made.tracing) == ("istio", True, Tracing())
    assert (made.plain_http, made.shared_memory, made.cluster_domain) == (
        True,
        None,
        "cluster.local",
    )
    assert made.operator_version == "v0.9.0-alpha.2"


def test_release_brings_its_own_defaults() -> None:
    made = make_settings({}, {"model_operator": "v1.0.1", "kserve": "0.17"})
    assert made.gateway_name == "otterscale-llm-d-infra-inference-gateway"
    assert made.operator_version == "v1.0.1"
    assert made.release is ModelOperator.V1_0_1


def test_empty_text_says_something() -> None:
    made = make_settings(
        {"gateway_name": "", "operator_version": "", "images": {"model_kit": ""}}, ALPHA2
    )
    assert (made.gateway_name, made.operator_version, made.model_kit_image) == ("", "", "")
    assert made.engine_image


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (True, ""),
        ("true", ""),
        (False, None),
        ("no", None),
        (None, None),
        ("16Gi", "16Gi"),
        ("1024Mi", "1Gi"),
        (1073741824, "1073741824"),
    ],
)
def test_shared_memory_is_a_switch_or_a_size(given: Any, meant: str | None) -> None:
    assert make_settings({"shared_memory": given}, ALPHA2).shared_memory == meant


def test_texts_of_templates_are_understood() -> None:
    made = make_settings(
        {"metrics_endpoint_auth": "False", "tracing": {"enabled": "yes", "sampler_arg": 0.5}},
        ALPHA2,
    )
    assert made.metrics_endpoint_auth is False
    assert (made.tracing.enabled, made.tracing.sampler_arg) == (True, "0.5")


def test_settings_of_other_kinds_are_passed_over() -> None:
    assert make_settings({"kserve_namespace": "kserve", "pod_mutation": "auto"}, ALPHA2)


WRONG = {
    "provider": ({"provider": "linkerd"}, "settings.provider", "istio, gke, none"),
    "unknown": ({"gatewayname": "a"}, "settings.gatewayname", 'did you mean "gateway_name"?'),
    "unknown image": ({"images": {"epp": "a"}}, "settings.images.epp", "endpoint_picker"),
    "version with a plus": ({"operator_version": "v1+lab.7"}, "settings.operator_version", '"+"'),
    "namespace": ({"gateway_namespace": "LLM_D"}, "settings.gateway_namespace", "LLM_D"),
    "domain": ({"cluster_domain": "cluster local"}, "settings.cluster_domain", "cluster local"),
    "shared memory": ({"shared_memory": "lots"}, "settings.shared_memory", "lots"),
    "no shared memory": ({"shared_memory": "-1Gi"}, "settings.shared_memory", "-1Gi"),
    "switch": ({"metrics_endpoint_auth": "maybe"}, "settings.metrics_endpoint_auth", "true or false"),
    "negative time": ({"drain_seconds": -1}, "settings.drain_seconds", "-1"),
    "group": ({"tracing": True}, "settings.tracing", "map"),
}  # fmt: skip


@pytest.mark.parametrize(("options", "path", "text"), WRONG.values(), ids=WRONG)
def test_wrong_setting_is_named(options: dict[str, Any], path: str, text: str) -> None:
    with pytest.raises(InputError) as caught:
        make_settings(options, ALPHA2)
    (complaint,) = caught.value.complaints
    assert [problem.path for problem in complaint.problems] == [path]
    assert text in complaint.problems[0].message


def test_all_wrong_settings_are_named_at_once() -> None:
    with pytest.raises(InputError) as caught:
        make_settings({"provider": "x", "shared_memory": "x"}, {"model_operator": "0.9.0"})
    paths = {problem.path for problem in caught.value.complaints[0].problems}
    assert paths == {"releases.model_operator", "settings.provider", "settings.shared_memory"}


def test_number_that_a_template_gives_as_text_is_that_number() -> None:
    assert make_settings({"drain_seconds": "30"}, {}).drain_seconds == 30
    with pytest.raises(InputError, match='"30s" is not an integer'):
        make_settings({"drain_seconds": "30s"}, {})
