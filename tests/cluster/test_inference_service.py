# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceServices in Standard mode are made, kept, found and removed on a real API server. The lab plays the gateway's controller."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.lab import crds
from tests.lab.client import Client
from tests.lab.crd_sources import KSERVE_TRAINED_MODELS
from tests.lab.proxy import Proxy
from tests.objects import thing

from .support.cluster import read, there
from .support.entries import Entries, actions, conditions
from .support.inference_services import (
    KSERVE,
    RUNTIME,
    SETTINGS,
    children,
    config_map,
    isvc,
    prepare,
    runtime,
)
from .support.places import knowing, own_namespace
from .support.services import custom_resource

Json = dict[str, Any]
GIVEN = {"settings": SETTINGS}
WAIT = {**GIVEN, "wait": True, "wait_timeout": 120.0}


client = knowing(prepare)
place = own_namespace("isvc")


def test_every_component_gets_ready(entries: Entries, place: str) -> None:
    service = isvc("iris", place)
    container = {"image": "registry.example.com/team/pre:1", "resources": {"limits": {"cpu": "1"}}}
    service["spec"]["transformer"] = {"containers": [container]}
    service["spec"]["explainer"] = {"containers": [container]}
    said = conditions(entries.reconcile(service, **WAIT))
    assert {said[f"{part}Ready"] for part in ("Predictor", "Transformer", "Explainer")} == {"True"}
    assert said["Ready"] == "True"


def test_a_framework_s_field_is_stored_as_it_was_written(
    entries: Entries, client: Client, place: str
) -> None:
    service = isvc("iris", place)
    service["spec"]["predictor"] = {
        "sklearn": {"storageUri": "hf://acme/iris", "image": "registry.example.com/x:1"}
    }
    assert "no runtime" in entries.refused(service, **GIVEN)
    container = {"image": "registry.example.com/x:1", "ports": [{"containerPort": 8080}]}
    service["spec"]["predictor"] = {"containers": [container]}
    entries.reconcile(service, **GIVEN)
    assert entries.info(fleet="default", namespace=place, **GIVEN)["services"][0]["drift"] == []
    live = there(client, custom_resource(service))
    assert live["spec"]["predictor"]["containers"][0]["name"] == "kserve-container"
    assert not entries.reconcile(service, **GIVEN)["changed"]


def test_another_image_of_the_runtime_is_rolled_out(
    entries: Entries, client: Client, place: str
) -> None:
    client.apply(runtime(namespace=place))
    entries.reconcile(isvc("iris", place), **GIVEN)
    client.apply(runtime("registry.example.com/sklearn:2.0", place))
    result = entries.reconcile(isvc("iris", place), **GIVEN)
    assert actions(result)["Deployment/iris-predictor"] == "updated"


