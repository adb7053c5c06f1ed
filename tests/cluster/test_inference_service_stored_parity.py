# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server would store of the children of InferenceServices is what it would store of the controller's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import Json, without
from ansible_collections.modelops.inference.plugins.module_utils.services.inference_service.compile import (
    compile as compile_service,
)
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.crd_sources import KSERVE_NEIGHBOURS
from tests.parity.compare import differences
from tests.parity.isvc_world import service_of
from tests.parity.recorded_inference_services import SETTINGS, cases, read_one, recorded_cluster
from tests.parity.test_inference_service_render import WITHOUT_INGRESS, recorded

from .support.stored import Stored, applied, owners, with_owner, without_given_out

CASES = {folder.name: folder for folder in cases()}


@pytest.fixture(scope="module")
def stored(lab_client: Client) -> Iterator[Stored]:
    """A cluster with the kinds and the namespace of the recordings."""
    crds.install(lab_client, crds.documents(KSERVE_NEIGHBOURS))
    place = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}}
    lab_client.apply(place)
    sender = Stored(lab_client)
    yield sender
    sender.close()
    lab_client.delete(place)


@pytest.mark.parametrize("name", CASES)
def test_stored_objects_are_those_of_the_controller(name: str, stored: Stored) -> None:
    folder = CASES[name]
    service = service_of(read_one(folder / "input.yaml"))
    intent = compile_service(service, SETTINGS, recorded_cluster(folder))
    added = "Ingress" if name in WITHOUT_INGRESS else ""
    ours = [_declared(each) for each in applied(intent) if each["kind"] != added]
    theirs = [_declared(with_owner(each)) for each in recorded(folder)]
    assert owners(ours) == owners(theirs)
    assert (
        differences(
            without_given_out(stored.of_ours(ours)), without_given_out(stored.of_controller(theirs))
        )
        == []
    )


def _declared(manifest: Json) -> Json:
    """Return an object without the field that the definition of these tests does not know, unlike that of the operator."""
    collector = manifest["kind"] == "OpenTelemetryCollector"
    return without(manifest, ("spec", "upgradeStrategy")) if collector else manifest
