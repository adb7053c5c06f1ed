# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of users about installing, one row each in installing.yaml.

`there`: objects of somebody else. `steps`: each installs `src` with the options `args`, or is an `apply` by the user; `outcome` and `says` as
in tests/parity/reports. `have`: what is in the cluster at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab.client import ApiError, Client
from tests.lab.control_plane import ControlPlane
from tests.objects import thing
from tests.parity.matching import Seen, faults

from .support.entries import Entries

Json = dict[str, Any]
ROWS: dict[str, Json] = {
    row["name"]: row
    for row in yaml.safe_load(Path(__file__).with_name("installing.yaml").read_text())
}
NAMESPACE = thing("v1", "Namespace", "controllers")


def _objects(row: Json) -> list[Json]:
    """Return everything that a row may make."""
    given = [
        *row.get("there", []),
        *(each for step in row["steps"] for each in step.get("src", [])),
    ]
    given += [each for step in row["steps"] for each in step.get("apply", [])]
    flat = [item for each in given for item in each.get("items", [each])]
    return [each for each in flat if "name" in each["metadata"]]


def _find(client: Client, manifest: Json) -> Json | None:
    metadata = manifest["metadata"]
    with suppress(ApiError, LookupError):
        for place in dict.fromkeys((metadata.get("namespace", ""), "", "default")):
            with suppress(ApiError):
                found = client.get(
                    manifest["apiVersion"], manifest["kind"], metadata["name"], place
                )
                if found is not None:
                    return found
    return None


def _live(client: Client, row: Json) -> list[Json]:
    found: list[Json] = []
    for manifest in _objects(row):
        live = _find(client, manifest)
        if live is not None and live not in found:
            found.append(live)
    return found


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    """A control plane of the reports alone, without any CRD."""
    with ControlPlane() as running:
        running.client.create(NAMESPACE)
        yield running


@pytest.fixture
def row(plane: ControlPlane, request: pytest.FixtureRequest) -> Iterator[Json]:
    """A row in a cluster that has what was there; everything goes at the end."""
    found = ROWS[request.getfixturevalue("name")]
    for manifest in found.get("there", []):
        plane.client.create(manifest, fieldManager="others")
    yield found
    for name in ("demo", "second"):
        with suppress(ApiError):
            plane.client.delete(thing("v1", "ConfigMap", name, "default"))
    for manifest in reversed(_live(plane.client, found)):
        plane.client.delete(manifest)
        if manifest["kind"] != "Namespace":  # nobody finishes a namespace here
            plane.client.wait_for(manifest, lambda live: live is None)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_installing_ends_as_it_should(
    name: str, row: Json, plane: ControlPlane, tmp_path: Path
) -> None:
    entries = Entries(plane.kubeconfig)
    assert row["name"] == name
    for number, step in enumerate(row["steps"]):
        if "apply" in step:
            for manifest in step["apply"]:
                plane.client.create(manifest, fieldManager="user")
            continue
        args = {"name": "demo", **step.get("args", {})}
        if "src" in step:
            file = tmp_path / f"{number}.yaml"
            file.write_text(yaml.safe_dump_all(step["src"]), encoding="utf-8")
            args["src"] = [str(file)]
        seen = Seen.of(entries.applyset(**args))
        expected = {
            "outcome": step.get("outcome", "ok"),
            "must_mention": step.get("says", []),
            "must_not_mention": ["Traceback"],
        }
        assert list(faults(expected, seen)) == [], seen.message
    seen.manifests = _live(plane.client, row)
    outcome = "error" if seen.failed else "ok"
    assert list(faults({"outcome": outcome, "must_have": row.get("have", [])}, seen)) == []
