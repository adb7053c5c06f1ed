# SPDX-License-Identifier: GPL-3.0-or-later
"""The release of InferenceServices finds itself as that of LLMInferenceServices does; what stands in its way is told before any write."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.inference_service.crd import crd
from module_utils.kinds.kserve.releases import KServe
from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.proxy import Proxy
from tests.objects import thing

from .support.cluster import there, written
from .support.entries import Entries, actions
from .support.inference_services import KSERVE, SETTINGS, isvc, prepare
from .support.places import knowing, own_namespace
from .test_found_releases import RELEASE, controller, of

client = knowing(prepare)
place = own_namespace("found-isvc")

MANAGER = ("kserve-controller-manager", KSERVE)
STANDARD = {"serving.kserve.io/deploymentMode": "Standard"}


def options(release: str = "auto", **more: Any) -> Json:
    return {"settings": SETTINGS, "releases": {"kserve": release}, **more}


def iris(place: str, **predictor: Any) -> Json:
    return isvc("iris", place, STANDARD, **predictor)


@pytest.mark.parametrize(("tag", "release"), [("v0.19.0", "0.19"), ("v0.99.1", "0.21")])
def test_a_new_service_gets_the_release_of_the_controller_or_the_nearest(
    entries: Entries, client: Client, place: str, tag: str, release: str
) -> None:
    with controller(client, f"kserve/kserve-controller:{tag}", *MANAGER):
        result = entries.reconcile(iris(place), **options(), check_mode=True)
    assert of(result) == (release, "controller")
    told = [text for text in result["warnings"] if "0.99" in text]
    assert [("KServe 0.99 was found" in text, "0.21 is taken" in text) for text in told] == (
        [(True, True)] if tag == "v0.99.1" else []
    )


def test_a_service_keeps_the_release_that_made_its_objects(
    entries: Entries, counted: Entries, proxy: Proxy, client: Client, place: str
) -> None:
    entries.reconcile(iris(place), **options("0.18"))
    with controller(client, "kserve/kserve-controller:v0.20.0", *MANAGER):
        kept = counted.reconcile(iris(place), **options())
    assert (of(kept), kept["changed"], actions(kept)) == (("0.18", "objects"), False, {})
    assert proxy.requests <= 20


def test_objects_that_two_releases_made_are_named_and_nothing_is_written(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(iris(place), **options("0.18"))
    workload = thing("apps/v1", "Deployment", "iris-predictor", place)
    client.patch(workload, {"metadata": {"annotations": {RELEASE: "0.20"}}})
    message = entries.refused(iris(place), **options())
    assert f"Deployment {place}/iris-predictor was made as 0.20" in message
    assert "the service has 0.18" in message


def test_a_field_of_a_later_release_is_named_with_what_this_one_does(
    entries: Entries, client: Client, place: str
) -> None:
    entries.reconcile(iris(place), **options("0.19"))
    workload = thing("apps/v1", "Deployment", "iris-predictor", place)
    before = written(there(client, workload))
    service = iris(place)
    service["spec"]["predictor"]["name"] = "two"
    message = entries.refused(service, **options())
    assert "spec.predictor.name" in message
    assert "KServe 0.20 knows it, and 0.19 would drop it" in message
    assert written(there(client, workload)) == before


def test_a_crd_that_lacks_a_field_is_named_with_it(
    entries: Entries, client: Client, place: str
) -> None:
    predictor = {"name": "two", "model": {"modelFormat": {"name": "lab"}, "storageUri": "hf://a/b"}}
    service = iris(place)
    service["spec"]["canary"] = [{"predictor": predictor, "trafficPercent": 10}]
    client.apply(crd(KServe.V0_17))
    try:
        message = entries.refused(service, **options("0.20"))
        assert "the CRD in the cluster does not declare spec.canary" in message
        assert of(entries.reconcile(iris(place), **options("0.20"))) == ("0.20", "option")
    finally:
        client.apply(crd())


def test_a_written_release_is_a_plan_and_later_ones_are_told(entries: Entries, place: str) -> None:
    entries.reconcile(iris(place), **options("0.19"))
    (shown,) = entries.info(iris(place), **options(), upgrades=True)["services"]
    assert [each["version"] for each in shown["upgrades"]] == ["0.20", "0.21"]
    assert [each["restarts"] for each in shown["upgrades"]] == [[], []]
    entries.reconcile(iris(place), **options("0.20"))
    assert of(entries.reconcile(iris(place), **options())) == ("0.20", "objects")
