# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keep a copy of the collection where Ansible's tools can find it: build/tree/ansible_collections/modelops/inference.

ansible-test refuses a symlink, so the files are copied. Only what changed is copied, with its time, so that caches of
other tools stay valid; what was removed vanishes. Called with no arguments, prints what it did if it did anything.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
BUILD = CHECKOUT / "build"
#: Goes on the import path and on ANSIBLE_COLLECTIONS_PATH.
TREE_ROOT = BUILD / "tree"
COLLECTION = TREE_ROOT / "ansible_collections" / "modelops" / "inference"

#: Recordings and broken inputs: the linters would refuse them, and no tool in the tree needs them.
LEFT_OUT = ("tests/parity/recordings/", "tests/cases/")
#: Written into the tree by tools that run there.
KEPT_IN_TREE = frozenset({"tests/output", ".ansible"})


def sync(checkout: Path = CHECKOUT, target: Path = COLLECTION) -> tuple[int, int]:
    """Make `target` equal to the files that git knows or would add; return how many were copied and removed."""
    target.mkdir(parents=True, exist_ok=True)
    with _lock(target.parent / f".{target.name}.lock"):
        files = _listed(checkout)
        removed = _remove_others(target, files)
        copied = sum(_copy(checkout / name, target / name) for name in files)
    return copied, removed


def _listed(checkout: Path) -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    output = subprocess.run(command, cwd=checkout, check=True, capture_output=True).stdout
    names = {os.fsdecode(name) for name in output.split(b"\0") if name}
    return sorted(name for name in names if not name.startswith(LEFT_OUT))


def _copy(source: Path, target: Path) -> bool:
    try:
        wanted = source.stat()
    except FileNotFoundError:  # deleted but not yet committed, or gone since it was listed
        target.unlink(missing_ok=True)
        return False
    try:
        found = target.stat()
    except FileNotFoundError:
        target.parent.mkdir(parents=True, exist_ok=True)
    else:
        same = (wanted.st_size, wanted.st_mtime_ns, wanted.st_mode)
        if same == (found.st_size, found.st_mtime_ns, found.st_mode):
            return False
    # A reader in another process sees the old file or the new one, never half of it.
    partial = target.with_name(f".{target.name}.partial")
    shutil.copy2(source, partial)
    partial.replace(target)
    return True


def _remove_others(target: Path, files: list[str]) -> int:
    folders = {str(parent) for name in files for parent in Path(name).parents}
    return _prune(target, "", frozenset(files), frozenset(folders))


def _prune(folder: Path, prefix: str, files: frozenset[str], folders: frozenset[str]) -> int:
    removed = 0
    for entry in list(os.scandir(folder)):
        name = prefix + entry.name
        path = Path(entry.path)
        if name in KEPT_IN_TREE or entry.name == "__pycache__":
            continue
        if entry.is_dir(follow_symlinks=False):
            if name in folders:
                removed += _prune(path, f"{name}/", files, folders)
            else:
                shutil.rmtree(path)
                removed += 1
        elif name not in files:
            path.unlink()
            removed += 1
    return removed


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Let one process at a time write: several may test the same checkout."""
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def main() -> None:
    """Sync and say what changed."""
    copied, removed = sync()
    if copied or removed:
        print(f"tree: {copied} copied, {removed} removed")


if __name__ == "__main__":
    main()
