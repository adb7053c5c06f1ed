# SPDX-License-Identifier: GPL-3.0-or-later
"""Our definition of InferenceService says what KServe's says, and what we take and fill in the API server does, too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from module_utils.kinds.inference_service.crd import crd
from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.kserve.releases import KServe
from tests.cluster.compared_crds import bare
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import KSERVE_ISVC
from tests.lab.fixtures import fresh_namespace
from tests.parity.recorded_inference_services import SETTINGS, read_one, stored_cases

#: Without a port a probe of these is admitted there and refused later, with the pod.
_PROBES = ("livenessProbe", "readinessProbe")


def comparable(schema: Any, name: str = "") -> Any:
    """Return a schema without differences that nobody meets: sizes of numbers, and the port of some probes."""
    if isinstance(schema, list):
        return [comparable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: comparable(value, key)
        for key, value in schema.items()
        if (key, value) != ("format", "int64")
    }
    if name in _PROBES:
        for way in ("httpGet", "tcpSocket"):
            kept["properties"][way].pop("required", None)
    return kept


def test_our_definition_says_what_kserve_s_says() -> None:
    (theirs,) = crds.documents(KSERVE_ISVC)
    ours = crd(KServe.V0_17)
    assert ours["spec"]["names"] == theirs["spec"]["names"]
    (mine,), (said,) = ours["spec"]["versions"], theirs["spec"]["versions"]
    assert mine["additionalPrinterColumns"] == said["additionalPrinterColumns"]
    theirs_bare = comparable(bare(said["schema"]))
    # Theirs keeps what nobody writes.
    theirs_bare["openAPIV3Schema"]["properties"]["status"].pop(
        "x-kubernetes-preserve-unknown-fields"
    )
    assert comparable(bare(mine["schema"])) == theirs_bare


@pytest.fixture(scope="module", params=["ours", "theirs"])
def place(request: pytest.FixtureRequest, own_lab: ControlPlane) -> Iterator[tuple[Client, str]]:
    """A cluster with one of the definitions, which others would notice, and a namespace."""
    definitions = [crd()] if request.param == "ours" else crds.documents(KSERVE_ISVC)
    crds.install(own_lab.client, definitions)
    with fresh_namespace(own_lab.client, "isvc") as name:
        yield own_lab.client, name


@pytest.mark.parametrize("folder", stored_cases(), ids=lambda folder: folder.name)
def test_what_we_apply_is_taken_and_filled_in_alike(
    folder: Path, place: tuple[Client, str]
) -> None:
    client, namespace = place
    document = read_one(folder / "input.yaml")
    document = {**document, "metadata": {**document["metadata"], "namespace": namespace}}
    service = load(document, SETTINGS).service
    assert service is not None
    stored = client.create(service.document, dryRun="All", fieldValidation="Strict")
    assert stored["spec"] == service.spec
