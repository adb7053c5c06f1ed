# SPDX-License-Identifier: GPL-3.0-or-later
"""What a graph becomes in Knative mode, what Knative refuses of it, and what its status says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from module_utils.kinds.inference_graph.kind import INFERENCE_GRAPH
from module_utils.kube.manifest import Json
from module_utils.kube.problem import Problem
from module_utils.kube.reference import Reference
from tests.objects import Cluster, thing
from tests.unit.checks.checked import checked
from tests.unit.kinds.inference_service.build import config_map

from .build import children, document, service

KNATIVE = {"deploymentMode": "Knative"}
AUTOSCALER = "autoscaling.knative.dev/"
API = "serving.knative.dev/v1"
URL = "http://chain.team-a.example.com"
STOPPED = {"type": "Stopped", "status": "False"}


def of_knative(name: str, **data: str) -> Json:
    """Return a ConfigMap of Knative."""
    return {**thing("v1", "ConfigMap", f"config-{name}", "knative-serving"), "data": data}


def graph(annotations: Mapping[str, str] | None = None, **more: Any) -> Json:
    """Return a graph in Knative mode."""
    return document(annotations={**KNATIVE, **(annotations or {})}, **more)


def made(given: Json, *objects: Json, **blocks: Any) -> Json:
    """Return the Service of Knative, beside which there is nothing."""
    around = (service(), *(objects or (of_knative("autoscaler"),)))
    found = children(given, *around, **blocks)
    assert list(found) == ["Service"]
    return found["Service"]


def told(given: Json) -> list[Problem]:
    """Return what is found when a graph in Knative mode is checked."""
    settings = INFERENCE_GRAPH.settings({}, {})
    typed = INFERENCE_GRAPH.load(given, settings).service
    assert typed is not None
    around = (config_map(), service(), of_knative("autoscaler"), of_knative("features"))
    return checked(typed, settings, Cluster(around), given)


def test_knative_runs_the_router() -> None:
    found = made(graph(timeout=30, serviceAccountName="router"))
    assert (found["apiVersion"], found["metadata"]["name"]) == (API, "chain")
    spec = found["spec"]["template"]["spec"]
    assert spec["timeoutSeconds"] == 30
    assert spec["serviceAccountName"] == "router"
    assert spec["automountServiceAccountToken"] is False
    (container,) = spec["containers"]
    assert container["name"] == ""
    assert container["args"][0] == "--graph-json"
    assert "iris-predictor.team-a" in container["args"][1]


def test_the_configuration_may_say_the_mode() -> None:
    found = made(document(), deploy={"defaultDeploymentMode": "Serverless"})
    assert found["apiVersion"] == API


def test_labels_of_the_author_are_on_the_service_and_its_pods_but_for_who_may_reach_it() -> None:
    local = {"networking.knative.dev/visibility": "cluster-local"}
    found = made(graph(labels={"team": "a", **local}))
    assert found["metadata"]["labels"] == {"team": "a", **local}
    assert found["spec"]["template"]["metadata"]["labels"] == {
        "team": "a",
        "serving.kserve.io/inferencegraph": "chain",
        "serving.kserve.io/kind": "InferenceGraph",
    }


@pytest.mark.parametrize(
    ("spec", "written", "said"),
    [
        ({}, {}, {"class": "kpa.autoscaling.knative.dev", "min-scale": "1"}),
        (
            {"minReplicas": 0, "maxReplicas": 3, "scaleMetric": "rps", "scaleTarget": 9},
            {},
            {"min-scale": "0", "max-scale": "3", "metric": "rps", "target": "9"},
        ),
        ({"maxReplicas": 0}, {"class": "mine", "target": "5"}, {"class": "mine", "target": "5"}),
        ({"scaleTarget": 7}, {"target": "5"}, {"target": "7"}),
        ({}, {"initial-scale": "3"}, {"initial-scale": "3"}),
    ],
)
def test_pods_are_scaled_by_annotations(spec: Json, written: Json, said: Json) -> None:
    own = {f"{AUTOSCALER}{key}": value for key, value in written.items()}
    found = made(graph(own, **spec))["spec"]["template"]["metadata"]["annotations"]
    assert {key: found[f"{AUTOSCALER}{key}"] for key in said} == said
    assert (f"{AUTOSCALER}max-scale" in found) == bool(spec.get("maxReplicas"))
    assert found["serving.kserve.io/deploymentMode"] == "Knative"


@pytest.mark.parametrize(
    ("wanted", "zero", "kept"), [("0", "false", False), ("0", "true", True), ("two", "true", False)]
)
def test_a_number_of_first_pods_that_knative_refuses_is_left_out(
    wanted: str, zero: str, kept: bool
) -> None:
    config = of_knative("autoscaler", **{"allow-zero-initial-scale": zero})
    found = made(graph({f"{AUTOSCALER}initial-scale": wanted}), config)
    annotations = found["spec"]["template"]["metadata"]["annotations"]
    assert (f"{AUTOSCALER}initial-scale" in annotations) == kept


def test_an_annotation_of_openshift_is_the_service_s_alone() -> None:
    passthrough = {"serving.knative.openshift.io/enablePassthrough": "true"}
    found = made(graph(passthrough))
    assert found["metadata"]["annotations"] == passthrough
    assert not passthrough.keys() & found["spec"]["template"]["metadata"]["annotations"].keys()


@pytest.mark.parametrize(
    ("annotations", "spec", "field", "words"),
    [
        ({}, {"timeout": 601}, "spec.timeout", "takes 0 to 600"),
        ({}, {"nodeName": "n1"}, "spec.nodeName", "takes no name of a node"),
        ({}, {"scaleMetric": "cpu"}, "spec.scaleMetric", "concurrency or rps"),
        ({}, {"scaleTarget": 0}, "spec.scaleTarget", "above 0"),
        ({}, {"minReplicas": -1}, "spec.minReplicas", "0 pods or more"),
        ({}, {"minReplicas": 3, "maxReplicas": 2}, "spec.maxReplicas", "below that of minReplicas"),
        (
            {f"{AUTOSCALER}window": "1s"},
            {},
            f'metadata.annotations["{AUTOSCALER}window"]',
            "takes 6s to 3600s",
        ),
    ],
)
def test_what_knative_refuses_is_told_at_its_field(
    annotations: Json, spec: Json, field: str, words: str
) -> None:
    (found,) = [each for each in told(graph(annotations, **spec)) if each.rule == "knative-limits"]
    assert (found.path, found.severity) == (field, "error")
    assert words in found.message


def test_what_an_hpa_measures_is_not_refused_of_it() -> None:
    own = {f"{AUTOSCALER}class": "hpa.autoscaling.knative.dev"}
    assert told(graph(own, scaleMetric="cpu", scaleTarget=50)) == []


def test_what_is_switched_off_or_not_read_in_knative_is_warned_about() -> None:
    found = told(graph({"autoscalerClass": "hpa"}, nodeSelector={"a": "b"}, timeout=30))
    assert {each.path: each.rule for each in found} == {
        "spec": "knative-features",
        'metadata.annotations["serving.kserve.io/autoscalerClass"]': "no-effect",
    }


def live(ready: str | None, *, generation: int = 1) -> Json:
    """Return the Service as Knative reports it."""
    said = {"ConfigurationsReady": "True", "Ready": ready, "RoutesReady": ready}
    conditions = [
        {"type": kind, "status": status, "lastTransitionTime": "2026-01-01T00:00:00Z"}
        for kind, status in said.items()
        if ready is not None
    ]
    return {
        **thing(API, "Service", "chain", "team-a"),
        "metadata": {"name": "chain", "namespace": "team-a", "generation": generation},
        "status": {"conditions": conditions, "url": URL, "observedGeneration": 1},
    }


def observed(*objects: Json, before: Json | None = None) -> Any:
    """Return what is said of a graph."""
    settings = INFERENCE_GRAPH.settings({}, {})
    given = graph()
    typed = INFERENCE_GRAPH.load(given, settings).service
    assert typed is not None
    around = [config_map(), service(), of_knative("autoscaler")]
    reader = Cluster([*around, {**given, "status": before or {}}, *objects])
    basis = INFERENCE_GRAPH.compile(typed, settings, reader).basis
    return INFERENCE_GRAPH.observe(basis, reader, ())


def test_a_graph_is_as_ready_as_knative_says() -> None:
    found = observed(live("True"))
    said = ("ConfigurationsReady", "Ready", "RoutesReady")
    conditions = [{"type": kind, "status": "True"} for kind in said]
    assert found.status == {"conditions": [*conditions, STOPPED], "url": URL}
    assert (found.ready, found.url) == (True, URL)
    assert not observed(live("True", generation=2)).ready


def test_a_url_stays_until_knative_says_no() -> None:
    before = {"url": URL, "observedGeneration": 3}
    for objects in ((), (live(None),)):
        assert observed(*objects, before=before).status == {**before, "conditions": [STOPPED]}
    failed = observed(live("False"), before=before)
    assert "url" not in failed.status
    assert [fault.message for fault in failed.faults] == ["Knative Service chain: NotReady"]


def test_a_graph_in_knative_mode_is_called_where_knative_says() -> None:
    settings = INFERENCE_GRAPH.settings({}, {})
    typed = INFERENCE_GRAPH.load(graph(), settings).service
    assert typed is not None
    reader = Cluster([config_map(), service(), of_knative("autoscaler")])
    basis = INFERENCE_GRAPH.compile(typed, settings, reader).basis
    assert INFERENCE_GRAPH.entrance(basis, settings, reader).closed == ""
    reference = Reference(API, "Service", "team-a", "chain")
    manifests = [
        each.manifest.to_dict()
        for each in INFERENCE_GRAPH.compile(typed, settings, reader).children
    ]
    view = INFERENCE_GRAPH.view(basis, reader, manifests)
    assert view.workloads[0].reference == reference
    assert view.workloads[0].fields("containers[0].args[1]").field == "spec.nodes"
    assert view.workloads[0].fields("containers[0].image").field == "router"
