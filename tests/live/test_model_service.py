# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A ModelService on real pods, answered through Istio's gateway and the real picker. The engine is a stand-in, as each test says."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.support.cluster import owned
from tests.cluster.support.entries import Entries
from tests.lab.client import Client
from tests.tools.steps import tool

from . import network
from .asking import Answer, chat, until
from .lab import Live

Json = dict[str, Any]
HEADER = "OtterScale-Model-Name"
READY_WITHIN = 180.0
#: Headers of a request, and how a playbook ends that looks whether it is answered.
ASKED = [({}, 0, "chat"), ({HEADER: "nobody"}, 2, "services that do not answer: 1 of 1")]
ASKING: Json = {"wait": True, "wait_timeout": READY_WITHIN, "wait_for": "answer"}


@pytest.fixture(scope="module")
def service(live: Live, entries: Entries, shared_namespace: str) -> Json:
    """A service of two pods that was Ready."""
    wanted = live.model_service("chat", shared_namespace, decode={"replicas": 2})
    result = entries.reconcile(wanted, wait=True, wait_timeout=READY_WITHIN)
    assert result["services"][0]["ready"] is True, result
    return wanted


def ask(service: Json, header: str | None = None) -> Answer:
    meta, model = service["metadata"], service["spec"]["model"]["name"]
    return chat(model, headers={HEADER: header or meta["name"]})


def test_ready_service_with_a_stand_in_engine_is_answered_through_gateway_and_picker(
    service: Json, answered: Callable[[object], None]
) -> None:
    answer = until(200, lambda: ask(service))
    assert answer.pod.startswith("chat-decode-"), answer
    answered(answer)


def test_requests_to_a_stand_in_engine_are_spread_over_its_pods(service: Json) -> None:
    until(200, lambda: ask(service))
    answers = [ask(service) for dummy in range(40)]
    assert {answer.code for answer in answers} == {200}, answers
    assert len({answer.pod for answer in answers}) == 2, answers


def test_name_of_the_model_in_place_of_the_service_is_not_found_before_any_stand_in(
    service: Json, answered: Callable[[object], None]
) -> None:
    until(200, lambda: ask(service))
    answer = ask(service, header=service["spec"]["model"]["name"])
    assert answer.code == 404, answer
    answered(answer)


def test_wait_for_an_answer_of_a_stand_in_engine_ends_with_what_came_back(
    service: Json, entries: Entries, answered: Callable[[object], None]
) -> None:
    result = entries.reconcile(service, **ASKING)
    found = result["services"][0]
    assert (found["answer"]["status"], found["answer"]["model"]) == (200, "acme/chat"), found
    assert found["request"]["url"] == f"http://{network.GATEWAY}"
    answered(found["request"]["curl"])


def test_api_server_passes_the_request_on_to_a_stand_in_engine(
    service: Json, entries: Entries
) -> None:
    result = entries.reconcile(service, **ASKING, answer={"through": "apiserver"})
    answer = result["services"][0]["answer"]
    assert (answer["status"], answer["model"], answer["through"]) == (200, "acme/chat", "apiserver")


@pytest.mark.parametrize(("headers", "code", "words"), ASKED)
def test_status_playbook_fails_where_a_service_does_not_answer_and_a_stand_in_engine_does(
    live: Live, service: Json, headers: Json, code: int, words: str
) -> None:
    variables = {
        "model_services_kubeconfig": str(live.kubeconfig),
        "model_services_namespace": service["metadata"]["namespace"],
        "model_services_ask": True,
        "model_services_answer": {"headers": headers, "timeout": 2.0},
        "model_services_fail_on": ["unanswered"],
    }
    command = [tool("ansible-playbook"), "modelops.inference.status", "-e", json.dumps(variables)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout
    assert words in done.stdout, done.stdout


def test_wait_says_which_header_was_wanted_before_any_stand_in(
    service: Json, entries: Entries
) -> None:
    wrong = {"headers": {HEADER: service["spec"]["model"]["name"]}, "timeout": 2.0}
    result = entries.run(service, **ASKING, answer=wrong)
    assert result["failed"]
    assert f"header {HEADER}: chat" in result["msg"]


def test_second_run_on_real_pods_writes_nothing(service: Json, entries: Entries) -> None:
    result = entries.reconcile(service, wait=True, wait_timeout=READY_WITHIN)
    assert not result["changed"], result
    assert result["stats"]["writes"] == 0


def test_deleted_service_with_a_stand_in_engine_is_not_found_and_leaves_nothing_on_the_node(
    live: Live, entries: Entries, client: Client, namespace: str
) -> None:
    service = live.model_service("gone", namespace)
    entries.reconcile(service, wait=True, wait_timeout=READY_WITHIN)
    until(200, lambda: ask(service))
    entries.reconcile(service, state="absent", wait=True, wait_timeout=READY_WITHIN)
    until(404, lambda: ask(service), within=10)
    assert owned(client, service) == {}
    live.await_gone(namespace)