def test_a_stopped_service_keeps_nothing_that_runs_and_comes_back(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(isvc("iris", place), **GIVEN)
    stopped = isvc("iris", place, {"serving.kserve.io/stop": "true"})
    result = entries.reconcile(stopped, **GIVEN)
    assert conditions(result)["Stopped"] == "True"
    assert [each for each in children("iris", place) if read(client, each)] == []
    assert not entries.reconcile(stopped, **GIVEN)["changed"]
    assert conditions(entries.reconcile(isvc("iris", place), **WAIT))["Ready"] == "True"


def test_models_that_an_author_added_to_a_service_are_not_removed_with_it(
    entries: Entries, client: Client, place: str
) -> None:
    crds.install(client, crds.documents(KSERVE_TRAINED_MODELS))
    model = {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "TrainedModel",
        "metadata": {"name": "more", "namespace": place, "labels": {"inferenceservice": "iris"}},
        "spec": {
            "inferenceService": "iris",
            "model": {"framework": "sklearn", "memory": "1Gi", "storageUri": "gs://m/more"},
        },
    }
    entries.reconcile(isvc("iris", place), **GIVEN)
    client.apply(model)
    entries.reconcile(isvc("iris", place), state="absent", **GIVEN)
    assert read(client, isvc("iris", place)) is None
    assert there(client, model)["metadata"].get("deletionTimestamp") is None


def test_a_mode_that_changes_is_refused(entries: Entries, place: str) -> None:
    entries.reconcile(isvc("iris", place), **WAIT)
    other = isvc("iris", place, {"serving.kserve.io/deploymentMode": "Knative"})
    said = entries.refused(other, **GIVEN)
    assert "deploymentMode cannot be changed from 'Standard' to 'Knative'" in said


def test_a_manifest_is_rendered_without_a_cluster(tmp_path: Path) -> None:
    result = Entries(None).reconcile(
        isvc("iris", "team-a"),
        state="rendered",
        cluster_objects=[config_map(), runtime()],
        **GIVEN,
    )
    found = [(each["kind"], each["metadata"]["name"]) for each in result["manifests"]]
    assert ("Deployment", "iris-predictor") in found
    assert ("HTTPRoute", "iris") in found
    assert KSERVE not in {each["metadata"]["namespace"] for each in result["manifests"]}
    assert not list(tmp_path.iterdir())


def test_gathered_lists_the_runtime_of_each_service_and_asks_nothing_where_there_is_none(
    counted: Entries, client: Client, proxy: Proxy, place: str
) -> None:
    counted.reconcile(isvc("iris", place), **GIVEN)
    other = runtime()
    other["metadata"] |= {"name": "other", "namespace": place}
    other["kind"] = "ServingRuntime"
    other["spec"]["disabled"] = True
    client.apply(other)
    found = counted.reconcile(state="gathered", namespace=place, **GIVEN)
    assert found["runtimes"] == [
        {
            "namespace": place,
            "name": "iris",
            "kind": "ClusterServingRuntime",
            "runtime": RUNTIME,
            "named": False,
            "others": [{"kind": "ServingRuntime", "name": "other", "why": "is disabled"}],
            "message": "",
        }
    ]
    counted.reconcile(isvc("iris", place), state="absent", **GIVEN)
    proxy.reset()
    assert counted.reconcile(state="gathered", namespace=place, **GIVEN)["runtimes"] == []
    asked = {record.resource.plural for record in proxy.records}
    assert not asked & {"servingruntimes", "clusterservingruntimes", "deployments"}


def test_trained_models_that_nobody_lists_are_told_and_a_settled_service_asks_for_none(
    counted: Entries, client: Client, proxy: Proxy, place: str
) -> None:
    crds.install(client, crds.documents(KSERVE_TRAINED_MODELS))
    spec = {"framework": "lab", "memory": "1Gi", "storageUri": "gs://m/more"}
    client.apply(
        {
            "apiVersion": "serving.kserve.io/v1alpha1",
            "kind": "TrainedModel",
            "metadata": {"name": "more", "namespace": place},
            "spec": {"inferenceService": "iris", "model": spec},
        }
    )
    service = isvc("iris", place)
    model = service["spec"]["predictor"]["model"]
    del model["storageUri"]
    model["resources"] = {"limits": {"memory": "512Mi"}}
    (told,) = counted.reconcile(service, **GIVEN)["services"]
    rules = {each["rule"] for each in told["problems"]}
    assert {"trained-models", "trained-models-memory"} <= rules
    proxy.reset()
    assert not counted.reconcile(service, **GIVEN)["changed"]
    assert "trainedmodels" not in {record.resource.plural for record in proxy.records}
    # As KServe's controller lists it.
    config = thing("v1", "ConfigMap", "modelconfig-iris-0", place)
    entry = [{"modelName": "more", "modelSpec": spec}]
    client.patch(config, {"data": {"models.json": json.dumps(entry)}})
    model["resources"] = {"limits": {"memory": "2Gi"}}
    (told,) = counted.reconcile(service, **GIVEN)["services"]
    assert not [each for each in told["problems"] if each["rule"].startswith("trained-models")]
    assert json.loads(there(client, config)["data"]["models.json"]) == entry
