# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The copied tree is what tests import, so it must follow the checkout in everything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.tree import COLLECTION, TREE_ROOT, sync


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    (folder / "plugins").mkdir(parents=True)
    (folder / "plugins" / "a.py").write_text("A = 1\n")
    (folder / ".gitignore").write_text("/ignored\n")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def contents(target: Path) -> dict[str, str]:
    return {
        str(path.relative_to(target)): path.read_text()
        for path in sorted(target.rglob("*"))
        if path.is_file()
    }


def test_new_files_are_copied_and_ignored_ones_are_not(checkout: Path, tmp_path: Path) -> None:
    (checkout / "ignored").write_text("")
    target = tmp_path / "tree" / "inference"
    assert sync(checkout, target) == (2, 0)
    assert set(contents(target)) == {"plugins/a.py", ".gitignore"}


def test_second_sync_copies_nothing_and_keeps_times(checkout: Path, tmp_path: Path) -> None:
    target = tmp_path / "tree" / "inference"
    sync(checkout, target)
    before = (target / "plugins" / "a.py").stat()
    assert sync(checkout, target) == (0, 0)
    assert (target / "plugins" / "a.py").stat().st_mtime_ns == before.st_mtime_ns


def test_same_size_edit_is_copied(checkout: Path, tmp_path: Path) -> None:
    target = tmp_path / "tree" / "inference"
    sync(checkout, target)
    (checkout / "plugins" / "a.py").write_text("A = 2\n")
    assert sync(checkout, target) == (1, 0)
    assert contents(target)["plugins/a.py"] == "A = 2\n"


@pytest.mark.parametrize("staged", [False, True], ids=["untracked", "tracked"])
def test_deleted_files_and_folders_vanish(checkout: Path, tmp_path: Path, staged: bool) -> None:
    target = tmp_path / "tree" / "inference"
    (checkout / "roles" / "x").mkdir(parents=True)
    (checkout / "roles" / "x" / "main.yml").write_text("")
    if staged:
        subprocess.run(["git", "add", "--all"], cwd=checkout, check=True)
    sync(checkout, target)
    (checkout / "plugins" / "a.py").unlink()
    (checkout / "roles" / "x" / "main.yml").unlink()
    sync(checkout, target)
    assert set(contents(target)) == {".gitignore"}
    if not staged:
        assert not (target / "roles").exists()


def test_recordings_stay_out(checkout: Path, tmp_path: Path) -> None:
    target = tmp_path / "tree" / "inference"
    (checkout / "tests" / "parity" / "recordings").mkdir(parents=True)
    (checkout / "tests" / "parity" / "recordings" / "x.yaml").write_text("{")
    (checkout / "tests" / "parity" / "test_render.py").write_text("")
    sync(checkout, target)
    assert set(contents(target)) == {".gitignore", "plugins/a.py", "tests/parity/test_render.py"}


IMPORT = "from ansible_collections.modelops.inference.plugins.doc_fragments import auth as found"


@pytest.mark.parametrize(
    "loader",
    ["", "from ansible.plugins.loader import init_plugin_loader; init_plugin_loader()"],
    ids=["namespace packages", "collection loader"],
)
def test_collection_is_imported_from_the_tree(loader: str) -> None:
    script = f"{loader}\n{IMPORT}\nprint(found.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(TREE_ROOT)}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == COLLECTION / "plugins" / "doc_fragments" / "auth.py"
