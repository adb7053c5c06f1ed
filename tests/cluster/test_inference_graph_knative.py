# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceGraphs in Knative mode on a real API server with Knative's own CRD. Knative does not run there: the tests say what it would."""

from __future__ import annotations

from typing import Any

from tests.lab.client import Client
from tests.objects import thing

from .support import knative
from .support.cluster import read, there
from .support.entries import Entries, actions, conditions
from .support.graphs import children, graph, prepare
from .support.inference_services import SETTINGS, isvc
from .support.places import knowing, own_namespace
from .support.services import custom_resource

Json = dict[str, Any]
GIVEN = {"settings": SETTINGS}
SAID = ("ConfigurationsReady", "Ready", "RoutesReady")

client = knowing(prepare, knative.prepare)
place = own_namespace("flow")


def router(place: str) -> Json:
    """Return a reference to the Service that Knative runs."""
    return thing(knative.API, "Service", "chain", place)


def serve(client: Client, place: str, ready: str) -> str:
    """Report what Knative would, and return the URL."""
    made, url = there(client, router(place)), f"http://chain.{place}.example.com"
    said = {
        "observedGeneration": made["metadata"]["generation"],
        "url": url,
        "conditions": [{"type": kind, "status": ready} for kind in SAID],
    }
    client.patch_status(made, said)
    return url


def test_a_graph_is_ready_once_knative_says_so(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(isvc("iris", place), **GIVEN)
    wanted = graph("chain", place, annotations=knative.MODE, minReplicas=0, maxReplicas=3)
    predicted = entries.reconcile(wanted, check_mode=True, **GIVEN)
    first = entries.reconcile(wanted, **GIVEN)
    assert actions(predicted) == actions(first)
    assert actions(first) == {"InferenceGraph/chain": "created", "Service/chain": "created"}
    assert conditions(first) == {"Stopped": "False"}
    assert not first["services"][0]["ready"]
    url = serve(client, place, "True")
    second = entries.reconcile(wanted, **GIVEN)
    assert conditions(second) == {**dict.fromkeys(SAID, "True"), "Stopped": "False"}
    assert (second["services"][0]["ready"], second["services"][0]["url"]) == (True, url)
    again = entries.reconcile(wanted, **GIVEN)
    assert (again["changed"], again["stats"]["writes"]) == (False, 0)
    serve(client, place, "False")
    failed = entries.reconcile(wanted, **GIVEN)
    assert conditions(failed)["Ready"] == "False"
    assert "url" not in there(client, custom_resource(wanted))["status"]
    (found,) = entries.info(wanted, **GIVEN)["services"]
    assert found["drift"] == []


def test_a_graph_that_knative_runs_loses_what_standard_mode_had(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(isvc("iris", place), graph("chain", place), **GIVEN)
    wanted = graph("chain", place, annotations=knative.MODE)
    result = entries.reconcile(wanted, **GIVEN)
    assert [each for each in children("chain", place) if read(client, each)] == []
    assert actions(result)["Deployment/chain"] == "deleted"
    there(client, router(place))
    stopped = {**knative.MODE, "serving.kserve.io/stop": "true"}
    entries.reconcile(graph("chain", place, annotations=stopped), **GIVEN)
    assert read(client, router(place)) is None
    entries.reconcile(graph("chain", place), **GIVEN)
    for each in children("chain", place):
        there(client, each)
