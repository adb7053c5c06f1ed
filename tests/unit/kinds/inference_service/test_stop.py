# SPDX-License-Identifier: GPL-3.0-or-later
"""A service that is stopped needs nothing of what is wrong with it."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.inference_service.observe import observe
from module_utils.kinds.inference_service.settings import Settings
from tests.parity.recorded_llm_services import Recorded
from tests.unit.modules.task import run

from .build import config_map, document
from .world import config, runtime, takes

Json = dict[str, Any]
GONE = {"model": {"modelFormat": {"name": "none"}, "runtime": "gone", "storageUri": "hf://a"}}
BROKEN = {**config_map(), "data": {"ingress": "{"}}


def rendered(config: Json, **annotations: str) -> Json:
    service = document(predictor=GONE, annotations=annotations)
    return run(state="rendered", services=[service], cluster_objects=[config])


@pytest.mark.parametrize("config", [config_map(), BROKEN], ids=["no-runtime", "no-configuration"])
def test_a_service_that_cannot_be_built_can_be_stopped(config: Json) -> None:
    assert rendered(config).get("failed")
    result = rendered(config, stop="true")
    assert not result.get("failed"), result["msg"]
    assert [each["kind"] for each in result["manifests"]] in ([], ["InferenceService"])


def test_what_the_webhook_refuses_is_told_of_a_stopped_service() -> None:
    notes = {"stop": "true", "autoscalerClass": "hpa"}
    service = document(predictor={"scaleMetric": "rps"}, annotations=notes)
    result = run(state="rendered", services=[service], cluster_objects=[config_map()])
    assert result.get("failed")
    assert "spec.predictor.scaleMetric" in result["msg"]


@pytest.mark.parametrize("labels", [{}, {"networking.kserve.io/visibility": "cluster-local"}])
def test_a_stopped_service_is_not_reached(labels: Json) -> None:
    service = document(predictor={"minReplicas": 1}, annotations={"stop": "true"})
    service["metadata"]["labels"] = labels
    given = Recorded([config(ingress={"enableGatewayApi": True}), runtime("plain", takes())])
    loaded = load(service, Settings())
    assert loaded.service is not None
    status = observe(compile_service(loaded.service, Settings(), given).basis, given, ()).status
    (way,) = (each for each in status["conditions"] if each["type"] == "IngressReady")
    assert (way["status"], way["reason"]) == ("False", "Stopped")
    assert "url" not in status


@pytest.mark.parametrize("gateway", [True, False])
def test_the_cluster_says_how_a_stopped_service_was_reached_that_cannot_be_built(
    gateway: bool,
) -> None:
    """Of an Ingress that was never there, KServe says nothing."""
    service = document(predictor=GONE, annotations={"stop": "true", "deploymentMode": "Standard"})
    given = Recorded([config(ingress={"enableGatewayApi": gateway})])
    loaded = load(service, Settings())
    assert loaded.service is not None
    status = observe(compile_service(loaded.service, Settings(), given).basis, given, ()).status
    told = {each["type"]: each.get("reason") for each in status["conditions"]}
    assert told["PredictorReady"] == "Stopped"
    assert ("IngressReady" in told) is gateway


@pytest.mark.parametrize(("prefix", "refused"), [("", False), ("x" * 60, True)])
def test_a_component_that_is_stopped_by_itself_needs_a_host_name_all_the_same(
    prefix: str, refused: bool
) -> None:
    """KServe looks at the name before it sees that the component is stopped."""
    stop = {"annotations": {"serving.kserve.io/stop": "true"}}
    service = document(predictor=stop, annotations={"deploymentMode": "Standard"})
    around = config(ingress={"domainTemplate": f"{prefix}{{{{ .Name }}}}.example.com"})
    result = run(
        state="rendered", services=[service], cluster_objects=[around, runtime("plain", takes())]
    )
    assert bool(result.get("failed")) is refused
    assert ("creating host name" in str(result.get("msg"))) is refused


@pytest.mark.parametrize("stopped", [True, False])
def test_a_component_that_is_stopped_by_itself_has_no_address(stopped: bool) -> None:
    own = {"annotations": {"serving.kserve.io/stop": "true"}} if stopped else {}
    service = document(predictor=own, annotations={"deploymentMode": "Standard"})
    ingress = {"enableGatewayApi": True, "disableIngressCreation": True}
    given = Recorded([config(ingress=ingress), runtime("plain", takes())])
    loaded = load(service, Settings())
    assert loaded.service is not None
    status = observe(compile_service(loaded.service, Settings(), given).basis, given, ()).status
    assert ("address" in status) is not stopped
    assert status["url"]


ROLLOUT = {
    "deploymentRolloutStrategy": {"defaultRollout": {"maxSurge": "1", "maxUnavailable": "1"}}
}


@pytest.mark.parametrize(
    "wrong",
    [{"deploy": ROLLOUT}, {"ingress": {"domainTemplate": "{{ .Name }}_{{ .Nowhere }}"}}],
    ids=["rollout", "host-name"],
)
def test_status_of_a_stopped_service_that_cannot_be_built_has_what_can_be_read(wrong: Json) -> None:
    model = {"modelFormat": {"name": "sklearn"}, "storageUri": "s3://models/iris"}
    service = document(predictor={"model": model}, annotations={"stop": "true"})
    blocks = {**wrong, "ingress": {"enableGatewayApi": False, **wrong.get("ingress", {})}}
    given = Recorded([config(**blocks), runtime("plain", takes())])
    loaded = load(service, Settings())
    assert loaded.service is not None
    status = observe(compile_service(loaded.service, Settings(), given).basis, given, ()).status
    assert status["clusterServingRuntimeName"] == "plain"
    # KServe says nothing of an Ingress that was never there.
    assert [each["type"] for each in status["conditions"]] == ["PredictorReady", "Ready", "Stopped"]
