# SPDX-License-Identifier: GPL-3.0-or-later
"""What is beside InferenceServices costs no more looks the more of it there is: TrainedModels of a service, runtimes of a set."""

from __future__ import annotations

from tests.lab import crds
from tests.lab.client import Client
from tests.lab.crd_sources import KSERVE_TRAINED_MODELS
from tests.lab.faults import writes
from tests.lab.proxy import Proxy
from tests.long import often
from tests.unit.sets.test_runtimes import runtime

from .support import inference_services
from .support.entries import Entries
from .support.inference_services import isvc, trained_model
from .support.places import knowing, own_namespace

MANY = often(20, long=100)
#: For everything that a settled run looks at.
SETTLED = 24

client = knowing(inference_services.prepare)
place = own_namespace("beside")


def test_the_settled_models_of_a_service_cost_so_many_looks(
    counted: Entries, client: Client, proxy: Proxy, place: str
) -> None:
    crds.install(client, crds.documents(KSERVE_TRAINED_MODELS))
    service = isvc("iris", place)
    del service["spec"]["predictor"]["model"]["storageUri"]
    options = {"settings": inference_services.SETTINGS}
    models = [trained_model(f"model-{number}", place) for number in range(MANY)]
    for each in models:
        client.create(each)
    counted.reconcile(service, **options, wait=True, wait_timeout=120.0)
    while counted.reconcile(service, **options)["stats"]["writes"]:
        pass
    config = client.get("v1", "ConfigMap", "modelconfig-iris-0", place)
    assert config is not None
    told = [
        client.get(each["apiVersion"], each["kind"], each["metadata"]["name"], place)
        for each in models
    ]
    assert all(each and each["status"]["conditions"] for each in told)
    proxy.reset()
    assert not counted.reconcile(service, **options)["changed"]
    assert proxy.count(writes()) == 0
    assert proxy.requests <= SETTLED


def test_a_settled_set_of_runtimes_costs_so_many_looks(
    counted: Entries, proxy: Proxy, place: str
) -> None:
    runtimes = [runtime(f"runtime-{number}", number + 1, namespace=place) for number in range(MANY)]
    given = {"name": "runtimes", "namespace": place, "definition": runtimes}
    assert not counted.applyset(**given).get("failed")
    proxy.reset()
    again = counted.applyset(**given)
    assert not again.get("failed")
    assert not again["changed"]
    assert proxy.count(writes()) == 0
    assert proxy.requests <= SETTLED
