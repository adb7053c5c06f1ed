# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields without effect are named with the way out; what is looked for and not there is said."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.inference_service.settings import Settings
from module_utils.kube.problem import Problem
from module_utils.kube.reader import GivenObjects
from tests.objects import Cluster
from tests.unit.checks.checked import checked

from .build import config_map, document, runtime

KEDA = {"autoscalerClass": "keda"}
MANY = {
    "type": "External",
    "external": {
        "metric": {
            "backend": "prometheus",
            "serverAddress": "http://prometheus:9090",
            "query": "q",
        },
        "target": {"type": "Value", "value": "1"},
    },
}


DOMAINS = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "config-domain", "namespace": "knative-serving"},
    "data": {"_example": "explains", "example.com": ""},
}
KNATIVE = {"deploymentMode": "Knative"}


def advice(given: dict[str, Any], *objects: dict[str, Any]) -> list[Problem]:
    service = load(given, Settings()).service
    assert service is not None
    return list(checked(service, Settings(), GivenObjects([config_map(), runtime(), *objects])))


@pytest.mark.parametrize(
    ("fields", "annotations", "path"),
    [
        ({"canaryTrafficPercent": 10}, {}, "canaryTrafficPercent"),
        ({"minReplicas": 0}, {}, "minReplicas"),
        ({"minReplicas": 0}, KEDA, None),
        ({"scaleMetric": "rps"}, {}, "scaleMetric"),
        ({"scaleMetric": "memory"}, {}, None),
        ({"autoScaling": {"behavior": {}}}, {}, "autoScaling.behavior"),
        ({"autoScaling": {"metrics": [MANY]}}, {}, "autoScaling.metrics[0]"),
        ({"autoScaling": {"metrics": [MANY], "behavior": {}}}, KEDA, None),
        ({"autoScaling": {}}, KNATIVE, "autoScaling"),
        ({"canaryTrafficPercent": 10}, KNATIVE, None),
    ],
)
def test_a_field_without_effect_is_named(
    fields: dict[str, Any], annotations: dict[str, str], path: str | None
) -> None:
    found = advice(document(predictor=fields, annotations=annotations), DOMAINS)
    assert [each.path for each in found] == ([f"spec.predictor.{path}"] if path else [])
    assert all(each.severity == "warning" for each in found)


def test_a_way_that_waits_for_its_host_name_is_named() -> None:
    unnamed = document(annotations=KNATIVE)
    (found,) = advice(unnamed)
    assert (found.rule, found.severity) == ("host", "warning")
    assert "no VirtualService" in found.message
    assert "knative-serving/config-domain" in found.message
    assert advice(unnamed, DOMAINS) == []
    assert advice(document()) == []


def gateway(namespaces: str) -> dict[str, Any]:
    listener = {
        "name": "http",
        "protocol": "HTTP",
        "allowedRoutes": {"namespaces": {"from": namespaces}},
    }
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": "kserve-ingress-gateway", "namespace": "kserve"},
        "spec": {"listeners": [listener]},
    }


@pytest.mark.parametrize(("namespaces", "rules"), [("All", []), ("Same", ["gateway-admits"])])
def test_a_gateway_that_keeps_the_routes_out_is_named(namespaces: str, rules: list[str]) -> None:
    assert [each.rule for each in advice(document(), gateway(namespaces))] == rules


@pytest.mark.parametrize("local", [True, False])
def test_a_missing_gateway_is_named_where_one_is_needed(local: bool) -> None:
    given = document()
    if local:
        given["metadata"]["labels"] = {"networking.kserve.io/visibility": "cluster-local"}
    service = load(given, Settings()).service
    assert service is not None
    found = checked(service, Settings(), Cluster([config_map(), runtime()]))
    assert [each.rule for each in found] == ([] if local else ["gateway-missing"])


@pytest.mark.parametrize(("mutation", "told"), [("webhook", 1), ("rendered", 0)])
def test_a_sidecar_without_configuration_matters_to_the_webhook(mutation: str, told: int) -> None:
    service = load(document(), Settings()).service
    assert service is not None
    settings = Settings(pod_mutation=mutation)  # type: ignore[arg-type]
    given = GivenObjects([config_map(agent=None), runtime()])
    found = checked(service, settings, given)
    assert [each.rule for each in found] == ["system-config"] * told


def test_a_cluster_without_configuration_gets_defaults_and_is_told_so() -> None:
    service = load(document(), Settings()).service
    assert service is not None
    (problem,) = checked(service, Settings(), GivenObjects([runtime()]))
    assert "kserve/inferenceservice-config is not among the given objects" in problem.message


def test_which_runtime_was_chosen_is_told_with_those_that_were_not() -> None:
    def other(name: str, namespace: str = "", **spec: Any) -> dict[str, Any]:
        supported = [{"name": "sklearn", "autoSelect": True, "priority": 1}]
        found = {**runtime(), "metadata": {"name": name}}
        found["spec"] = {**found["spec"], "supportedModelFormats": supported, **spec}
        if namespace:
            found |= {"kind": "ServingRuntime"}
            found["metadata"]["namespace"] = namespace
        return found

    high = [{"name": "sklearn", "autoSelect": True, "priority": 5}]
    given = (
        other("high", supportedModelFormats=high),
        other("low"),
        other("off", disabled=True),
        other("grpc", protocolVersions=["grpc-v2"]),
        other("far", supportedModelFormats=[{"name": "onnx", "autoSelect": True}]),
    )
    (told,) = [each for each in advice(document(), *given) if each.rule == "runtime-choice"]
    assert told.severity == "info"
    assert told.path == "spec.predictor.model"
    assert "ClusterServingRuntime high serves the model" in told.message
    assert "ClusterServingRuntime low has priority 1, and high 5" in told.message
    assert "ClusterServingRuntime sklearn has no priority, and high 5" in told.message
    assert "ClusterServingRuntime off is disabled" in told.message
    assert "ClusterServingRuntime grpc speaks grpc-v2" in told.message
    assert "far" not in told.message
    own = other("own", "team-a")
    (told,) = [each for each in advice(document(), *given, own) if each.rule == "runtime-choice"]
    assert "ServingRuntime own serves the model" in told.message
    assert "ClusterServingRuntime high comes after those of the namespace" in told.message


def test_nothing_is_told_of_a_runtime_without_a_rival_or_with_a_name() -> None:
    assert "runtime-choice" not in {each.rule for each in advice(document())}
    named = document(
        predictor={"model": {**document()["spec"]["predictor"]["model"], "runtime": "sklearn"}}
    )
    rival = {**runtime(), "metadata": {"name": "rival"}}
    assert "runtime-choice" not in {each.rule for each in advice(named, rival)}
