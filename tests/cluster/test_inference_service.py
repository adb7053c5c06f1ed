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
from .support.entries import Entries, actions, conditions, reasons
from .support.inference_services import (
    KSERVE,
    RUNTIME,
    SETTINGS,
    children,
    config_map,
    isvc,
    prepare,
    runtime,
    trained_model,
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
    model = trained_model("more", place)
    model["metadata"]["labels"] = {"inferenceservice": "iris"}
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
            "canary": "",
        }
    ]
    counted.reconcile(isvc("iris", place), state="absent", **GIVEN)
    proxy.reset()
    assert counted.reconcile(state="gathered", namespace=place, **GIVEN)["runtimes"] == []
    asked = {record.resource.plural for record in proxy.records}
    assert not asked & {"servingruntimes", "clusterservingruntimes", "deployments"}


def server_of_many(place: str) -> Json:
    """Return a service without a model of its own, whose server has room for some."""
    service = isvc("iris", place)
    model = service["spec"]["predictor"]["model"]
    del model["storageUri"]
    model["resources"] = {"limits": {"memory": "1Gi"}}
    return service


def test_the_server_is_told_its_trained_models_as_far_as_its_memory_goes(
    counted: Entries, client: Client, proxy: Proxy, place: str
) -> None:
    crds.install(client, crds.documents(KSERVE_TRAINED_MODELS))
    service = server_of_many(place)
    model = service["spec"]["predictor"]["model"]
    config = thing("v1", "ConfigMap", "modelconfig-iris-0", place)
    counted.reconcile(service, **GIVEN)
    assert listed(client, config) == []

    client.apply(trained_model("first", place))
    done = actions(counted.reconcile(service, **GIVEN))
    assert {name for name, action in done.items() if action != "unchanged"} == {
        "ConfigMap/modelconfig-iris-0"
    }
    assert listed(client, config) == ["first"]
    proxy.reset()
    assert not counted.reconcile(service, **GIVEN)["changed"]
    asked = [each.resource.plural for each in proxy.records]
    assert asked.count("trainedmodels") == 1
    assert asked.count("configmaps") <= 2

    client.apply(trained_model("second", place))
    (told,) = counted.reconcile(service, **GIVEN)["services"]
    assert listed(client, config) == ["first"]
    rules = {each["rule"] for each in told["problems"]}
    assert "trained-models-memory" in rules
    model["resources"] = {"limits": {"memory": "2Gi"}}
    counted.reconcile(service, **GIVEN)
    assert listed(client, config) == ["first", "second"]
    client.delete(trained_model("first", place))
    counted.reconcile(service, **GIVEN)
    assert listed(client, config) == ["second"]


def test_trained_models_say_whether_their_service_loads_them(
    counted: Entries, client: Client, proxy: Proxy, place: str
) -> None:
    crds.install(client, crds.documents(KSERVE_TRAINED_MODELS))
    service = server_of_many(place)
    models = [trained_model(name, place) for name in ("first", "second")]
    for each in models:
        client.apply(each)
    counted.reconcile(service, **WAIT)
    first, second = [said_of(client, each) for each in models]
    assert set(first.values()) == {"True"}
    assert second == {**first, "MemoryResourceAvailable": "False", "Ready": "False"}
    status = there(client, models[0])["status"]
    url = there(client, service)["status"]["url"]
    assert status["url"] == f"{url}/v1/models/first:predict"
    assert status["address"]["url"].endswith("/v1/models/first:predict")
    proxy.reset()
    assert not counted.reconcile(service, **GIVEN)["changed"]
    assert not [each for each in proxy.records if each.method == "PATCH"]
    client.delete(models[0])
    counted.reconcile(service, **GIVEN)
    assert set(said_of(client, models[1]).values()) == {"True"}


def said_of(client: Client, model: Json) -> dict[str, str]:
    """Return what the conditions of an object say."""
    return {each["type"]: each["status"] for each in there(client, model)["status"]["conditions"]}


def test_a_model_that_somebody_lists_by_hand_goes_and_the_run_says_so(
    entries: Entries, client: Client, place: str
) -> None:
    crds.install(client, crds.documents(KSERVE_TRAINED_MODELS))
    service = isvc("iris", place)
    del service["spec"]["predictor"]["model"]["storageUri"]
    entries.reconcile(service, **GIVEN)
    config = thing("v1", "ConfigMap", "modelconfig-iris-0", place)
    by_hand = [{"modelName": "mine", "modelSpec": {}}]
    client.patch(config, {"data": {"models.json": json.dumps(by_hand)}})
    predicted = entries.reconcile(service, check_mode=True, **GIVEN)
    assert "models.json" in reasons(predicted)
    assert listed(client, config) == ["mine"]
    entries.reconcile(service, **GIVEN)
    assert listed(client, config) == []


def listed(client: Client, config: Json) -> list[str]:
    """Return the models of which a ConfigMap tells a server."""
    return [each["modelName"] for each in json.loads(there(client, config)["data"]["models.json"])]
