# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An LLMInferenceService by the collection's own presets for KServe 0.19, with TLS between gateway, picker and engine.

Engine and storage initializer are stand-ins, as each test says.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest
import urllib3

from tests.cluster.support.entries import Entries
from tests.cluster.support.llm_services import routed
from tests.lab.client import Client

from .asking import until
from .kserve import READY_WITHIN, ask, over_tls

Json = dict[str, Any]


@pytest.fixture(scope="module")
def service(secured: Entries, client: Client, shared_namespace: str) -> Json:
    """A service of two pods that was Ready."""
    wanted = routed("answers", shared_namespace, replicas=2)
    over_tls(client, wanted)
    result = secured.reconcile(wanted, wait=True, wait_timeout=READY_WITHIN)
    assert result["services"][0]["ready"] is True, result
    return wanted


def test_presets_with_a_stand_in_engine_are_answered_by_path_over_our_certificate(
    service: Json, answered: Callable[[object], None]
) -> None:
    answer = until(200, lambda: ask(service))
    assert answer.pod.startswith("answers-kserve-"), answer
    answered(answer)


def test_both_stand_in_engines_of_a_preset_are_chosen_by_the_picker(service: Json) -> None:
    until(200, lambda: ask(service))
    answers = [ask(service) for dummy in range(40)]
    assert {answer.code for answer in answers} == {200}, answers
    assert len({answer.pod for answer in answers}) == 2, answers


def test_second_run_over_stand_in_engines_writes_nothing(service: Json, secured: Entries) -> None:
    result = secured.reconcile(service, wait=True, wait_timeout=READY_WITHIN)
    assert not result["changed"], result
    assert result["stats"]["writes"] == 0


def test_certificate_that_we_made_is_taken_by_a_client_that_verifies_it(
    service: Json, client: Client, shared_namespace: str
) -> None:
    name = "answers-kserve-workload-svc"
    secret = client.get("v1", "Secret", "answers-kserve-self-signed-certs", shared_namespace)
    found = client.get("v1", "Service", name, shared_namespace)
    assert secret is not None
    assert found is not None
    pool = urllib3.PoolManager(
        ca_cert_data=base64.b64decode(secret["data"]["ca.crt"]).decode(),
        assert_hostname=f"{name}.{shared_namespace}.svc.cluster.local",
    )
    answer = pool.request("GET", f"https://{found['spec']['clusterIP']}:8000/v1/models", timeout=10)
    assert [each["id"] for each in answer.json()["data"]][:1] == [service["spec"]["model"]["name"]]
