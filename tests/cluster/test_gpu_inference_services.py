# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices set on InferenceServices that somebody else keeps, field by field."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.inference_service.crd import crd
from module_utils.kube.manifest import Json
from tests.lab import crds
from tests.lab.client import Client
from tests.objects import thing

from .support.cluster import there
from .support.entries import Entries

GPU = "nvidia.com/gpu"
MODEL = {"modelFormat": {"name": "huggingface"}, "storageUri": "pvc://models/chat"}
SELECTOR = {"disk": "ssd"}


def by_hand(client: Client, namespace: str, **predictor: Any) -> Json:
    """Let somebody else write a service."""
    crds.install(client, [crd()])
    service = thing(
        "serving.kserve.io/v1beta1",
        "InferenceService",
        "chat",
        namespace,
        spec={"predictor": predictor},
    )
    client.apply(service, manager="kubectl")
    return service


def workload(service: Json) -> Json:
    metadata = service["metadata"]
    return {"kind": "InferenceService", "role": "predictor", **metadata}


def options(service: Json, tensor: int = 4, **more: Any) -> Json:
    accelerator = {"type": "nvidia", "product": "NVIDIA-L4"}
    return {
        "accelerator": accelerator,
        "parallelism": {"tensor": tensor},
        "workload": workload(service),
        **more,
    }


def predictor(client: Client, service: Json) -> Json:
    found: Json = there(client, service)["spec"]["predictor"]
    return found


def test_devices_are_set_on_the_model_of_a_service_and_taken_back(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace, model=MODEL, nodeSelector=SELECTOR)
    before = predictor(client, service)
    refused = entries.gpu(**options(service))
    assert "spec.predictor.nodeSelector (kubectl)" in refused["msg"]
    predicted = entries.gpu(check_mode=True, **options(service), force_conflicts=True)
    assert predicted["changed"] is True, predicted
    assert predictor(client, service) == before

    first = entries.gpu(**options(service), force_conflicts=True)
    assert first["diff"] == predicted["diff"]
    after = predictor(client, service)
    assert after["model"] == {**MODEL, "resources": {"limits": {GPU: "4"}, "requests": {GPU: "4"}}}
    assert after["nodeSelector"] == {**SELECTOR, "nvidia.com/gpu.product": "NVIDIA-L4"}
    assert [each["key"] for each in after["tolerations"]] == [GPU]
    assert entries.gpu(**options(service))["changed"] is False
    assert entries.gpu(**options(service, tensor=2))["changed"] is True

    absent = {"state": "absent", "workload": workload(service)}
    assert entries.gpu(**absent)["changed"] is True
    assert predictor(client, service) == before
    assert entries.gpu(**absent)["changed"] is False


def test_sizes_of_a_predictor_on_several_nodes_are_set(
    entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace, model=MODEL, workerSpec={"tensorParallelSize": 1})
    wanted = options(service, parallelism={"tensor": 1, "pipeline": 3}, force_conflicts=True)
    written = entries.gpu(**{**wanted, "accelerator": {"type": "nvidia", "devices_per_node": 1}})
    assert written["changed"] is True, written["msg"]
    workers = predictor(client, service)["workerSpec"]
    assert workers == {"tensorParallelSize": 1, "pipelineParallelSize": 3}


CONTAINERS = [{"name": "kserve-container", "image": "example.com/a:1"}]


@pytest.mark.parametrize(
    ("fields", "more", "said"),
    [
        ({"containers": CONTAINERS}, {}, "has no model: set resources in its containers"),
        ({"model": MODEL}, {"parallelism": {"pipeline": 2}}, "without workerSpec has one node"),
        (
            {"model": MODEL, "workerSpec": {}},
            {"parallelism": {"tensor": 4, "pipeline": 2}},
            "only the author of the service can write as a whole",
        ),
        (
            {"model": MODEL},
            {"accelerator": {"type": "nvidia", "device_class": "x"}},
            "no field for claims",
        ),
    ],
)
def test_what_a_service_cannot_say_is_refused(
    fields: Json, more: Json, said: str, entries: Entries, client: Client, namespace: str
) -> None:
    service = by_hand(client, namespace, **fields)
    refused = entries.gpu(**{**options(service), **more})
    assert refused["failed"]
    assert said in refused["msg"]
    assert there(client, service)["metadata"]["generation"] == 1
