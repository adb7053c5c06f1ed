# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server would store of the children of InferenceServices is what it would store of the controller's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kube.manifest import Json, without
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.crd_sources import KSERVE_NEIGHBOURS
from tests.lab.fixtures import fresh_namespace
from tests.parity.compare import differences
from tests.parity.isvc_world import service_of
from tests.parity.recorded_inference_services import SETTINGS, cases, read_one, recorded_cluster
from tests.parity.test_inference_service_render import WITHOUT_INGRESS, recorded

from .support.stored import Stored, applied, owners, with_owner, without_given_out

CASES = {folder.name: folder for folder in cases()}


@pytest.fixture(scope="module")
def place(lab_client: Client) -> Iterator[str]:
    """A cluster with the kinds of the recordings, and a namespace of these tests alone."""
    crds.install(lab_client, crds.documents(KSERVE_NEIGHBOURS))
    with fresh_namespace(lab_client, "stored") as name:
        yield name


@pytest.fixture(scope="module")
def stored(lab_client: Client) -> Iterator[Stored]:
    """What the API server makes of objects."""
    sender = Stored(lab_client)
    yield sender
    sender.close()


@pytest.mark.parametrize("name", CASES)
def test_stored_objects_are_those_of_the_controller(name: str, stored: Stored, place: str) -> None:
    folder = CASES[name]
    service = service_of(read_one(folder / "input.yaml"))
    intent = compile_service(service, SETTINGS, recorded_cluster(folder))
    added = "Ingress" if name in WITHOUT_INGRESS else ""
    ours = [_sent(each, place) for each in applied(intent) if each["kind"] != added]
    theirs = [_sent(with_owner(each), place) for each in recorded(folder)]
    assert owners(ours) == owners(theirs)
    assert (
        differences(
            without_given_out(stored.of_ours(ours)), without_given_out(stored.of_controller(theirs))
        )
        == []
    )


def _sent(manifest: Json, place: str) -> Json:
    """Return an object for a namespace, without the field that the definition of these tests does not know, unlike the operator's."""
    moved = {**manifest, "metadata": {**manifest["metadata"], "namespace": place}}
    collector = manifest["kind"] == "OpenTelemetryCollector"
    return without(moved, ("spec", "upgradeStrategy")) if collector else moved
