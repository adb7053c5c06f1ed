# SPDX-License-Identifier: GPL-3.0-or-later
"""Amounts that the API accepts and nobody means, in every part of a pod that has amounts."""

from __future__ import annotations

from typing import Any

import pytest

from .checked import told_by
from .services import custom, custom_with, llm, llm_inference_service, model_service
from .surroundings import CONFIG

Json = dict[str, Any]
RULES = ("memory-unit", "cpu-unit", "device-unit", "device-name")


def limits(**given: str) -> Json:
    return llm(
        resources={"limits": {name.replace("__", "/"): each for name, each in given.items()}}
    )


def with_volume(**volume: Any) -> Json:
    pod = {"containers": [{"name": "main"}], "volumes": [{"name": "shm", **volume}]}
    return llm_inference_service(template=pod)


def claim(storage: str) -> Json:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}}
    return {"volumeClaimTemplate": {"spec": spec}}


def test_the_size_of_a_tier_is_told_at_its_field() -> None:
    tier = {"fileSystem": {"emptyDir": {"size": "2"}}}
    service = llm(kvCacheOffloading={"cpu": "10Gi", "secondary": [tier]})
    field = "spec.kvCacheOffloading.secondary[0].fileSystem.emptyDir.size"
    assert field in [each.partition(": ")[0] for each in told_by(RULES, service, release="0.20")]


def picker(**requests: str) -> Json:
    pod = {"containers": [{"name": "main", "resources": {"requests": requests}}]}
    return llm(router={"route": {}, "gateway": {}, "scheduler": {"template": pod}})


@pytest.mark.parametrize(
    ("service", "said"),
    [
        (limits(cpu="4Gi"), '"4Gi" of cpu are 4294967296 cores, more than any node has; write "4"'),
        (limits(cpu="4000"), 'write "4000m" for thousandths'),
        (limits(memory="16"), '"16" of memory are 16 bytes'),
        (limits(memory="16k"), "are 16000 bytes"),
        (limits(memory="16m"), 'write "16Mi"'),
        (limits(memory="16E"), "more than any node has"),
        (limits(nvidia__com="1"), ""),
        (llm(devices={"nvidia.com/gpu": "80Gi"}), "are 85899345920 devices"),
        (with_volume(emptyDir={"medium": "Memory", "sizeLimit": "16"}), "spec.template.volumes[0].emptyDir.sizeLimit"),
        (with_volume(ephemeral=claim("100")), "resources.requests.storage"),
        (picker(cpu="1Gi"), "spec.router.scheduler.template.containers[0].resources.requests.cpu"),
        (custom_with(minReplicas=1, maxReplicas=2, autoScaling={"metrics": [{"type": "Resource", "resource": {
            "name": "memory", "target": {"type": "AverageValue", "averageValue": "500"}}}]}), "averageValue"),
        (llm_inference_service(prefill={"template": {"containers": [{"name": "main", "resources": {"limits": {"cpu": "8M"}}}]}}), "spec.prefill.template"),
    ],
)  # fmt: skip
def test_what_nobody_means_is_told(service: Json, said: str) -> None:
    found = told_by(RULES, service, CONFIG)
    assert [each for each in found if said in each] == found
    assert bool(found) == bool(said)


@pytest.mark.parametrize(
    "service",
    [
        limits(cpu="448", memory="24Ti"),
        limits(cpu="500m", memory="1Mi"),
        limits(memory="68719476736"),
        llm(devices={"nvidia.com/gpu": "16"}),
        llm(devices={"nvidia.com/gpu": "1", "nvidia.com/gpumem": "20000"}),
        with_volume(emptyDir={"medium": "Memory", "sizeLimit": "0"}),
        custom(resources={"limits": {"ephemeral-storage": "100G"}}),
        model_service(decode={"resources": {"limits": {"cpu": "1.5", "memory": "1e9"}}}),
    ],
)
def test_what_a_node_has_is_not(service: Json) -> None:
    assert told_by(RULES, service, CONFIG) == []
