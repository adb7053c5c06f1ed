# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Children as model-operator makes them change hands and go back under load. Operator and engine are stand-ins, as the test says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.cluster.support.entries import Entries
from tests.cluster.support.played_operator import PlayedOperator
from tests.cluster.test_take_over import pods
from tests.lab.client import Client, wait_until

from .asking import until
from .lab import Live
from .load import Load
from .test_model_service import READY_WITHIN, ask
from .test_rollouts import REQUESTS

Json = dict[str, Any]
OURS = "inference.modelops.io/"


def made_by_operator(entries: Entries, client: Client, service: Json) -> None:
    """Have the played operator make a service's children: those that we render, without our marks."""
    children = entries.reconcile(service, state="rendered")["manifests"]
    meta = service["metadata"]
    owner = {"apiVersion": service["apiVersion"], "kind": service["kind"], "name": meta["name"]}
    for child in children:
        for field in ("labels", "annotations"):
            marks = child["metadata"].get(field, {})
            kept = {name: text for name, text in marks.items() if not name.startswith(OURS)}
            child["metadata"][field] = kept
        child["metadata"]["ownerReferences"] = [
            {**owner, "uid": "", "controller": True, "blockOwnerDeletion": True}
        ]
    client.create(service, fieldManager="kubectl-create")
    PlayedOperator(client, children).reconcile(service)


def test_hand_over_from_a_stand_in_operator_and_back_costs_no_request_to_a_stand_in_engine(
    live: Live,
    entries: Entries,
    client: Client,
    namespace: str,
    answered: Callable[[object], None],
) -> None:
    service = live.model_service("handed", namespace, decode={"replicas": 2})
    made_by_operator(entries, client, service)
    until(200, lambda: ask(service), within=READY_WITHIN)
    wait_until(lambda: all_ready(client, namespace), "every pod to be ready", READY_WITHIN)
    before = pods(client, namespace)
    with Load(lambda: ask(service)) as load:
        load.go_on_until(REQUESTS // 4)
        direct = {"reconciler": "direct", "adopt": True, "wait": True}
        result = entries.reconcile(service, wait_timeout=READY_WITHIN, **direct)
        load.go_on_until(REQUESTS // 2)
        entries.reconcile(service, reconciler="controller", adopt=True)
        load.go_on_until(REQUESTS)
    assert result["changed"]
    assert pods(client, namespace) == before
    answered(f"hand-over: {load}")
    assert not load.failed, str(load)


def all_ready(client: Client, namespace: str) -> tuple[bool, list[str]]:
    """Whether each pod is ready, and those that are not."""
    found = client.list_all("v1", "Pod", namespace)
    waiting = [each["metadata"]["name"] for each in found if not _is_ready(each)]
    return bool(found) and not waiting, waiting


def _is_ready(pod: Json) -> bool:
    conditions = pod["status"].get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
