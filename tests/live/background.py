# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Building the live lab beside other work, so that it is there when its turn comes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ..tools.tree import BUILD, CHECKOUT
from . import build, needs
from .turn import Turn

LOG = BUILD / "live-build.log"
_COMMAND = (sys.executable, "-m", "tests.live.background")
_PRIORITY = 19
#: Seconds between TERM and KILL.
_PATIENCE = 10.0
#: Lines of the log that a failed build is explained with.
_LAST_LINES = 5


@contextlib.contextmanager
def built_beside(*, wanted: bool) -> Iterator[dict[str, str]]:
    """Build at the lowest priority until the block ends; yields the environment in which `make live` knows of it.

    wanted: whether there is anything to build for. Whatever becomes of the build, the block continues.
    """
    began = time.time()
    with contextlib.ExitStack() as until_the_end:
        builder = 0
        if wanted and not needs.lacking() and not build.is_complete():
            builder = until_the_end.enter_context(_builder())
        yield Turn(began, builder).environment


@contextlib.contextmanager
def _builder() -> Iterator[int]:
    """The process that builds, in a session of its own, which ends as a whole."""
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with LOG.open("wb") as log:
        process = subprocess.Popen(
            _COMMAND,
            cwd=CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process.pid
    finally:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
        # Also where the builder itself is gone: a compiler of its may not be.
        _signal(process.pid, signal.SIGKILL)
        process.wait()


def last_words() -> str:
    """Return the last lines of the build's log, on one line; empty where nothing was built."""
    try:
        lines = LOG.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return ""
    return " | ".join([line.strip() for line in lines if line.strip()][-_LAST_LINES:])


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


def main() -> None:
    """Build, as little in the way of others as Linux allows."""
    os.nice(_PRIORITY)
    # Linux shares processors among sessions first, and among the processes of one only then.
    group = Path("/proc/self/autogroup")
    with contextlib.suppress(OSError):
        group.write_text(str(_PRIORITY), encoding="utf-8")
    build.build(lambda text: print(text, flush=True), lab=False)


if __name__ == "__main__":
    main()
