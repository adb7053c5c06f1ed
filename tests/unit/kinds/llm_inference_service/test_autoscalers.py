# SPDX-License-Identifier: GPL-3.0-or-later
"""What scales the pods of a service, from KServe 0.18 on. Before, `scaling` is checked and stored, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from module_utils.kinds.llm_inference_service.conditions.scaling import scaling_conditions
from module_utils.kinds.llm_inference_service.kind import LLM_INFERENCE_SERVICE
from module_utils.kinds.llm_inference_service.observe import observe
from module_utils.kube.manifest import Json
from tests.objects import Cluster

from .build import document
from .preset_world import children, refusal, system_config
from .release_pairs import CLAIM, settings
from .world import resolved, stopped, thing

HPA: Json = {"maxReplicas": 5, "wva": {"hpa": {}}}
KEDA: Json = {
    "minReplicas": 2,
    "maxReplicas": 5,
    "wva": {"variantCost": "3.5", "keda": {"pollingInterval": 7, "idleReplicaCount": 1}},
}
KINDS = ("VariantAutoscaling", "ScaledObject", "HorizontalPodAutoscaler")
LABELS = {
    "app.kubernetes.io/component": "llminferenceservice-workload",
    "app.kubernetes.io/name": "chat",
    "app.kubernetes.io/part-of": "llminferenceservice",
}
URL = {"url": "https://prometheus.example.com"}
GROUPS: Json = {"worker": {}, "parallelism": {"data": 2, "dataLocal": 1}}
STOP = {"serving.kserve.io/stop": "true"}


def scaled(spec: Json, release: str = "0.18", **prometheus: Any) -> dict[tuple[str, str], Json]:
    """Return what scales the pods of a service, by kind and name."""
    config = system_config(**{"autoscaling-wva-controller-config": {"prometheus": prometheus}})
    found = children(document(**{**CLAIM, **spec}), config, settings=settings(release))
    return {key: each for key, each in found.items() if key[0] in KINDS}


def test_scaling_has_no_effect_before() -> None:
    assert scaled({"scaling": KEDA}, "0.17", **URL) == {}


@pytest.mark.parametrize(
    ("release", "live", "noted", "looked"),
    [
        ("0.17", {}, None, ()),
        ("0.17", {"scaling": HPA}, None, KINDS),
        ("0.17", {"prefill": {"scaling": HPA}}, [], KINDS),
        ("0.18", {}, None, KINDS),
        ("0.18", {}, [], ()),
        ("0.18", {"scaling": HPA}, [], KINDS),
        ("0.18", {}, ["HorizontalPodAutoscaler"], ["HorizontalPodAutoscaler"]),
    ],
)
def test_autoscalers_cost_a_look_only_where_there_may_be_some(
    release: str, live: Json, noted: Sequence[str] | None, looked: Sequence[str]
) -> None:
    services = [document(), document(**live)]
    found = LLM_INFERENCE_SERVICE.children.kinds_at(settings(release).release, services, noted)
    assert {kind for dummy, kind in found} & {*KINDS} == {*looked}


@pytest.mark.parametrize("release", ["0.18", "0.19"])
def test_a_pod_autoscaler_follows_the_metric_of_the_variant(release: str) -> None:
    found = scaled({"scaling": HPA}, release)
    assert set(found) == {
        ("VariantAutoscaling", "chat-kserve-va"),
        ("HorizontalPodAutoscaler", "chat-kserve-hpa"),
    }
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat-kserve"}
    hpa = found["HorizontalPodAutoscaler", "chat-kserve-hpa"]
    assert (hpa["apiVersion"], hpa["metadata"]["labels"]) == ("autoscaling/v2", LABELS)
    assert hpa["spec"] == {
        "scaleTargetRef": target,
        "minReplicas": 1,
        "maxReplicas": 5,
        "metrics": [
            {
                "type": "External",
                "external": {
                    "metric": {
                        "name": "wva_desired_replicas",
                        "selector": {"matchLabels": {"variant_name": "chat-kserve-va"}},
                    },
                    "target": {"type": "Value", "value": "1"},
                },
            }
        ],
    }
    variant = found["VariantAutoscaling", "chat-kserve-va"]
    assert (variant["apiVersion"], variant["metadata"]["labels"]) == (
        "llmd.ai/v1alpha1",
        {**LABELS, "inference.optimization/acceleratorName": "unknown"},
    )
    assert variant["spec"] == {
        "scaleTargetRef": target,
        "modelID": "chat",
        "minReplicas": 1,
        "maxReplicas": 5,
        "variantCost": "10.0",
    }


def test_keda_asks_prometheus() -> None:
    login = {
        "authModes": "bearer",
        "triggerAuthName": "p",
        "triggerAuthKind": "TriggerAuthentication",
    }
    found = scaled({"scaling": KEDA}, **URL, **login, tlsInsecureSkipVerify=True)
    made = found["ScaledObject", "chat-kserve-keda"]
    assert made["apiVersion"] == "keda.sh/v1alpha1"
    assert made["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat-kserve"},
        "minReplicaCount": 2,
        "maxReplicaCount": 5,
        "pollingInterval": 7,
        "idleReplicaCount": 1,
        "triggers": [
            {
                "type": "prometheus",
                "name": "wva-desired-replicas",
                "metadata": {
                    "serverAddress": "https://prometheus.example.com",
                    "query": 'wva_desired_replicas{variant_name="chat-kserve-va",exported_namespace="team-a"}',
                    "threshold": "1",
                    "unsafeSsl": "true",
                    "authModes": "bearer",
                },
                "authenticationRef": {"name": "p", "kind": "TriggerAuthentication"},
            }
        ],
    }
    assert found["VariantAutoscaling", "chat-kserve-va"]["spec"]["variantCost"] == "3.5"


def test_groups_and_prefill_pods_are_scaled_each_by_itself() -> None:
    found = scaled({**GROUPS, "scaling": HPA, "prefill": {"scaling": HPA}})
    targets = {
        name: (made["spec"]["scaleTargetRef"]["kind"], made["spec"]["scaleTargetRef"]["name"])
        for (kind, name), made in found.items()
        if kind == "HorizontalPodAutoscaler"
    }
    assert targets == {
        "chat-kserve-hpa": ("LeaderWorkerSet", "chat-kserve-mn"),
        "chat-kserve-prefill-hpa": ("Deployment", "chat-kserve-prefill"),
    }


def test_a_stopped_service_is_not_scaled() -> None:
    stopped = document(**CLAIM, scaling=HPA)
    stopped["metadata"]["annotations"] = STOP
    assert not {kind for kind, dummy in children(stopped, settings=settings("0.18"))} & {*KINDS}


@pytest.mark.parametrize(
    ("prometheus", "told"),
    [
        ({}, "prometheus.url is required"),
        ({**URL, "authModes": "bearer"}, "must both be set or both be empty"),
    ],
)
def test_keda_without_a_usable_prometheus_is_refused(prometheus: Json, told: str) -> None:
    config = system_config(**{"autoscaling-wva-controller-config": {"prometheus": prometheus}})
    given = document(**CLAIM, scaling=KEDA)
    assert told in refusal(given, config, settings=settings("0.18"))
    assert refusal(given, config) == ""


def _said(**conditions: str) -> list[Json]:
    return [
        {"type": kind, "status": status, "reason": "Why", "message": "so it is"}
        for kind, status in conditions.items()
    ]


def _live(kind: str, *conditions: Json) -> Json:
    api_version, name = {
        "HorizontalPodAutoscaler": ("autoscaling/v2", "chat-kserve-hpa"),
        "ScaledObject": ("keda.sh/v1alpha1", "chat-kserve-keda"),
    }[kind]
    return thing(api_version, kind, name, status={"conditions": list(conditions)})


_KEDA_SAID = {"Active": "True", "Fallback": "False", "Paused": "False"}

#: How a service is scaled and what is there → status, reason and message.
TOLD: dict[str, tuple[Json, list[Json], tuple[str, str, str]]] = {
    "no pod autoscaler": (
        HPA,
        [],
        ("False", "HPAProgressing", "HPA not yet visible in cache"),
    ),
    "one that nobody has looked at": (
        HPA,
        [_live("HorizontalPodAutoscaler", *_said(ScalingLimited="True"))],
        ("False", "HPAProgressing", "HPA conditions not yet available"),
    ),
    "one without metrics": (
        HPA,
        [_live("HorizontalPodAutoscaler", *_said(AbleToScale="True", ScalingActive="False"))],
        ("False", "Why", "so it is"),
    ),
    "one that works": (
        HPA,
        [_live("HorizontalPodAutoscaler", *_said(AbleToScale="True", ScalingActive="True"))],
        ("True", "", ""),
    ),
    "no scaled object": (
        KEDA,
        [],
        ("False", "ScaledObjectProgressing", "ScaledObject not yet visible in cache"),
    ),
    "a scaled object that nobody has looked at": (
        KEDA,
        [_live("ScaledObject", *_said(Ready="True"))],
        ("False", "ScaledObjectProgressing", "ScaledObject conditions not yet available"),
    ),
    "a scaled object that waits": (
        KEDA,
        [_live("ScaledObject", *_said(Ready="Unknown", **_KEDA_SAID))],
        ("False", "ScaledObjectProgressing", "ScaledObject is not yet ready"),
    ),
    "a scaled object that fails": (
        KEDA,
        [_live("ScaledObject", *_said(Ready="False", **_KEDA_SAID))],
        ("False", "Why", "so it is"),
    ),
    "a scaled object that works": (
        KEDA,
        [_live("ScaledObject", *_said(Ready="True", **_KEDA_SAID))],
        ("True", "", ""),
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_the_status_says_whether_scaling_works(name: str) -> None:
    scaling, objects, told = TOLD[name]
    (found,) = scaling_conditions(
        resolved({"scaling": scaling}, settings=settings("0.19")), Cluster(objects)
    )
    assert (found.type, found.status, found.reason, found.message) == ("ScalingReady", *told)
    before = resolved({"scaling": scaling}, settings=settings("0.18"))
    assert list(scaling_conditions(before, Cluster(objects))) == []


def test_an_autoscaler_without_metrics_keeps_the_service_from_being_ready() -> None:
    given = resolved({"scaling": HPA}, settings=settings("0.19"))
    found = {each["type"]: each for each in observe(given, Cluster()).status["conditions"]}
    assert found["WorkloadsReady"]["status"] == "False"
    ready = thing(
        "apps/v1",
        "Deployment",
        "chat-kserve",
        status={"conditions": [{"type": "Available", "status": "True"}]},
    )
    found = {each["type"]: each for each in observe(given, Cluster([ready])).status["conditions"]}
    assert found["WorkloadsReady"]["reason"] == "HPAProgressing"
    assert "ScalingReady" not in {
        each["type"] for each in observe(stopped({"scaling": HPA}), Cluster()).status["conditions"]
    }
