# SPDX-License-Identifier: GPL-3.0-or-later
"""An autoscaler takes the place of another one on a real API server. KEDA does not run there, so nobody acts on a ScaledObject."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from module_utils.kube.manifest import Json
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.crd_sources import KSERVE_NEIGHBOURS
from tests.lab.proxy import Proxy
from tests.objects import thing
from tests.parity.matching import CASES, load
from tests.parity.recorded_inference_services import RECORDINGS
from tests.parity.recorded_llm_services import read_all

from .support.cluster import read, there
from .support.entries import Entries
from .support.inference_services import SETTINGS, isvc, prepare
from .support.places import own_namespace

GIVEN = {"settings": SETTINGS}
CLASS = "serving.kserve.io/autoscalerClass"
CPU = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}},
}
CASE = CASES / "is-hpa-to-keda"


@pytest.fixture(scope="module")
def client(lab: Cluster) -> Client:
    """A cluster that knows the kind and KEDA's, with the runtimes that KServe ships."""
    prepare(lab.client)
    crds.install(lab.client, crds.documents(KSERVE_NEIGHBOURS))
    for runtime in read_all(RECORDINGS / "context" / "clusterservingruntimes.yaml"):
        lab.client.apply(runtime)
    return lab.client


place = own_namespace("isvc")


def hpa(name: str, place: str) -> Json:
    return thing("autoscaling/v2", "HorizontalPodAutoscaler", f"{name}-predictor", place)


def scaled_object(name: str, place: str) -> Json:
    return thing("keda.sh/v1alpha1", "ScaledObject", f"{name}-predictor", place)


def scaled_by(autoscaler: str, place: str, **more: Any) -> Json:
    return isvc("iris", place, {CLASS: autoscaler}, **more)


def written(proxy: Proxy) -> list[tuple[str, str]]:
    """Return verb and kind of what was written about autoscalers, in its order; what is applied anew is told once."""
    plurals = ("horizontalpodautoscalers", "scaledobjects")
    done = [
        (one.verb, one.resource.plural)
        for one in proxy.records
        if one.is_write and one.resource.plural in plurals
    ]
    return list(dict.fromkeys(done))


def test_an_autoscaler_of_the_controller_goes_before_keda_s_comes(
    counted: Entries, client: Client, proxy: Proxy, place: str
) -> None:
    """The case is-hpa-to-keda: KEDA's webhook refuses a ScaledObject while an HPA scales the same Deployment."""
    before, old = yaml.safe_load_all((CASE / "cluster.yaml").read_text(encoding="utf-8"))
    service = load(CASE / "input.yaml")
    for each in (before, old, service):
        each["metadata"]["namespace"] = place
    before["metadata"].pop("uid")
    owner = client.apply(before)
    old["metadata"]["ownerReferences"][0]["uid"] = owner["metadata"]["uid"]
    client.apply(old)
    proxy.reset()
    counted.reconcile(service, reconciler="direct", adopt=True, **GIVEN)
    assert written(proxy) == [("delete", "horizontalpodautoscalers"), ("apply", "scaledobjects")]
    assert read(client, hpa("chat", place)) is None
    assert there(client, scaled_object("chat", place))["spec"]["scaleTargetRef"] == {
        "name": "chat-predictor"
    }


def test_one_of_ours_goes_before_the_other_comes_and_back(
    counted: Entries, client: Client, proxy: Proxy, place: str
) -> None:
    counted.reconcile(scaled_by("hpa", place), **GIVEN)
    there(client, hpa("iris", place))
    proxy.reset()
    keda = scaled_by("keda", place, autoScaling={"metrics": [CPU]})
    counted.reconcile(keda, **GIVEN)
    assert written(proxy) == [("delete", "horizontalpodautoscalers"), ("apply", "scaledobjects")]
    assert read(client, hpa("iris", place)) is None
    assert not counted.reconcile(keda, **GIVEN)["changed"]
    proxy.reset()
    counted.reconcile(scaled_by("hpa", place), **GIVEN)
    assert written(proxy) == [("delete", "scaledobjects"), ("apply", "horizontalpodautoscalers")]
    assert read(client, scaled_object("iris", place)) is None
    assert not counted.reconcile(scaled_by("hpa", place), **GIVEN)["changed"]


def test_replicas_keep_their_number_when_an_autoscaler_takes_over(
    entries: Entries, client: Client, place: str
) -> None:
    deployment = thing("apps/v1", "Deployment", "iris-predictor", place)
    entries.reconcile(scaled_by("none", place, minReplicas=3), **GIVEN)
    assert there(client, deployment)["spec"]["replicas"] == 3
    entries.reconcile(scaled_by("external", place, minReplicas=3), **GIVEN)
    assert there(client, deployment)["spec"]["replicas"] == 3
    client.patch(deployment, {"spec": {"replicas": 5}})
    assert not entries.reconcile(scaled_by("external", place, minReplicas=3), **GIVEN)["changed"]
    assert there(client, deployment)["spec"]["replicas"] == 5
    entries.reconcile(scaled_by("none", place, minReplicas=2), **GIVEN)
    assert there(client, deployment)["spec"]["replicas"] == 2
