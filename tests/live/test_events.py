# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Somebody takes the pods of a service away, the event source tells it, and a run brings them back. The engine is a stand-in."""

from __future__ import annotations

from typing import Any

from tests.cluster.support.entries import Entries
from tests.cluster.support.followed import Followed
from tests.cluster.support.services import deployment
from tests.lab.client import Client

from .asking import until
from .lab import Live
from .test_model_service import READY_WITHIN, ask

Json = dict[str, Any]


def test_stand_in_engine_that_somebody_scaled_to_zero_answers_again_after_the_event(
    live: Live, entries: Entries, client: Client, namespace: str
) -> None:
    service = live.model_service("scaled", namespace, decode={"replicas": 1})
    entries.reconcile(service, wait=True, wait_timeout=READY_WITHIN)
    until(200, lambda: ask(service))
    followed = Followed(live.kubeconfig, namespace)
    try:
        followed.wait_until_it_follows(
            lambda name: entries.reconcile(live.model_service(name, namespace))
        )
        client.patch(deployment("scaled-decode", namespace), {"spec": {"replicas": 0}})
        told = followed.wait_for("drift", "scaled-decode")
        assert told["service"]["name"] == "scaled"
    finally:
        followed.end()
    entries.reconcile(service, wait=True, wait_timeout=READY_WITHIN)
    until(200, lambda: ask(service))
