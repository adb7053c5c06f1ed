# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""InferenceServices with KServe's own model server, answered through their HTTPRoutes; one has a transformer in front of its predictor.

The model, which adds up, is fetched from S3 by KServe's own package with the keys of an account. Nothing is a stand-in but the model itself and the
cluster's DNS, by which a transformer finds its predictor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.support.entries import Entries
from tests.cluster.support.inference_services import isvc
from tests.lab.client import Client

from . import bucket
from .asking import Answer, ask, until
from .kserve import PROBE, READY_WITHIN, SMALL
from .sources import Sources

Json = dict[str, Any]
ASKING: Json = {"wait": True, "wait_timeout": READY_WITHIN, "wait_for": "answer"}
BODY: Json = {"instances": [[1, 2, 3], [4, 5, 6]]}
SUMS, DOUBLED_SUMS = [6, 15], [12, 30]
PLAIN, TRANSFORMED = "adds", "doubles"


@pytest.fixture(scope="module")
def services(server: str, client: Client, fetching: Sources, shared_namespace: str) -> list[Json]:
    """A predictor alone, and one with a transformer; both models come from the bucket."""
    client.apply_all(fetching.credentials("models", shared_namespace))
    storage = {"storageUri": f"s3://{bucket.BUCKET}/{bucket.MODEL}"}
    made = []
    for name in (PLAIN, TRANSFORMED):
        own = isvc(name, shared_namespace, minReplicas=1, maxReplicas=1)
        own["spec"]["predictor"] |= {"serviceAccountName": "models"}
        own["spec"]["predictor"]["model"] |= storage
        made.append(own)
    container = {"image": server, "resources": SMALL, "readinessProbe": PROBE}
    made[1]["spec"]["transformer"] = {
        "containers": [container],
        "minReplicas": 1,
        "maxReplicas": 1,
    }
    return made


@pytest.fixture(scope="module")
def asked(services: list[Json], secured: Entries) -> Json:
    """What a task says that waited for the answers of both."""
    return secured.reconcile(*services, **ASKING)


def predict(asked: Json, name: str) -> Answer:
    """Ask a service as its result says that it is called."""
    (found,) = [each for each in asked["services"] if each["name"] == name]
    return ask(f"/v1/models/{name}:predict", headers={"Host": found["request"]["host"]}, body=BODY)


def test_real_model_server_with_a_model_from_a_real_bucket_predicts_through_its_route(
    asked: Json, answered: Callable[[object], None]
) -> None:
    answer = until(200, lambda: predict(asked, PLAIN))
    assert answer.json()["predictions"] == SUMS, answer
    assert answer.json()["weights"] == bucket.CONFIG["architectures"], answer
    assert answer.pod.startswith(f"{PLAIN}-predictor-"), answer
    answered(answer)


def test_real_transformer_stands_before_its_predictor_which_it_finds_by_the_stand_in_for_dns(
    asked: Json, answered: Callable[[object], None]
) -> None:
    answer = until(200, lambda: predict(asked, TRANSFORMED))
    assert answer.json()["predictions"] == DOUBLED_SUMS, answer
    assert answer.pod.startswith(f"{TRANSFORMED}-predictor-"), answer
    assert answer.json()["doubled_by"].startswith(f"{TRANSFORMED}-transformer-"), answer
    answered(answer)


def test_wait_for_an_answer_of_real_model_servers_ends_with_their_own_words(asked: Json) -> None:
    assert [each["answer"]["status"] for each in asked["services"]] == [200, 200], asked


@pytest.mark.usefixtures("asked")
def test_pod_of_a_real_model_server_is_changed_as_the_webhook_would(
    client: Client, shared_namespace: str
) -> None:
    """Nobody installed KServe's webhook here."""
    initializers = {
        pod["metadata"]["labels"]["component"]: [
            each["name"] for each in pod["spec"].get("initContainers") or ()
        ]
        for pod in client.list_all("v1", "Pod", shared_namespace)
    }
    assert initializers == {"predictor": ["storage-initializer"], "transformer": []}


@pytest.mark.usefixtures("asked")
def test_second_run_over_real_model_servers_writes_nothing(
    services: list[Json], secured: Entries
) -> None:
    result = secured.reconcile(*services, wait=True, wait_timeout=READY_WITHIN)
    assert not result["changed"], result
    assert result["stats"]["writes"] == 0
