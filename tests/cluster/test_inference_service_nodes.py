# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceServices over several nodes: head and workers name the generation of their custom resource, which a change of it raises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.fixtures import fresh_namespace
from tests.lab.proxy import Proxy
from tests.objects import thing

from .support.cluster import claim, read, there
from .support.entries import Entries
from .support.inference_services import SETTINGS, isvc, prepare
from .support.places import knowing
from .support.services import custom_resource

GIVEN = {"settings": SETTINGS}
GENERATION = "isvc.generation"
#: Head and workers.
BOTH = ("wide-predictor", "wide-predictor-worker")


client = knowing(prepare)


@pytest.fixture
def place(client: Client) -> Iterator[str]:
    """A namespace of this test alone, with a runtime for several nodes."""
    with fresh_namespace(client, "isvc") as name:
        client.apply(_runtime(name))
        client.apply(claim("models", name))
        yield name


def _runtime(namespace: str) -> Json:
    image = "registry.example.com/vllm:1.0"
    asked = {"resources": {"limits": {"cpu": "10m"}, "requests": {"cpu": "10m"}}}
    head = {"name": "kserve-container", "image": image, **asked}
    worker = {"name": "worker-container", "image": image, **asked}
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ServingRuntime",
        "metadata": {"name": "wide", "namespace": namespace},
        "spec": {
            "protocolVersions": ["v1"],
            "supportedModelFormats": [{"name": "lab-wide", "autoSelect": True}],
            "containers": [head],
            "workerSpec": {"containers": [worker]},
        },
    }


def _service(namespace: str, revision: str) -> Json:
    model = {
        "modelFormat": {"name": "lab-wide"},
        "runtime": "wide",
        "storageUri": "pvc://models/wide",
        "env": [{"name": "REVISION", "value": revision}],
    }
    return isvc(
        "wide",
        namespace,
        {"serving.kserve.io/autoscalerClass": "none"},
        model=model,
        workerSpec={"pipelineParallelSize": 2},
    )


def _sent(proxy: Proxy) -> list[tuple[str, str]]:
    """Return name and generation of each Deployment that was written."""
    return [
        (
            record.resource.name,
            record.json["spec"]["template"]["metadata"]["labels"][GENERATION],
        )
        for record in proxy.records
        if record.resource.plural == "deployments" and record.is_write
    ]


def test_a_change_makes_head_and_workers_anew_once(
    counted: Entries, client: Client, proxy: Proxy, place: str
) -> None:
    """The controller sees the new generation before it writes; pods that we sent before the custom resource would be made anew twice."""
    first = counted.reconcile(_service(place, "one"), **GIVEN)
    assert sorted(_sent(proxy)) == [(name, "1") for name in BOTH]
    assert first["changed"]
    proxy.reset()
    counted.reconcile(_service(place, "two"), **GIVEN)
    assert there(client, custom_resource(_service(place, "two")))["metadata"]["generation"] == 2
    assert sorted(_sent(proxy)) == [(name, "2") for name in BOTH]
    assert read(client, thing("v1", "Service", "wide-head-1", place)) is None
    there(client, thing("v1", "Service", "wide-head-2", place))
    again = counted.reconcile(_service(place, "two"), **GIVEN)
    assert not again["changed"]


def test_a_change_that_raises_no_generation_reaches_the_pods_as_well(
    counted: Entries, proxy: Proxy, place: str
) -> None:
    service = _service(place, "one")
    counted.reconcile(service, **GIVEN)
    proxy.reset()
    service["metadata"]["annotations"]["team"] = "a"
    counted.reconcile(service, **GIVEN)
    assert sorted(_sent(proxy)) == [(name, "1") for name in BOTH]
    assert not counted.reconcile(service, **GIVEN)["changed"]
