# SPDX-License-Identifier: GPL-3.0-or-later
"""The trouble cases of tests/cases about installing: each begins in a cluster without anything of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from module_utils.kube.manifest import Json
from tests.lab.client import ApiError, Client
from tests.lab.control_plane import ControlPlane
from tests.objects import thing
from tests.parity.matching import CASES, Seen, cases, faults

from .support.entries import Entries

ALL = {
    name: expected
    for name, expected in cases().items()
    if "plugin: applyset" in (CASES / name / "expect.yaml").read_text(encoding="utf-8")
}


def objects(path: Path) -> list[Json]:
    """Return the objects of a file."""
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


class World:
    """A cluster in which one case happens. Everything that it may have made is removed at the end."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self._files = [path for path in sorted(folder.glob("*.yaml")) if path.name != "expect.yaml"]

    def apply(self, file: str, manager: str) -> None:
        """Create what a file holds as somebody else; a case may hold a field that the API drops."""
        for manifest in objects(self.folder / file):
            self.client.create(manifest, fieldManager=manager)

    def live(self) -> list[Json]:
        """Return what is there of all that the case's files name."""
        found = []
        for manifest in (each for path in self._files for each in objects(path)):
            with suppress(ApiError, LookupError):
                live = self.client.get(*_name(manifest))
                if live is not None and live not in found:
                    found.append(live)
        return found

    def clear(self) -> None:
        """Remove all of it."""
        for manifest in reversed(self.live()):
            self.client.delete(manifest)
            self.client.wait_for(manifest, lambda found: found is None)


def _name(manifest: Json) -> tuple[str, str, str, str]:
    metadata = manifest["metadata"]
    place = metadata.get("namespace", "")
    return manifest["apiVersion"], manifest["kind"], metadata["name"], place


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    """A control plane of the cases alone, without any CRD."""
    with ControlPlane() as running:
        yield running


@pytest.fixture
def world(plane: ControlPlane, request: pytest.FixtureRequest) -> Iterator[World]:
    """The cluster of a case, which is the test's parameter."""
    made = World(plane.client, CASES / request.getfixturevalue("name"))
    try:
        yield made
    finally:
        plane.client.delete(thing("v1", "ConfigMap", "demo", "default"))
        made.clear()


@pytest.mark.parametrize("name", sorted(ALL))
def test_case_ends_as_it_should(name: str, world: World, plane: ControlPlane) -> None:
    entries, run = Entries(plane.kubeconfig), ALL[name]["run"]
    for file in run.get("setup", ()):
        world.apply(file, run.get("setup_manager", "setup"))
    result: Json = {}
    for step in run.get("steps", [run]):
        if "apply" in step:
            world.apply(step["apply"], "user")
            continue
        args = dict(step["args"])
        if "src" in args:
            args["src"] = [str(world.folder / file) for file in args["src"]]
        result = entries.applyset(**args, check_mode=step.get("check_mode", False))
    seen = Seen.of(result)
    seen.manifests = world.live()
    assert list(faults(ALL[name], seen)) == []


def test_there_are_cases() -> None:
    assert len(ALL) >= 4
