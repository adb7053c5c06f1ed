# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A node that goes away: its kubelet is held for a while. The engine is a stand-in. These come last, since every pod is on that node."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.cluster.support.entries import Entries
from tests.lab import nodes
from tests.lab.client import Client, wait_until

from .asking import until
from .lab import Live
from .node import NAME
from .test_faults import AT_MOST, PATIENCE
from .test_model_service import READY_WITHIN, ask

Json = dict[str, Any]
#: A minute without a heartbeat, and what a busy machine takes.
_NOTICED_WITHIN = 150.0


@contextlib.contextmanager
def gone(client: Client) -> Iterator[None]:
    """Hold the kubelet until the end of the block; begins once Kubernetes has noticed."""
    (kubelet,) = [
        int(each.parent.name)
        for each in Path("/proc").glob("[0-9]*/comm")
        if each.read_text("utf-8").strip() == "kubelet"
    ]
    os.kill(kubelet, signal.SIGSTOP)
    try:
        _await(client, ready=False)
        yield
    finally:
        os.kill(kubelet, signal.SIGCONT)
        _await(client, ready=True)


def _await(client: Client, *, ready: bool) -> None:
    def look() -> tuple[bool, Any]:
        found = client.get("v1", "Node", NAME) or {}
        taints = (found.get("spec") or {}).get("taints") or []
        return nodes.is_ready(found) is ready and bool(taints) is not ready, taints

    wait_until(look, f"the node to be {'ready' if ready else 'noticed as gone'}", _NOTICED_WITHIN)


def test_node_that_goes_away_ends_a_wait_with_the_schedulers_words_and_a_stand_in_answers_again(
    live: Live, entries: Entries, client: Client, namespace: str
) -> None:
    service = live.model_service("lonely", namespace)
    entries.reconcile(service, wait=True, wait_timeout=READY_WITHIN)
    until(200, lambda: ask(service))
    after = {**service, "spec": {**service["spec"], "decode": {"replicas": 2}}}
    with gone(client):
        began = time.monotonic()
        result = entries.run(after, wait=True, wait_timeout=PATIENCE)
        assert result.get("failed"), result
        assert time.monotonic() - began < AT_MOST
        assert "untolerated taint" in result["msg"], result["msg"]
    entries.reconcile(after, wait=True, wait_timeout=READY_WITHIN)
    until(200, lambda: ask(service))
