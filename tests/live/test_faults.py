# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Faults of real pods: the wait for a ModelService ends with the kubelet's own words. The engine is a stand-in in all of them."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.cluster.support.entries import Entries
from tests.lab.client import Client

from . import images
from .lab import Live

Json = dict[str, Any]
#: Time-out of a wait that is to end early, and how long it may take.
PATIENCE, AT_MOST = 600.0, 150.0

_ABSENT = f"{images.REGISTRY}/absent:1"
_KEY = {"name": "token", "key": "absent"}
#: By name: what the service says of its engine and its pods, and words of the kubelet.
FAULTS: dict[str, tuple[Json, Json, tuple[str, ...]]] = {
    "image-that-is-not-there": ({"image": _ABSENT}, {}, ("ErrImagePull", _ABSENT)),
    "key-that-is-missing": (
        {"env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": _KEY}}]},
        {},
        ("CreateContainerConfigError", "couldn't find key absent in Secret"),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_wait_for_a_stand_in_engine_ends_with_the_words_of_the_kubelet(
    live: Live, client: Client, namespace: str, fault: str
) -> None:
    engine, decode, words = FAULTS[fault]
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"}}
    secret["metadata"] |= {"namespace": namespace}  # type: ignore[operator]
    client.apply({**secret, "stringData": {"present": "x"}})
    image = {"image": live.images[images.ENGINE]}
    service = live.model_service("broken", namespace, engine={**image, **engine}, decode=decode)
    # A route, and nothing but a route, waits for the gateway.
    entries = Entries(live.kubeconfig, {"settings": {"gateway_name": ""}})
    began = time.monotonic()
    result = entries.run(service, wait=True, wait_timeout=PATIENCE)
    assert result.get("failed"), result
    assert time.monotonic() - began < AT_MOST
    for text in ("Deployment broken-decode, pod broken-decode-", *words):
        assert text in result["msg"], result["msg"]
