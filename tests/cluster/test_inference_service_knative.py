# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceServices in Knative mode on a real API server with Knative's own CRDs. Knative does not run there: the tests say what it would."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.objects import thing

from .support import knative as of_knative
from .support.cluster import there
from .support.entries import Entries, conditions
from .support.inference_services import SETTINGS, isvc, prepare
from .support.places import knowing, own_namespace
from .support.services import custom_resource

GIVEN = {"settings": SETTINGS}

client = knowing(prepare, of_knative.prepare)
place = own_namespace("knative")


class Knative:
    """The predictor's Knative Service: what is wanted of it, and what Knative would report."""

    def __init__(self, client: Client, entries: Entries, place: str) -> None:
        self._client = client
        self._entries = entries
        self._place = place

    def reconcile(self, storage: str = "hf://acme/iris", **predictor: Any) -> Json:
        """Reconcile the service with a model and return the result."""
        model = {"modelFormat": {"name": "lab"}, "storageUri": storage}
        service = isvc("iris", self._place, of_knative.MODE, model=model, **predictor)
        return self._entries.reconcile(service, **GIVEN)

    @property
    def made(self) -> Json:
        """The Knative Service as it is."""
        return there(self._client, thing(of_knative.API, "Service", "iris-predictor", self._place))

    @property
    def status(self) -> Json:
        """What the InferenceService says of its predictor."""
        live = there(self._client, custom_resource(isvc("iris", self._place)))
        found: Json = live["status"]["components"]["predictor"]
        return found

    def traffic(self) -> list[tuple[str, int]]:
        """Return what is wanted: the revision, `latest` for whichever is newest, and its share in per cent."""
        return [
            (each.get("revisionName") or "latest", each["percent"])
            for each in self.made["spec"]["traffic"]
        ]

    def serve(self, number: int) -> None:
        """Report that the newest revision, the one with this number, is ready and that requests go where they are wanted."""
        newest = revision(number)
        made = self.made
        shares = [{"revisionName": newest, **each} for each in made["spec"]["traffic"]]
        said = {
            "url": f"http://iris-predictor.{self._place}.example.com",
            "address": {"url": f"http://iris-predictor.{self._place}.svc.cluster.local"},
            "observedGeneration": made["metadata"]["generation"],
            "latestCreatedRevisionName": newest,
            "latestReadyRevisionName": newest,
            "traffic": shares,
            "conditions": [
                {"type": kind, "status": "True"}
                for kind in ("ConfigurationsReady", "Ready", "RoutesReady")
            ],
        }
        self._client.patch_status(made, said)


def revision(number: int) -> str:
    """Return the name that Knative gives to a revision of the predictor."""
    return f"iris-predictor-{number:05}"


@pytest.fixture
def knative(client: Client, entries: Entries, place: str) -> Knative:
    """A service that is not there yet."""
    return Knative(client, entries, place)


@pytest.fixture
def canary(knative: Knative) -> Knative:
    """A service whose second model gets a tenth of the requests."""
    knative.reconcile()
    knative.serve(1)
    knative.reconcile()
    assert knative.reconcile("hf://acme/iris-2", canaryTrafficPercent=10)["changed"]
    assert knative.traffic() == [("latest", 10), (revision(1), 90)]
    knative.serve(2)
    result = knative.reconcile("hf://acme/iris-2", canaryTrafficPercent=10)
    assert conditions(result)["Ready"] == "True"
    return knative


def test_a_service_is_ready_once_knative_says_so(
    knative: Knative, client: Client, place: str
) -> None:
    assert conditions(knative.reconcile())["Ready"] == "Unknown"
    knative.serve(1)
    second = knative.reconcile()
    said = conditions(second)
    assert (said["PredictorReady"], said["RoutesReady"], said["Ready"]) == ("True",) * 3
    assert second["services"][0]["url"] == f"http://iris.{place}.example.com"
    route = there(client, thing("networking.istio.io/v1beta1", "VirtualService", "iris", place))
    assert f"iris.{place}.example.com" in route["spec"]["hosts"]
    outside = there(client, thing("v1", "Service", "iris", place))
    assert outside["spec"]["type"] == "ExternalName"
    again = knative.reconcile()
    assert not again["changed"], again["services"]


def test_a_canary_keeps_its_share_and_costs_no_write_once_it_is_there(canary: Knative) -> None:
    again = canary.reconcile("hf://acme/iris-2", canaryTrafficPercent=10)
    assert (again["changed"], again["stats"]["writes"]) == (False, 0)
    assert canary.status["latestReadyRevision"] == revision(2)
    assert canary.status["latestRolledoutRevision"] == revision(1)


def test_a_larger_share_still_spares_the_old_model(canary: Knative) -> None:
    assert canary.reconcile("hf://acme/iris-2", canaryTrafficPercent=50)["changed"]
    assert canary.traffic() == [("latest", 50), (revision(1), 50)]


def test_a_promoted_canary_gets_every_request(canary: Knative) -> None:
    canary.reconcile("hf://acme/iris-2")
    assert canary.traffic() == [("latest", 100)]
    canary.serve(2)
    canary.reconcile("hf://acme/iris-2")
    assert canary.status["latestRolledoutRevision"] == revision(2)
    assert canary.status["previousRolledoutRevision"] == revision(1)
    again = canary.reconcile("hf://acme/iris-2")
    assert not again["changed"], again["services"]


def test_a_share_of_nothing_takes_the_canary_back(canary: Knative) -> None:
    canary.reconcile("hf://acme/iris-2", canaryTrafficPercent=0)
    assert canary.traffic() == [("latest", 0), (revision(1), 100)]
    canary.serve(2)
    canary.reconcile("hf://acme/iris-2", canaryTrafficPercent=0)
    assert canary.status["latestRolledoutRevision"] == revision(1)
    again = canary.reconcile("hf://acme/iris-2", canaryTrafficPercent=0)
    assert not again["changed"], again["services"]
