# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server would store of our children is what it would store of the controllers', defaults included.

Both are sent as dry runs, so nothing is stored: the controllers' recorded create calls, and our server-side applies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from module_utils.kinds.kserve.storage.ca_bundle import GLOBAL_CONFIG_MAP
from module_utils.kube.manifest import without
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.crd_sources import KSERVE_NEIGHBOURS
from tests.parity.compare import Key, differences, key_of
from tests.parity.recorded import (
    INFERENCE_SERVICE,
    LLM_INFERENCE_SERVICE,
    MODEL_SERVICE,
    Recording,
    places,
)

from .support.llm_services import prepare
from .support.masked import original
from .support.stored import Stored, applied, owners, with_owner, without_given_out

Json = dict[str, Any]
FIRST = [MODEL_SERVICE, LLM_INFERENCE_SERVICE, INFERENCE_SERVICE]


@pytest.fixture(scope="module")
def stored(lab_client: Client) -> Iterator[Stored]:
    """A cluster with the kinds and the namespaces of the recordings, which stay: another worker may still need them."""
    prepare(lab_client)
    crds.install(lab_client, crds.documents(KSERVE_NEIGHBOURS))
    names = {
        each["metadata"].get("namespace", "default")
        for recording in FIRST
        for case in recording.cases.values()
        for each in case.sent()
    }
    lab_client.apply_all(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        for name in sorted(names - {"default"})
    )
    sender = Stored(lab_client)
    yield sender
    sender.close()


def difference(recording: Recording, name: str, stored: Stored) -> list[str]:
    case = recording.cases[name]
    ours = [_known(each) for each in applied(case.compiled())]
    by_key = {key_of(each): each for each in ours}
    sent = [_known(_with_ours(each, by_key.get(key_of(each), {}))) for each in case.sent()]
    assert sent
    there = {key_of(each) for each in sent}
    assert _owned([each for each in ours if key_of(each) in there]) == _owned(sent)
    if name in recording.cut_short:
        ours = [each for each in ours if key_of(each) in there]
    return differences(
        without_given_out(stored.of_ours(ours)), without_given_out(stored.of_controller(sent))
    )


def _known(manifest: Json) -> Json:
    """Return an object without the field that the definition of these tests does not know, unlike the operator's."""
    collector = manifest["kind"] == "OpenTelemetryCollector"
    return without(manifest, ("spec", "upgradeStrategy")) if collector else manifest


def _with_ours(recorded: Json, ours: Json) -> Json:
    """Return a recorded object with our texts, keys and a uid for its owner, which a recording has not, and the API wants."""
    whole = with_owner(original(recorded, ours))
    return (
        {**whole, "data": ours["data"]}
        if recorded["kind"] == "Secret" and "data" in ours
        else whole
    )


def _owned(manifests: list[Json]) -> dict[Key, Any]:
    """Return the owner references. KServe gives the copy of the certificates of S3 none for an LLMInferenceService (L74)."""
    return {key: owner for key, owner in owners(manifests).items() if key[3] != GLOBAL_CONFIG_MAP}


def compared(recording: Recording) -> list[str]:
    """Return the cases of which the controller sent anything that we want, too."""
    names = (*recording.equal(), *recording.cut_short)
    return [name for name in names if recording.cases[name].sent()]


@places(compared, FIRST)
def test_stored_objects_are_those_of_the_controller(
    recording: Recording, name: str, stored: Stored
) -> None:
    assert difference(recording, name, stored) == []


@places(lambda recording: recording.different, FIRST)
def test_stored_objects_differ_only_as_documented(
    recording: Recording, name: str, stored: Stored
) -> None:
    dummy, lines = recording.different[name]
    found = difference(recording, name, stored)
    assert found
    assert {line.partition(": ")[0] for line in found} == {
        line.partition(": ")[0] for line in lines
    }
