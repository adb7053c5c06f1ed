# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An LLMInferenceService by the collection's own presets for KServe 0.19, with TLS between gateway, picker and engine.

Engine and storage initializer are stand-ins, as each test says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.support.entries import Entries
from tests.cluster.support.llm_services import routed
from tests.lab.client import Client

from . import images
from .asking import until
from .kserve import READY_WITHIN, ask, over_tls, trusting
from .load import Load
from .test_rollouts import REQUESTS

Json = dict[str, Any]
#: A pod keeps answering for so long after it was told to end, so that no request under way is lost.
DRAINED: Json = {"lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}
#: By name: what a change makes of the engine.
CHANGES: dict[str, Json] = {
    "other arguments": {"args": ["--max-num-seqs=64"]},
    "another image": {"args": ["--max-num-seqs=64"], "image": images.LATER_ENGINE},
}


def changed(service: Json, **engine: Any) -> Json:
    """Return the service with something else of its engine."""
    template = {"containers": [{"name": "main", **DRAINED, **engine}]}
    return {**service, "spec": {**service["spec"], "template": template}}


@pytest.fixture(scope="module")
def service(secured: Entries, client: Client, shared_namespace: str) -> Json:
    """A service of two pods that was Ready."""
    wanted = changed(routed("answers", shared_namespace, replicas=2))
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
    service: Json, client: Client
) -> None:
    pool, url = trusting(client, service)
    answer = pool.request("GET", f"{url}/v1/models")
    assert [each["id"] for each in answer.json()["data"]][:1] == [service["spec"]["model"]["name"]]


@pytest.mark.parametrize("change", CHANGES)
def test_change_under_load_costs_no_request_to_a_stand_in_engine_of_a_preset_that_drains(
    service: Json,
    secured: Entries,
    client: Client,
    answered: Callable[[object], None],
    change: str,
) -> None:
    after = changed(service, **CHANGES[change])
    name = f"{service['metadata']['name']}-kserve"
    before = pods(client, service, name)
    until(200, lambda: ask(service))
    with Load(lambda: ask(service)) as load:
        load.go_on_until(REQUESTS // 4)
        secured.reconcile(after, wait=True, wait_timeout=READY_WITHIN)
        load.go_on_until(REQUESTS)
    answered(f"{change} of a preset, drained: {load}")
    assert not load.failed, str(load)
    assert not before & pods(client, service, name), "no pod was replaced"


def test_picker_whose_rights_somebody_took_away_has_them_again_and_chooses_stand_in_engines(
    service: Json, secured: Entries, client: Client
) -> None:
    """A picker that runs keeps what it knows; one that starts without rights never gets ready."""
    after = changed(service, **CHANGES["another image"])
    namespace = service["metadata"]["namespace"]
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding"}
    client.delete({**binding, "metadata": {"name": "answers-epp-rb", "namespace": namespace}})
    for name in pods(client, service, "answers-kserve-router-scheduler"):
        metadata = {"name": name, "namespace": namespace}
        client.delete({"apiVersion": "v1", "kind": "Pod", "metadata": metadata})
    result = secured.reconcile(after, wait=True, wait_timeout=READY_WITHIN)
    assert result["changed"], result
    answer = until(200, lambda: ask(service))
    assert answer.pod.startswith("answers-kserve-"), answer


def pods(client: Client, service: Json, name: str) -> set[str]:
    """The names of the living pods of a workload."""
    found = client.list_all("v1", "Pod", service["metadata"]["namespace"])
    return {
        each["metadata"]["name"]
        for each in found
        if each["metadata"]["name"].startswith(f"{name}-")
        and "-router-" not in each["metadata"]["name"].removeprefix(name)
        and not each["metadata"].get("deletionTimestamp")
    }
