# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which builds the cache may reuse, and finding Go."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.lab import build, crds, paths, programs, toolchain
from tests.lab.errors import LabError
from tests.lab.programs import MODULES


@pytest.fixture
def go_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = tmp_path / "go"
    shutil.copytree(paths.GO_MODULES, copy)
    monkeypatch.setattr(paths, "GO_MODULES", copy)
    return copy


@pytest.mark.parametrize("name", ["go.mod", "go.sum"])
def test_changed_module_file_asks_for_a_new_build(go_modules: Path, name: str) -> None:
    module = MODULES[0]
    before = build.key(module)
    assert build.key(module) == before
    with (go_modules / module.name / name).open("a") as stream:
        stream.write("\n")
    assert build.key(module) != before


def test_cache_and_state_follow_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "c"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    assert build.program("etcd").is_relative_to(tmp_path / "c" / "modelops-lab")
    assert paths.control_plane("x") == tmp_path / "s" / "modelops-lab" / "x"
    assert not build.is_built()


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("go version go1.26.8 linux/amd64", (1, 26)),
        ("go version go1.9 linux/arm64", (1, 9)),
        ("go: command not found", None),
    ],
)
def test_go_version(text: str, version: tuple[int, int] | None) -> None:
    assert toolchain.version_of(text) == version


@pytest.mark.parametrize("name", [programs.NEWEST, *programs.OLDER])
def test_versions_in_go_mod_are_those_that_the_lab_names(name: str) -> None:
    found = programs.release(name)
    modules = " ".join(
        (paths.GO_MODULES / module.name / "go.mod").read_text() for module in found.modules
    )
    assert found.kubernetes.startswith(f"{name}.")
    assert f"k8s.io/kubernetes v{found.kubernetes} " in modules
    assert f"go.etcd.io/etcd/server/v3 v{programs.ETCD_VERSION} " in modules
    assert f"sigs.k8s.io/kwok v{programs.KWOK_VERSION} " in modules
    assert f"sigs.k8s.io/lws v{found.lws} " in modules


def test_unknown_release_names_the_known_ones() -> None:
    with pytest.raises(LabError, match=r"LAB_KUBERNETES=1\.12: the lab has 1\.37 and 1\.36"):
        programs.release("1.12")


def test_unknown_bundle_names_the_known_ones() -> None:
    with pytest.raises(LabError, match=r"named gateway; there are: gateway-api"):
        crds.load("gateway")


def test_only_prose_is_dropped_from_schemas() -> None:
    schema = {
        "description": "prose",
        "properties": {"description": {"type": "string", "description": "prose"}},
        "anyOf": [{"description": "prose", "required": ["description"]}],
    }
    assert crds.without_descriptions(schema) == {
        "properties": {"description": {"type": "string"}},
        "anyOf": [{"required": ["description"]}],
    }
