# SPDX-License-Identifier: GPL-3.0-or-later
"""LLMInferenceServices in a cluster without the kind LeaderWorkerSet.

Source: KServe pkg/controller/v1alpha2/llmisvc/{pod_watch_test,lifecycle_crud_test}.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from module_utils.kinds.llm_inference_service.crd import config_crd, crd
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane

from .support.cluster import read, there
from .support.entries import Entries
from .support.llm_services import child, llm, routed
from .support.places import on, own_namespace
from .test_missing_kinds import install, remove

GROUPS = crds.load("lws")


@pytest.fixture(scope="module")
def client(own_lab: ControlPlane) -> Iterator[Client]:
    """Another program's view of a cluster that knows services and pools, and no groups of pods."""
    client = own_lab.client
    known = [each for each in GROUPS if read(client, each)]
    for definitions in (crds.load("inference-extension-old"), [crd()], [config_crd()]):
        crds.install(client, definitions)
    for each in known:
        remove(client, each)
    yield client
    for each in known:
        install(client, each)


dummy, entries = on("own_lab")


place = own_namespace("llm")


def test_a_service_goes_where_a_kind_that_it_could_have_had_is_missing(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service, fit="ignore")
    assert not entries.reconcile(service, fit="ignore")["changed"]
    assert entries.reconcile(service, state="absent")["changed"]
    assert read(client, service) is None
    assert read(client, child("apps/v1", "Deployment", "chat-kserve", place)) is None


def test_a_missing_kind_is_told_from_a_missing_object(
    entries: Entries, client: Client, place: str
) -> None:
    groups = llm(
        "groups", place, worker={"containers": []}, parallelism={"data": 2, "dataLocal": 1}
    )
    message = entries.refused(groups, fit="ignore")
    assert "LeaderWorkerSet" in message
    assert "install" in message.lower()
    single = llm("chat", place)
    entries.reconcile(single, fit="ignore")
    assert there(client, child("apps/v1", "Deployment", "chat-kserve", place))
