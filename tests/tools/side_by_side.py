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
import time
from collections.abc import Sequence
from pathlib import Path
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
        # The command is the first of its group to be told, not always the last to end.
        if _is_gone(process):
            return


def _is_gone(process: subprocess.Popen[bytes]) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if process.poll() is not None and not _members(process.pid):
            return True
        time.sleep(0.02)
    return False


def _members(group: int) -> bool:
    """Whether a process of the group still runs; one that has ended and waits for its parent does not."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # After the name in brackets: state, parent, group.
            state, dummy, member = stat.read_text().rpartition(")")[2].split()[:3]
            if int(member) == group and state != "Z":
                return True
    return False


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *dummy: sys.exit(143))
    sys.exit(main(sys.argv[1:]))
