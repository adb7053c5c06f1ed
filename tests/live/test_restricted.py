# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pods under Kubernetes' Pod Security admission at its strictest level, and under a quota. The engine is a stand-in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.support.entries import Entries
from tests.cluster.support.llm_services import llm
from tests.lab.client import Client

from .asking import until
from .kserve import READY_WITHIN
from .lab import Live
from .test_model_service import ask

Json = dict[str, Any]


@pytest.fixture
def restricted(client: Client, namespace: str) -> str:
    """A namespace that takes pods of the level `restricted` alone."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    named = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    client.patch(named, {"metadata": {"labels": labels}})
    return namespace


def test_model_service_with_a_stand_in_engine_answers_under_pod_security_restricted(
    live: Live, entries: Entries, restricted: str
) -> None:
    service = live.model_service("strict", restricted)
    result = entries.reconcile(service, wait=True, wait_timeout=READY_WITHIN)
    assert result["services"][0]["ready"] is True, result
    until(200, lambda: ask(service))


def test_service_of_a_preset_is_refused_before_any_write_where_pod_security_takes_no_initializer(
    secured: Entries, restricted: str
) -> None:
    """KServe's own shape: the engine's container is strict enough, the one that fetches the model is not."""
    message = secured.refused(llm("strict", restricted), wait=True, wait_timeout=READY_WITHIN)
    for text in ("enforces Pod Security `restricted`", "of container storage-initializer"):
        assert text in message, message


def test_wait_for_a_stand_in_engine_ends_where_a_quota_holds_its_pods_back(
    live: Live, entries: Entries, client: Client, namespace: str
) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota"}
    metadata = {"name": "few", "namespace": namespace}
    client.apply({**quota, "metadata": metadata, "spec": {"hard": {"pods": "1"}}})
    service = live.model_service("held", namespace, decode={"replicas": 2})
    result = entries.run(service, wait=True, wait_timeout=READY_WITHIN)
    assert result["failed"], result
    assert "exceeded quota: few" in result["msg"], result["msg"]
