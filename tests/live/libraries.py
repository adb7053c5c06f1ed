# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that a program of this machine needs in an image: its libraries, and the whole of the running Python."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from .oci import File

#: Parts of the standard library that no server loads.
_LEFT_OUT = frozenset(
    {
        "test",
        "idlelib",
        "tkinter",
        "turtledemo",
        "ensurepip",
        "lib2to3",
        "site-packages",
        "dist-packages",
        "pydoc_data",
    }
)


def with_libraries(programs: Iterable[Path]) -> list[File]:
    """The shared libraries that these programs load, under the paths where the loader looks for them."""
    found: dict[str, File] = {}
    for each in programs:
        for path in _linked(each):
            found[str(path)] = File(str(path), path.resolve())
    return list(found.values())


def _linked(program: Path) -> Iterator[Path]:
    """Read ldd: `name => /path (address)` for libraries, `/path (address)` for the loader."""
    listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
    for line in listed.stdout.splitlines():
        path = line.rpartition("=>")[2].strip().partition(" (")[0]
        if path.startswith("/"):
            yield Path(path)


def python() -> list[File]:
    """The running Python and its standard library under the paths of this machine, and `/usr/bin/python3`."""
    program = Path(sys.executable).resolve()
    folder = Path(sysconfig.get_path("stdlib", vars={"base": sys.base_prefix}))
    library = [path for path in folder.rglob("*") if path.is_file() and _is_wanted(path, folder)]
    extensions = [path for path in library if path.suffix == ".so"]
    return [
        File(str(program), program),
        File("/usr/bin/python3", link=str(program)),
        *(File(str(path), path, mode=0o644) for path in library),
        *with_libraries([program, *extensions]),
    ]


def _is_wanted(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    unwanted = path.suffix == ".a" or path.name.endswith((".opt-1.pyc", ".opt-2.pyc"))
    return not (unwanted or _LEFT_OUT & set(parts) or parts[0].startswith("config-"))
