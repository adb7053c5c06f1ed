# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""When a process counts as one that still runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.lab.client import wait_until
from tests.lab.process import is_alive

#: The first thread ends; the second one waits for a line of standard input.
_FIRST_THREAD_ENDS = """
import ctypes, sys, threading
threading.Thread(target=sys.stdin.readline).start()
ctypes.CDLL(None).pthread_exit(None)
"""


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


def test_process_runs_until_its_last_thread_has_ended() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _FIRST_THREAD_ENDS], stdin=subprocess.PIPE
    ) as process:
        wait_until(lambda: (_state(process.pid) == "Z", None), "the first thread to end", 20)
        assert is_alive(process.pid)
        process.communicate(b"\n")
    assert not is_alive(process.pid)


def test_process_that_ended_and_was_not_waited_for_does_not_run() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        wait_until(lambda: (not is_alive(process.pid), None), "the process to end", 20)
        assert _state(process.pid) == "Z"
