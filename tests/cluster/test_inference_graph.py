# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceGraphs are made, kept, found, taken over and removed on a real API server, beside the services that they lead to."""

from __future__ import annotations

from typing import Any

from ansible_collections.modelops.inference.plugins.filter.rights import least_privilege
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.faults import writes
from tests.lab.proxy import Proxy

from .support.cluster import read, there
from .support.entries import Entries, actions, conditions
from .support.graphs import children, graph, prepare
from .support.inference_services import KSERVE, SETTINGS, config_map, isvc
from .support.places import knowing, own_namespace
from .support.services import custom_resource

Json = dict[str, Any]
GIVEN = {"settings": SETTINGS}
WAIT = {**GIVEN, "wait": True, "wait_timeout": 120.0}


client = knowing(prepare)
place = own_namespace("graph")


def router(client: Client, name: str, place: str) -> Json:
    """Return the router's container."""
    live = there(client, children(name, place)[0])
    container: Json = live["spec"]["template"]["spec"]["containers"][0]
    return container


def test_a_graph_and_its_service_get_ready_in_one_run_and_a_second_writes_nothing(
    counted: Entries, client: Client, proxy: Proxy, place: str
) -> None:
    services = [graph("chain", place), isvc("iris", place)]
    first = counted.reconcile(*services, **WAIT)
    assert set(actions(first).values()) == {"created"}
    assert [each["ready"] for each in first["services"]] == [True, True]
    for each in children("chain", place):
        there(client, each)
    live = there(client, custom_resource(services[0]))
    assert live["status"]["url"] == f"http://chain-{place}.example.com"
    said = {each["type"]: each["status"] for each in live["status"]["conditions"]}
    assert said == {"Ready": "True", "Stopped": "False"}
    address = there(client, custom_resource(services[1]))["status"]["address"]["url"]
    assert (
        f'"serviceUrl":"{address}/v1/models/iris:predict"'
        in router(client, "chain", place)["args"][1]
    )
    proxy.reset()
    second = counted.reconcile(*services, **GIVEN)
    assert not second["changed"]
    assert second["services"][0]["ready"]
    assert proxy.count(writes()) == 0
    assert there(client, custom_resource(services[0]))["status"] == live["status"]


