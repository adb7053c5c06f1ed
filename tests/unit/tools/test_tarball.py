# SPDX-License-Identifier: GPL-3.0-or-later
"""A tarball says what is in it, and nothing of when and by whom it was made."""

from __future__ import annotations

import io
import tarfile

from tests.tools.tarball import contradiction, repacked

FILES = {"a.py": b"print()\n", "b/c.yml": b"---\n"}


def _archive(names: list[str], seconds: int, owner: str) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as target:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.uname = len(FILES[name]), seconds, owner
            target.addfile(member, io.BytesIO(FILES[name]))
    return packed.getvalue()


def test_two_builds_of_the_same_files_are_the_same_bytes() -> None:
    first = repacked(_archive(["a.py", "b/c.yml"], 1, "somebody"), 1_000_000_000)
    second = repacked(_archive(["b/c.yml", "a.py"], 2, "another"), 1_000_000_000)
    assert first == second


def test_every_file_is_still_there() -> None:
    packed = repacked(_archive(["b/c.yml", "a.py"], 2, "somebody"), 1_000_000_000)
    with tarfile.open(fileobj=io.BytesIO(packed)) as opened:
        found = {member.name: opened.extractfile(member) for member in opened}
        assert {name: file.read() for name, file in found.items() if file} == FILES


def test_tag_of_a_release_is_its_version() -> None:
    assert not contradiction("1.0.0", [])
    assert not contradiction("1.0.0", ["v1.0.0"])
    assert contradiction("1.0.1", ["v1.0.0"]) == (
        "galaxy.yml has version 1.0.1, and the commit is tagged v1.0.0"
    )
