# SPDX-License-Identifier: GPL-3.0-or-later
"""The trouble cases of tests/cases about LLMInferenceServices that need a cluster: objects that are there, and one task after another."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.parity.matching import CASES, Seen, cases, faults, is_of_kind

from .support.cluster import read
from .support.entries import Entries
from .support.llm_services import child, prepare
from .support.places import knowing, own_namespace

#: The namespace in the files of cases.
_WRITTEN = "team-a"
_VERSIONS = {"Deployment": "apps/v1", "HTTPRoute": "gateway.networking.k8s.io/v1"}
NAMES = sorted(
    name
    for name, expected in cases().items()
    if expected["run"]["needs"] == "cluster"
    and "task" not in expected["run"]
    and is_of_kind(name, "LLMInferenceService")
)


client = knowing(prepare)
place = own_namespace()


def placed(file: Path, namespace: str) -> list[Json]:
    """Return the documents of a file in a namespace of the test."""
    text = file.read_text(encoding="utf-8").replace(_WRITTEN, namespace)
    return list(yaml.safe_load_all(text))


def set_up(client: Client, documents: list[Json]) -> None:
    """Create what is there already; whoever owns something has the UID that the server gave."""
    uids: dict[str, str] = {}
    for each in documents:
        uid = each["metadata"].pop("uid", "")
        for owner in each["metadata"].get("ownerReferences") or ():
            owner["uid"] = uids[owner["uid"]]
        uids[uid] = client.apply(each, manager="manager")["metadata"]["uid"]


@pytest.mark.parametrize("name", NAMES)
def test_case_ends_as_it_should(name: str, entries: Entries, client: Client, place: str) -> None:
    (expected,) = placed(CASES / name / "expect.yaml", place)
    how = expected["run"]
    for file in how.get("setup", ()):
        set_up(client, placed(CASES / name / file, place))
    result: Json = {}
    for step in how.get("steps", [how]):
        options = dict(step["args"])
        services = [
            each for file in options.pop("src") for each in placed(CASES / name / file, place)
        ]
        result = entries.run(*services, reconciler="direct", adopt=True, **options)
    wanted = [check for check in expected["must_have"] if check["in"] == "cluster"]
    live = [
        read(client, child(_VERSIONS[each["kind"]], each["kind"], each["name"], place))
        for each in wanted
    ]
    seen = Seen.of({**result, "manifests": [each for each in live if each is not None]})
    assert list(faults(expected, seen)) == []


def test_every_case_is_run() -> None:
    assert NAMES == ["li-queue-label-moves", "li-scheduler-removed-condition"]
