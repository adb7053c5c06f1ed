# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of well-known labels that no node has, wherever pods ask for nodes."""

from __future__ import annotations

from typing import Any

import pytest

from .checked import told_by
from .services import custom_with, graph, llm_inference_service, model_service
from .surroundings import CONFIG

Json = dict[str, Any]
POD: Json = {"containers": [{"name": "main"}]}


def affinity(key: str, *values: str, operator: str = "In", wish: bool = False) -> Json:
    term = {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    if wish:
        found = [{"weight": 1, "preference": term}]
        return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": found}}
    required = {"nodeSelectorTerms": [term]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def selecting(label: str, value: str) -> Json:
    return llm_inference_service(template={**POD, "nodeSelector": {label: value}})


@pytest.mark.parametrize(
    ("label", "value", "way"),
    [
        ("kubernetes.io/arch", "x86_64", "write amd64"),
        ("kubernetes.io/arch", "aarch64", "write arm64"),
        ("beta.kubernetes.io/os", "Linux", "write linux"),
        ("kubernetes.io/arch", "sparc", "write one of these"),
        ("karpenter.sh/capacity-type", "ON_DEMAND", "write on-demand"),
        ("eks.amazonaws.com/capacityType", "spot", "write SPOT"),
        ("cloud.google.com/gke-spot", "yes", "write true"),
        ("nvidia.com/gpu.family", "Hopper", "write hopper"),
        ("nvidia.com/gpu.product", "H100", "NVIDIA-H100-80GB-HBM3"),
        ("nvidia.com/gpu.memory", "80Gi", "numbers of MiB"),
        ("nvidia.com/mig.capable", "1", "write true"),
    ],
)
def test_a_value_that_no_node_has_is_told(label: str, value: str, way: str) -> None:
    (message,) = told_by(("node-label",), selecting(label, value))
    assert message.startswith(
        f'spec.template.nodeSelector["{label}"]: no node has {label}: {value}'
    )
    assert way in message


@pytest.mark.parametrize(
    ("service", "place"),
    [
        (custom_with(affinity=affinity("kubernetes.io/arch", "amd64", "x64")), "matchExpressions[0].values[1]"),
        (custom_with(affinity=affinity("kubernetes.io/os", "Linux", operator="NotIn")), "values[0]"),
        (custom_with(affinity=affinity("kubernetes.io/os", "Linux", wish=True)), "[0].preference.matchExpressions"),
        (llm_inference_service(worker={**POD, "nodeSelector": {"kubernetes.io/arch": "x64"}}, parallelism={"data": 2, "dataLocal": 1}),
            "spec.worker.nodeSelector"),
        (llm_inference_service(prefill={"template": {**POD, "nodeSelector": {"kubernetes.io/arch": "x64"}}}), "spec.prefill.template.nodeSelector"),
        (model_service(prefill={"nodeSelector": {"kubernetes.io/os": "Linux"}}), "spec.prefill.nodeSelector"),
        (graph(affinity=affinity("kubernetes.io/arch", "x64")), "spec.affinity"),
    ],
)  # fmt: skip
def test_every_place_that_chooses_nodes_is_read(service: Json, place: str) -> None:
    (message,) = told_by(("node-label",), service, CONFIG)
    assert place in message


@pytest.mark.parametrize(
    ("label", "meant"),
    [
        ("kubernetes.io/architecture", "kubernetes.io/arch"),
        ("kubernetes.io/zone", "topology.kubernetes.io/zone"),
        ("topology.kubernetes.io/zones", "topology.kubernetes.io/zone"),
        ("karpenter.sh/capacitytype", "karpenter.sh/capacity-type"),
        ("nvidia.com/gpu-product", "nvidia.com/gpu.product"),
        ("cloud.google.com/gke-accelarator", "cloud.google.com/gke-accelerator"),
    ],
)
def test_a_label_that_no_node_has_is_told(label: str, meant: str) -> None:
    constraint = {"maxSkew": 1, "topologyKey": label, "whenUnsatisfiable": "DoNotSchedule"}
    term = {"topologyKey": label, "labelSelector": {"matchLabels": {"app": "x"}}}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    for fields in (
        {"nodeSelector": {label: "x"}},
        {"affinity": affinity(label, "x")},
        {"affinity": {"podAntiAffinity": required}},
        {"topologySpreadConstraints": [constraint]},
    ):
        (message,) = told_by(("node-label",), custom_with(**fields), CONFIG)
        assert f"no node has a label {label}; write {meant}" in message


@pytest.mark.parametrize("key", ["nvidia.com/gpus", "nvidia/gpu", "nvidia.com/GPU"])
def test_a_toleration_of_no_taint_is_told(key: str) -> None:
    tolerations = [{"key": key, "operator": "Exists"}]
    for service, place in (
        (model_service(decode={"tolerations": tolerations}), "spec.decode.tolerations[0].key"),
        (custom_with(tolerations=tolerations), "spec.predictor.tolerations[0].key"),
    ):
        (message,) = told_by(("node-label",), service, CONFIG)
        assert message.startswith(f"{place}: no node has a taint {key}")


@pytest.mark.parametrize("key", ["nvidia.com/gpu", "gpu", "sku", "acme.com/gpu"])
def test_a_toleration_of_somebodys_taint_is_not(key: str) -> None:
    tolerations = [{"key": key, "operator": "Exists"}]
    assert told_by(("node-label",), custom_with(tolerations=tolerations), CONFIG) == []


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("nvidia.com/gpu.deploy.driver", "true"),
        ("kubernetes.azure.com/agentpool", "gpu"),
        ("zone", "a"),
        ("kubernetes.io/arch", "s390x"),
        ("nvidia.com/gpu.family", "rubin"),
        ("nvidia.com/gpu.product", "Tesla-T4"),
        ("node-role.kubernetes.io/worker", "true"),
        ("acme.com/os", "Linux"),
    ],
)
def test_what_a_node_may_have_is_not(label: str, value: str) -> None:
    assert told_by(("node-label",), selecting(label, value)) == []


def test_an_operator_without_values_is_not_read() -> None:
    exists = affinity("kubernetes.io/arch", operator="Exists")
    assert told_by(("node-label",), custom_with(affinity=exists), CONFIG) == []
