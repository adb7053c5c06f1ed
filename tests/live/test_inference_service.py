# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An InferenceService with KServe's own model server, answered through its HTTPRoute.

The model is one that adds up, and the storage initializer is a stand-in, as each test says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.support.entries import Entries
from tests.cluster.support.inference_services import isvc, runtime
from tests.lab.client import Client
from tests.lab.errors import LabError

from . import images
from .asking import Answer, ask, until
from .kserve import READY_WITHIN
from .lab import Live

Json = dict[str, Any]
ASKING: Json = {"wait": True, "wait_timeout": READY_WITHIN, "wait_for": "answer"}
BODY: Json = {"instances": [[1, 2, 3], [4, 5, 6]]}
SUMS = [6, 15]


@pytest.fixture(scope="module")
def server(live: Live, client: Client) -> None:
    """A runtime whose image is KServe's own model server."""
    try:
        image = live.bring(images.MODEL_SERVER)
    except LabError as error:
        pytest.skip(f"not run: {error}")
    made = runtime(image)
    (container,) = made["spec"]["containers"]
    container["resources"] = {"requests": {"cpu": "50m", "memory": "128Mi"}}
    container["readinessProbe"] = {"httpGet": {"path": "/v2/health/ready", "port": 8080}}
    client.apply(made)


@pytest.fixture(scope="module")
def service(server: None, secured: Entries, shared_namespace: str) -> Json:  # noqa: ARG001
    """A service that was Ready and answered the wait."""
    wanted = isvc("adds", shared_namespace, minReplicas=1, maxReplicas=1)
    result = secured.reconcile(wanted, **ASKING)
    assert result["services"][0]["answer"]["status"] == 200, result
    return wanted


def predict(service: Json) -> Answer:
    meta = service["metadata"]
    host = f"{meta['name']}-{meta['namespace']}.example.com"
    return ask(f"/v1/models/{meta['name']}:predict", headers={"Host": host}, body=BODY)


def test_real_model_server_with_a_model_by_a_stand_in_initializer_predicts_through_its_route(
    service: Json, answered: Callable[[object], None]
) -> None:
    answer = until(200, lambda: predict(service))
    assert answer.json()["predictions"] == SUMS, answer
    assert answer.pod.startswith("adds-predictor-"), answer
    answered(answer)


def test_pod_with_a_stand_in_initializer_is_changed_as_the_webhook_would(
    service: Json, client: Client
) -> None:
    """Nobody installed KServe's webhook here."""
    (pod,) = client.list_all("v1", "Pod", service["metadata"]["namespace"])
    assert [each["name"] for each in pod["spec"]["initContainers"]] == ["storage-initializer"]


def test_second_run_over_a_real_model_server_and_a_stand_in_initializer_writes_nothing(
    service: Json, secured: Entries
) -> None:
    result = secured.reconcile(service, wait=True, wait_timeout=READY_WITHIN)
    assert not result["changed"], result
    assert result["stats"]["writes"] == 0
