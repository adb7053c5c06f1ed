# SPDX-License-Identifier: GPL-3.0-or-later
"""Canaries of InferenceServices on a real API server: they get their share in one run, and become the predictor without a restart."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.kserve.releases import KServe
from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.faults import writes
from tests.lab.proxy import Proxy
from tests.objects import thing

from .support.cluster import read, there
from .support.entries import Entries, actions, conditions
from .support.inference_services import GATEWAY_API, SETTINGS, isvc, prepare
from .support.places import knowing, own_namespace

client = knowing(prepare)
place = own_namespace("canary")

MODEL = {"modelFormat": {"name": "lab"}, "storageUri": "hf://acme/iris-two"}


def options(release: str = "0.20", **more: Any) -> Json:
    return {
        "settings": SETTINGS,
        "releases": {"kserve": release},
        "wait": True,
        "wait_timeout": 90.0,
        **more,
    }


def with_canary(place: str, share: int = 20) -> Json:
    """Return a service whose canary has a model of its own."""
    service = isvc("iris", place, annotations={"serving.kserve.io/deploymentMode": "Standard"})
    predictor = {"name": "two", "model": MODEL}
    service["spec"]["canary"] = [{"predictor": predictor, "trafficPercent": share}]
    return service


def shares(client: Client, place: str, name: str = "iris") -> dict[str, int]:
    route = there(client, thing(GATEWAY_API, "HTTPRoute", name, place))
    (rule,) = route["spec"]["rules"]
    return {each["name"]: each["weight"] for each in rule["backendRefs"]}


def deployment(place: str) -> Json:
    return thing("apps/v1", "Deployment", "iris-two-predictor", place)


@pytest.mark.parametrize("release", [str(each) for each in KServe if each >= KServe.V0_20])
def test_a_canary_gets_its_share_in_the_run_that_makes_it(
    entries: Entries,
    counted: Entries,
    proxy: Proxy,
    client: Client,
    place: str,
    release: str,
) -> None:
    service = with_canary(place)
    made = entries.reconcile(service, **options(release))
    assert conditions(made)["CanaryPredictorReady"] == "True"
    for name in ("iris", "iris-predictor"):
        assert shares(client, place, name) == {"iris-predictor": 80, "iris-two-predictor": 20}
    status = there(client, service)["status"]["canaryStatuses"]
    assert [(each["name"], each["ready"]) for each in status] == [("two", True)]
    proxy.reset()
    again = counted.reconcile(service, **options(release, wait=False))
    assert (again["changed"], actions(again), proxy.count(writes())) == (False, {}, 0)
    assert proxy.requests <= 20
    more = with_canary(place, share=50)
    predicted = entries.reconcile(more, **options(release), check_mode=True)
    routes = {"HTTPRoute/iris", "HTTPRoute/iris-predictor"}
    assert {*actions(predicted)} == {"InferenceService/iris", *routes}
    entries.reconcile(more, **options(release))
    assert shares(client, place) == {"iris-predictor": 50, "iris-two-predictor": 50}


def test_a_canary_becomes_the_predictor_and_keeps_its_pods(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(with_canary(place), **options())
    before = there(client, deployment(place))
    service = with_canary(place)
    del service["spec"]["canary"]
    service["spec"]["predictor"] = {"name": "two", "model": MODEL}
    entries.reconcile(service, **options())
    after = there(client, deployment(place))
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["spec"]["template"] == before["spec"]["template"]
    assert read(client, thing("apps/v1", "Deployment", "iris-predictor", place)) is None
    assert "canaryStatuses" not in there(client, service)["status"]


def test_a_canary_that_went_leaves_nothing(entries: Entries, client: Client, place: str) -> None:
    entries.reconcile(with_canary(place), **options())
    service = with_canary(place)
    del service["spec"]["canary"]
    done = entries.reconcile(service, **options())
    assert {name for name, what in actions(done).items() if what == "deleted"} == {
        "Deployment/iris-two-predictor",
        "Service/iris-two-predictor",
        "HorizontalPodAutoscaler/iris-two-predictor",
    }
    for name in ("iris", "iris-predictor"):
        route = there(client, thing(GATEWAY_API, "HTTPRoute", name, place))
        assert [each["name"] for each in route["spec"]["rules"][0]["backendRefs"]] == [
            "iris-predictor"
        ]
