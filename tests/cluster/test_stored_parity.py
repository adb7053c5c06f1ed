# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server would store of our children is what it would store of the operator's, defaults included.

Both are sent as dry runs, so nothing is stored: the operator's recorded create calls, and our server-side applies.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from module_utils.kinds.model_service.kind import MODEL_SERVICE
from module_utils.kube.intent import Intent
from module_utils.kube.reader import GivenObjects
from tests.lab.client import Client
from tests.parity.compare import differences, key_of
from tests.parity.recorded_services import read, recorded_settings
from tests.parity.replay import documents
from tests.parity.test_model_service_render import CASES, DIFFERENT, EQUAL

from .support.masked import original
from .support.stored import Stored, applied, owners, with_owner, without_given_out

Json = dict[str, Any]


def intent_of(folder: Path) -> Intent:
    settings = recorded_settings(folder)
    service = MODEL_SERVICE.load(read(folder / "input.yaml"), settings).service
    assert service is not None
    return MODEL_SERVICE.compile(service, settings, GivenObjects())


@pytest.fixture(scope="module")
def stored(lab_client: Client) -> Iterator[Stored]:
    """A cluster with the namespaces of the recordings, for which a dry run looks. They stay: another worker may still need them."""
    names = {
        document["metadata"].get("namespace")
        for folder in CASES.values()
        for document in documents(folder / "intent.yaml")
    } - {None}
    lab_client.apply_all(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        for name in sorted(names)
    )
    sender = Stored(lab_client)
    yield sender
    sender.close()


def difference(name: str, stored: Stored) -> list[str]:
    ours = list(applied(intent_of(CASES[name])))
    texts = {key_of(manifest): manifest for manifest in ours}
    recorded = [
        with_owner(original(document, texts.get(key_of(document), {})))
        for document in documents(CASES[name] / "intent.yaml")
    ]
    assert recorded
    assert owners(ours) == owners(recorded)
    return differences(
        without_given_out(stored.of_ours(ours)), without_given_out(stored.of_controller(recorded))
    )


@pytest.mark.parametrize("name", EQUAL)
def test_stored_objects_are_those_of_the_operator(name: str, stored: Stored) -> None:
    assert difference(name, stored) == []


@pytest.mark.parametrize("name", DIFFERENT)
def test_stored_objects_differ_only_as_documented(name: str, stored: Stored) -> None:
    _row, lines = DIFFERENT[name]
    places = {line.partition(": ")[0] for line in lines}
    found = difference(name, stored)
    assert found
    assert {line.partition(": ")[0] for line in found} == places


def test_every_case_that_is_not_refused_is_compared() -> None:
    assert len(EQUAL) + len(DIFFERENT) == 109
