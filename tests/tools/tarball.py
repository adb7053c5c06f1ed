# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the collection's tarball below build/package, the same to the byte for everybody who builds the same commit.

ansible-galaxy stores when and by whom each file was written; what it builds is packed again without that. It is built twice, and
the two are compared. A commit with a tag is a release: the tag is `v` and the version of galaxy.yml.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

import yaml

from .steps import tool
from .tree import BUILD, CHECKOUT, COLLECTION, sync

PACKAGE = BUILD / "package"
SUMS = "SHA256SUMS"


def main() -> int:
    """Build, compare and write the checksums; return the exit code."""
    if fault := contradiction(_galaxy_version(), _git("tag", "--points-at", "HEAD").split()):
        print(f"tarball: {fault}")
        return 1
    sync()
    shutil.rmtree(PACKAGE, ignore_errors=True)
    PACKAGE.mkdir(parents=True)
    first, second = (build(PACKAGE) for dummy in range(2))
    if first != second:
        print(f"tarball: two builds of one tree differ: {first} and {second}")
        return 1
    found = tarball()
    (PACKAGE / SUMS).write_text(f"{first}  {found.name}\n")
    print(f"tarball: {found.relative_to(CHECKOUT)}, {found.stat().st_size // 1024} kB, {first}")
    return 0


def contradiction(version: str, tags: Sequence[str]) -> str:
    """Say what is wrong with the tags of a commit; empty where it is the release of its version, or none."""
    wanted = f"v{version}"
    others = sorted(set(tags) - {wanted})
    return (
        f"galaxy.yml has version {version}, and the commit is tagged {', '.join(others)}"
        if others
        else ""
    )


def _galaxy_version() -> str:
    galaxy = yaml.safe_load((CHECKOUT / "galaxy.yml").read_text(encoding="utf-8"))
    return str(galaxy["version"])


def _git(*words: str) -> str:
    command = ["git", *words]
    return subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout


def tarball() -> Path:
    """Return what was built."""
    return next(PACKAGE.glob("*.tar.gz"))


def build(target: Path) -> str:
    """Build the tree's collection into a folder and return the tarball's SHA-256."""
    with tempfile.TemporaryDirectory() as folder:
        command = [tool("ansible-galaxy"), "collection", "build", "--output-path", folder]
        subprocess.run([*command, str(COLLECTION)], check=True, stdout=subprocess.DEVNULL)
        built = next(Path(folder).glob("*.tar.gz"))
        packed = repacked(built.read_bytes(), moment())
    (target / built.name).write_bytes(packed)
    return hashlib.sha256(packed).hexdigest()


def repacked(archive: bytes, seconds: int) -> bytes:
    """Return an archive with the same files in the order of their names, all of one time and of nobody."""
    plain = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as source,
        tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as target,
    ):
        for member in sorted(source.getmembers(), key=lambda member: member.name):
            content = source.extractfile(member) if member.isfile() else None
            member.mtime, member.uid, member.gid, member.uname, member.gname = seconds, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            target.addfile(member, content)
    return gzip.compress(plain.getvalue(), mtime=0)


def moment() -> int:
    """Return the time of a release in seconds: SOURCE_DATE_EPOCH, or when the commit was made."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    return int(_git("log", "-1", "--format=%ct"))


if __name__ == "__main__":
    sys.exit(main())
