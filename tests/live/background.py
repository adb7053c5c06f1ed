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

#: Tells `make live` that somebody builds, and until when to wait for that: seconds since 1970.
VARIABLE = "LIVE_BUILD_UNTIL"
#: The process that builds: there is nothing to wait for once it is gone.
BUILDER_VARIABLE = "LIVE_BUILDER"
#: Tells the scenarios how many seconds they have together; a scenario whose turn comes later is not run. Without it there is no limit.
LIMIT_VARIABLE = "LIVE_SECONDS"
LIMIT = 420
#: What is not built after an hour is left to the next run, which goes on where this one ended.
PATIENCE = 3600.0
LOG = BUILD / "live-build.log"
_PRIORITY = 19


@contextlib.contextmanager
def built_beside(*, wanted: bool) -> Iterator[dict[str, str]]:
    """Build at the lowest priority until the block ends; yields the environment in which `make live` knows of it.

    wanted: whether there is anything to build for.
    """
    until = {VARIABLE: str(time.time() + PATIENCE), LIMIT_VARIABLE: str(LIMIT)}
    if not wanted or needs.lacking() or not build.missing():
        yield until
        return
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with LOG.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.live.background"],
            cwd=CHECKOUT,
            env={**os.environ, "GOFLAGS": f"{os.environ.get('GOFLAGS', '')} -p=1".strip()},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield {**until, BUILDER_VARIABLE: str(process.pid)}
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def main() -> None:
    """Build, as little in the way of others as Linux allows."""
    os.nice(_PRIORITY)
    # Linux shares processors among sessions first, and among the processes of one only then.
    group = Path("/proc/self/autogroup")
    if group.is_file():
        group.write_text(str(_PRIORITY), encoding="utf-8")
    build.build(lambda text: print(text, flush=True))


if __name__ == "__main__":
    main()
