# SPDX-License-Identifier: GPL-3.0-or-later
"""`inferenceservice-config`: every block read, everything wrong with it named by block, field and place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from module_utils.kinds.kserve.read_system_config import read_system_config
from module_utils.kinds.kserve.system_config import Misconfigured, SystemConfig
from module_utils.kube.reader import GivenObjects

AMOUNTS = {"cpuRequest": "100m", "cpuLimit": "1", "memoryRequest": "100Mi", "memoryLimit": "1Gi"}
WHOLE: dict[str, Any] = {
    "ingress": {"ingressGateway": "knative-serving/gw"},
    "deploy": {"defaultDeploymentMode": "Standard"},
    **dict.fromkeys(("storageInitializer", "logger", "batcher", "agent"), AMOUNTS),
}


def read(**blocks: Any) -> SystemConfig:
    """Read a configuration: a text is a block as it stands, None takes a block away, anything else is its JSON."""
    wanted = {**WHOLE, **blocks}
    data = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in wanted.items()
        if value is not None
    }
    metadata = {"name": "inferenceservice-config", "namespace": "kserve"}
    found = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    return read_system_config("kserve", GivenObjects([found]))


def faults(**blocks: Any) -> str:
    """Return what is said of a configuration."""
    with pytest.raises(Misconfigured) as error:
        read(**blocks)
    return "\n".join(str(problem) for problem in error.value.problems)


WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"deploy": '{\n "defaultDeploymentMode": }'},
        "deploy: not JSON: Expecting value, line 2, column 27",
    ),
    ({"ingress": "[]"}, "ingress: [] is not a map of fields"),
    ({"ingress": {"enableGatewayApi": True}}, "ingress.ingressGateway: missing"),
    (
        {
            "ingress": {
                "ingressGateway": "a/b",
                "enableGatewayApi": True,
                "kserveIngressGateway": "gw",
            }
        },
        'ingress.kserveIngressGateway: "gw" is not of the form <namespace>/<name>',
    ),
    (
        {
            "ingress": {
                "ingressGateway": "a/b",
                "enableGatewayApi": True,
                "kserveIngressGateway": "a/b.c",
            }
        },
        'ingress.kserveIngressGateway: "b.c" is not',
    ),
    (
        {"ingress": {"ingressGateway": "a/b", "pathTemplate": "/{{ .Name }}"}},
        "ingress.ingressDomain: missing: it is required where pathTemplate is given",
    ),
    ({"deploy": {}}, "deploy.defaultDeploymentMode: missing"),
    (
        {"deploy": {"defaultDeploymentMode": "Foo"}},
        '"Foo" is not one of Knative, Standard, ModelMesh',
    ),
    (
        {"storageInitializer": {**AMOUNTS, "cpuLimit": "abc"}},
        'storageInitializer.cpuLimit: "abc" is not a quantity',
    ),
    ({"storageInitializer": None}, "storageInitializer.cpuRequest: missing"),
    ({"agent": {}}, "agent.cpuRequest: missing"),
    ({"logger": {**AMOUNTS, "batchSize": "many"}}, 'logger.batchSize: "many" is not'),
    (
        {"security": {"autoMountServiceAccountToken": "yes"}},
        "security.autoMountServiceAccountToken",
    ),
    ({"localModel": {"enabled": 1}}, "localModel.enabled"),
]


@pytest.mark.parametrize(("blocks", "said"), WRONG)
def test_a_wrong_block_is_named_with_the_place(blocks: dict[str, Any], said: str) -> None:
    told = faults(**blocks)
    assert told.startswith("ConfigMap kserve/inferenceservice-config: ")
    assert said in told


def test_everything_wrong_is_said_at_once() -> None:
    said = faults(deploy="{", ingress={}, agent={**AMOUNTS, "memoryLimit": "x"})
    assert [said.count(name) for name in ("deploy:", "ingress.", "agent.")] == [1, 1, 1]


def test_what_go_passes_over_is_passed_over() -> None:
    config = read(
        _example="no JSON at all",
        deploy={"defaultDeploymentMode": "Knative", "more": 1},
        service="null",
    )
    assert config.deploy.default_mode == "Knative"


def test_old_words_for_modes_are_read() -> None:
    assert read(deploy={"defaultDeploymentMode": "RawDeployment"}).deploy.default_mode == "Standard"


def test_nothing_is_withheld_from_children_without_the_block() -> None:
    assert read().disallowed_annotations == frozenset()
    assert "modelFormat" in read(inferenceService={}).disallowed_annotations


def test_absent_blocks_say_what_the_controller_assumes() -> None:
    config = read()
    assert (config.automount_token, config.local_model.enabled) == (False, False)
    assert config.ingress.domain == "example.com"
    assert config.ingress.url_scheme == "http"


def test_a_block_that_few_need_is_wrong_only_for_them() -> None:
    config = read(autoscaler={"scaleUpStabilizationWindowSeconds": "soon"})
    config.need("opentelemetryCollector")
    with pytest.raises(Misconfigured, match=r"autoscaler\.scaleUpStabilizationWindowSeconds"):
        config.need("autoscaler")


@pytest.mark.parametrize("block", ["agent", "batcher", "logger"])
def test_the_block_of_a_sidecar_is_missed_by_those_who_need_it(block: str) -> None:
    config = read(**{block: None})
    with pytest.raises(Misconfigured, match=f"{block}.cpuRequest: missing"):
        config.need(block)


def test_a_cluster_without_kserve_gets_defaults() -> None:
    config = read_system_config("kserve", GivenObjects())
    assert config.deploy.default_mode == "Standard"
    assert config.ingress.kserve_gateway_name == "kserve-ingress-gateway"
    assert config.agent.resources["limits"] == {"cpu": "1", "memory": "1Gi"}
