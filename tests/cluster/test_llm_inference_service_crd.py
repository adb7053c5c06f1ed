# SPDX-License-Identifier: GPL-3.0-or-later
"""Our definitions of LLMInferenceService and its config say what KServe's say, and what we fill in the API server fills in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.conversion import to_v1alpha2
from module_utils.kinds.llm_inference_service.crd import config_crd, crd
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import Json
from tests.cluster.compared_crds import bare
from tests.lab import crds
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.crd_sources import KSERVE_LLM
from tests.lab.fixtures import fresh_namespace

RECORDINGS = Path(__file__).parents[1] / "parity" / "recordings" / "llm_inference_service"
INPUTS = {path.parent.name: path for path in sorted(RECORDINGS.glob("*/input.yaml"))}
INPUTS |= {path.parent.name: path for path in sorted(RECORDINGS.glob("cases-invalid/*/input.yaml"))}


@pytest.mark.parametrize(
    ("kind", "ours"),
    [
        ("llminferenceservices", crd(KServe.V0_17)),
        ("llminferenceserviceconfigs", config_crd(KServe.V0_17)),
    ],
)
def test_our_definition_says_what_kserve_s_says(kind: str, ours: Json) -> None:
    theirs = next(
        each
        for each in crds.documents(KSERVE_LLM)
        if each["metadata"]["name"] == f"{kind}.serving.kserve.io"
    )
    assert ours["spec"]["names"] == theirs["spec"]["names"]
    versions = {version["name"]: version for version in theirs["spec"]["versions"]}
    (mine,) = ours["spec"]["versions"]
    said = versions["v1alpha2"]
    assert mine.get("additionalPrinterColumns") == said.get("additionalPrinterColumns")
    assert bare(mine["schema"]) == bare(said["schema"])


@pytest.fixture(scope="module")
def place(control_plane: Cluster) -> Iterator[tuple[Client, str]]:
    """A cluster that knows our kinds, and a namespace."""
    # One after the other: the list of a group's kinds is served as soon as one of them is in it.
    for definition in (crd(), config_crd()):
        crds.install(control_plane.client, [definition])
    with fresh_namespace(control_plane.client, "llm") as name:
        yield control_plane.client, name


def services() -> list[str]:
    """Return the recorded inputs that are services which we take."""
    found = []
    for name, path in INPUTS.items():
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        if document["kind"] == "LLMInferenceService" and load(document, Settings()).service:
            found.append(name)
    return found


@pytest.mark.parametrize("case", services())
def test_the_api_server_fills_in_what_we_fill_in(case: str, place: tuple[Client, str]) -> None:
    client, namespace = place
    document = yaml.safe_load(INPUTS[case].read_text(encoding="utf-8"))
    document["metadata"]["namespace"] = namespace
    service = load(document, Settings()).service
    assert service is not None
    given = {**to_v1alpha2(document), "spec": to_v1alpha2(document).get("spec") or {}}
    stored = client.create(given, dryRun="All", fieldValidation="Strict")
    assert stored.get("spec") or service.spec == {}
