# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server would store of the children of LLMInferenceServices is what it would store of the controller's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from module_utils.kinds.kserve.storage.ca_bundle import GLOBAL_CONFIG_MAP
from module_utils.kinds.llm_inference_service.compile import compile as compile_service
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kube.intent import Intent
from tests.lab.client import Client
from tests.parity.compare import Key, by_key, differences, key_of
from tests.parity.recorded_llm_services import read_all, recorded_cluster, recorded_settings
from tests.parity.test_llm_inference_service_render import CASES, CUT_SHORT, EQUAL, recorded

from .support.llm_services import prepare
from .support.stored import Stored, applied, owners, with_owner, without_given_out

Json = dict[str, Any]


def compiled(folder: Path) -> Intent:
    settings = recorded_settings(folder)
    service = load(read_all(folder / "input.yaml")[0], settings).service
    assert service is not None
    return compile_service(service, settings, recorded_cluster(folder))


@pytest.fixture(scope="module")
def stored(lab_client: Client) -> Iterator[Stored]:
    """A cluster with the kinds and the namespaces of the recordings, which stay: another worker may still need them."""
    prepare(lab_client)
    names = {
        each["metadata"]["namespace"]
        for name in (*EQUAL, *CUT_SHORT)
        for each in recorded(CASES[name])
        if "namespace" in each["metadata"]
    }
    for place in sorted(names - {"default"}):
        lab_client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place}})
    sender = Stored(lab_client)
    yield sender
    sender.close()


def with_keys(recorded_objects: list[Json], ours: list[Json]) -> list[Json]:
    """Return the controller's objects with our keys: a recording has none, and the API wants some."""
    data = {key_of(each): each["data"] for each in ours if each["kind"] == "Secret"}
    return [
        {**each, "data": data[key_of(each)]} if key_of(each) in data else each
        for each in recorded_objects
    ]


def _owned(manifests: list[Json]) -> dict[Key, Any]:
    """Return the owner references. The controller gives the copy of the certificates of S3 none (L74)."""
    return {key: owner for key, owner in owners(manifests).items() if key[3] != GLOBAL_CONFIG_MAP}


@pytest.mark.parametrize("name", [*EQUAL, *CUT_SHORT])
def test_stored_objects_are_those_of_the_controller(name: str, stored: Stored) -> None:
    ours = list(applied(compiled(CASES[name])))
    theirs = [with_owner(each) for each in with_keys(recorded(CASES[name]), ours)]
    # What the controller came to before it stopped on its way is compared.
    sent = by_key(theirs)
    ours = [each for each in ours if key_of(each) in sent]
    assert _owned(ours) == _owned(theirs)
    assert (
        differences(
            without_given_out(stored.of_ours(ours)), without_given_out(stored.of_controller(theirs))
        )
        == []
    )