def test_another_step_is_one_change_of_the_router(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(isvc("iris", place), graph("chain", place), **GIVEN)
    longer = graph("chain", place, {"serviceName": "iris"}, {"serviceUrl": "http://x.example.com"})
    predicted = entries.reconcile(longer, check_mode=True, diff=True, **GIVEN)
    result = entries.reconcile(longer, **GIVEN)
    assert actions(predicted) == actions(result)
    changed = {name: done for name, done in actions(result).items() if done != "unchanged"}
    assert changed == {"InferenceGraph/chain": "updated", "Deployment/chain": "updated"}
    assert "http://x.example.com" in router(client, "chain", place)["args"][1]


def test_a_stopped_graph_keeps_nothing_and_comes_back(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(isvc("iris", place), graph("chain", place), **GIVEN)
    stopped = graph("chain", place, annotations={"serving.kserve.io/stop": "true"})
    result = entries.reconcile(stopped, **GIVEN)
    assert conditions(result) == {"Stopped": "True", "Ready": "False"}
    assert [each for each in children("chain", place) if read(client, each)] == []
    again = entries.reconcile(graph("chain", place), **WAIT)
    assert conditions(again) == {"Ready": "True", "Stopped": "False"}


def test_an_autoscaler_that_is_no_longer_wanted_goes(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(isvc("iris", place), graph("chain", place), **GIVEN)
    alone = graph(
        "chain", place, annotations={"serving.kserve.io/autoscalerClass": "none"}, minReplicas=2
    )
    result = entries.reconcile(alone, **GIVEN)
    assert actions(result)["HorizontalPodAutoscaler/chain"] == "deleted"
    assert there(client, children("chain", place)[0])["spec"]["replicas"] == 2


def test_a_graph_that_leads_nowhere_is_refused_before_anything_is_written(
    entries: Entries, client: Client, place: str
) -> None:
    lost = graph("chain", place, {"serviceName": "iris"}, {"serviceName": "wine"})
    message = entries.refused(lost, isvc("other", place), **GIVEN)
    assert (
        "spec.nodes.root.steps[0].serviceName: InferenceService iris cannot be asked: it does not exist"
        in message
    )
    assert "spec.nodes.root.steps[1].serviceName" in message
    assert read(client, custom_resource(lost)) is None
    assert read(client, custom_resource(isvc("other", place))) is None


def test_a_service_that_goes_while_a_graph_leads_to_it_is_told(
    entries: Entries, client: Client, place: str
) -> None:
    chain, iris = graph("chain", place), isvc("iris", place)
    fleet = {"fleet": place, "max_deletions": 50, **GIVEN}
    entries.reconcile(chain, iris, **fleet)
    message = entries.refused(chain, state="overridden", **fleet)
    assert "InferenceService iris cannot be asked: this run removes it" in message
    there(client, custom_resource(iris))
    told = entries.reconcile(iris, state="absent", check_mode=True, **fleet)["warnings"]
    both = entries.reconcile(chain, iris, state="absent", check_mode=True, **fleet)["warnings"]
    assert not both
    assert (
        f"InferenceGraph {place}/chain still sends requests to InferenceService {place}/iris"
        in (told[0])
    )
    assert entries.reconcile(iris, state="absent", **fleet)["warnings"] == told
    entries.reconcile(chain, state="absent", **fleet)


def test_a_graph_that_only_the_cluster_reaches_says_how_it_can_be_asked(
    entries: Entries, place: str
) -> None:
    asked = {**WAIT, "wait_for": "answer"}
    message = entries.refused(graph("chain", place), isvc("iris", place), **asked)
    assert "it can only be called inside the cluster" in message
    assert "set answer.through: apiserver" in message


def test_a_graph_is_found_told_and_removed(entries: Entries, client: Client, place: str) -> None:
    given = graph("chain", place, {"serviceName": "iris", "name": "first"}, minReplicas=2)
    entries.reconcile(isvc("iris", place), given, **WAIT)
    told = entries.info(fleet="default", namespace=place, **GIVEN)["services"]
    found = {each["kind"]: each for each in told}
    assert found["InferenceGraph"]["ready"]
    assert found["InferenceGraph"]["drift"] == []
    gathered = entries.reconcile(state="gathered", namespace=place)["gathered"]
    assert [each for each in gathered if each["kind"] == "InferenceGraph"] == [given]
    entries.reconcile(given, state="absent", wait=True, **GIVEN)
    assert read(client, custom_resource(given)) is None
    assert [each for each in children("chain", place) if read(client, each)] == []
    assert read(client, custom_resource(isvc("iris", place))) is not None


def test_what_kserve_s_controller_made_is_taken_over_without_a_restart(
    entries: Entries, client: Client, place: str
) -> None:
    given = graph("chain", place)
    entries.reconcile(isvc("iris", place), **GIVEN)
    rendered = entries.reconcile(
        given,
        state="rendered",
        cluster_objects=[there(client, custom_resource(isvc("iris", place)))],
    )["manifests"]
    for each in rendered:
        for key in ("inference.modelops.io/fleet",):
            each["metadata"]["labels"].pop(key)
        each["metadata"].pop("annotations")
        client.create(each)
    before = there(client, children("chain", place)[0])
    assert "adopt" in entries.refused(given, **GIVEN)
    result = entries.reconcile(given, adopt=True, **GIVEN)
    assert actions(result)["Deployment/chain"] == "adopted"
    after = there(client, children("chain", place)[0])
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["spec"]["template"] == before["spec"]["template"]


def test_generated_rights_are_enough_for_a_graph_and_its_service(
    lab: Cluster, client: Client, place: str
) -> None:
    container = {
        "image": "registry.example.com/x:1",
        "resources": {"limits": {"cpu": "10m"}, "requests": {"cpu": "10m"}},
    }
    service = isvc("iris", place)
    service["spec"]["predictor"] = {"containers": [container]}
    services = [service, graph("chain", place)]
    rendered = Entries(None).reconcile(
        *services, state="rendered", cluster_objects=[config_map()], **GIVEN
    )
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": place}
    found = least_privilege(rendered, subject, name=f"{place}-robot", kserve_namespace=KSERVE)
    assert found["lost"] == []
    entries = Entries(lab.service_account_kubeconfig("robot", place))
    for each in found["manifests"]:
        client.apply(each)
    made = entries.reconcile(*services, fit="ignore", **WAIT)
    assert [each["ready"] for each in made["services"]] == [True, True]
    assert not entries.reconcile(*services, **GIVEN)["changed"]
    gone = entries.reconcile(*services, state="absent", **GIVEN)
    assert "deleted" in actions(gone).values()
