# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A copy of the model in a group of pods: the real manager of LeaderWorkerSets, the real network. Engine and DNS are stand-ins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.cluster.support.entries import Entries
from tests.cluster.support.groups import pods, spread
from tests.lab.client import Client

from .asking import until
from .kserve import READY_WITHIN, ask, over_tls

Json = dict[str, Any]
ROUTED: Json = {"router": {"gateway": {}, "route": {}, "scheduler": {}}}


def test_leader_answers_once_its_worker_found_it_with_stand_ins_for_engine_and_dns(
    secured: Entries, client: Client, namespace: str, answered: Callable[[object], None]
) -> None:
    service = spread("group", namespace, **ROUTED)
    over_tls(client, service)
    result = secured.reconcile(service, wait=True, wait_timeout=READY_WITHIN)
    assert result["services"][0]["ready"] is True, result
    answer = until(200, lambda: ask(service))
    assert answer.pod == "group-kserve-mn-0", answer
    assert set(pods(client, "group", namespace)) == {"group-kserve-mn-0", "group-kserve-mn-0-1"}
    answered(answer)
