# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server makes of a key that is null, in every kind: what tests/unit/kinds/test_nulls.py takes for granted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.lab.client import Client
from tests.unit.kinds.null_values import KEY, as_stored, with_nulls

from .support import caches, graphs, inference_services, llm_services, services
from .support.cluster import there
from .support.entries import Entries, actions
from .support.places import knowing, own_namespace

Json = dict[str, Any]
MADE: dict[str, Callable[[str, str], Json]] = {
    "ModelService": services.small,
    "LLMInferenceService": llm_services.routed,
    "InferenceService": inference_services.isvc,
    "InferenceGraph": graphs.graph,
    "LocalModelCache": lambda name, dummy: caches.cache(name),
}

client = knowing(llm_services.prepare, graphs.prepare, caches.prepare)
place = own_namespace("nulls")


@pytest.mark.parametrize("kind", MADE)
def test_the_api_server_stores_a_null_in_a_map_as_we_read_it(
    kind: str, client: Client, place: str
) -> None:
    document = MADE[kind]("chat", place)
    given, plain = (
        client.create(each, dryRun="All", fieldValidation="Strict")
        for each in (with_nulls(document), as_stored(document))
    )
    assert given["spec"] == plain["spec"]
    assert {name: given["metadata"][name] for name in ("labels", "annotations")} == {
        name: {KEY: ""} for name in ("labels", "annotations")
    }


def test_a_service_with_nulls_is_written_once(entries: Entries, client: Client, place: str) -> None:
    service = with_nulls(services.small("chat", place))
    first = entries.reconcile(service)
    assert set(actions(first).values()) == {"created"}
    assert there(client, services.custom_resource(service))["metadata"]["labels"][KEY] == ""
    assert not entries.reconcile(service)["changed"]
