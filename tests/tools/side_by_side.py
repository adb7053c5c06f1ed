# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run commands at the same time: `python side_by_side.py COMMAND … -- COMMAND …`.

When one fails, or at an interrupt, the others are ended with all processes that they started. Uses the standard library
alone, since it runs before anything is installed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from queue import SimpleQueue

#: Seconds that an ended command gets before it is killed.
PATIENCE = 10.0


def main(words: Sequence[str]) -> int:
    """Run the commands and return the exit code of the first that failed, else 0."""
    running: list[subprocess.Popen[bytes]] = []
    ended: SimpleQueue[int] = SimpleQueue()
    try:
        for command in _commands(words):
            # A session of its own, so that all its processes can be ended together.
            process = subprocess.Popen(command, start_new_session=True)
            running.append(process)
            threading.Thread(target=_report, args=(process, ended), daemon=True).start()
        for dummy in running:
            if code := ended.get():
                return code
    except KeyboardInterrupt:
        return 130
    finally:
        for process in running:
            _end(process)
    return 0


def _commands(words: Sequence[str]) -> list[list[str]]:
    commands: list[list[str]] = [[]]
    for word in words:
        if word == "--":
            commands.append([])
        else:
            commands[-1].append(word)
    return commands


def _report(process: subprocess.Popen[bytes], ended: SimpleQueue[int]) -> None:
    ended.put(process.wait())


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
            return


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *dummy: sys.exit(143))
    sys.exit(main(sys.argv[1:]))
