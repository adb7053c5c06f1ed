# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Commands that run at the same time end together, and leave no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.tools import side_by_side

#: A command that starts a process of its own, writes its id and waits long.
PARENT = """
import pathlib, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
part = pathlib.Path(sys.argv[1] + ".part")
part.write_text(str(child.pid))
part.rename(sys.argv[1])
child.wait()
"""


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _wait(what: Path) -> None:
    deadline = time.monotonic() + 30
    while not what.exists():
        assert time.monotonic() < deadline, f"{what} did not appear"
        os.sched_yield()


def test_all_commands_are_run(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    assert side_by_side.main(["touch", str(one), "--", "touch", str(two)]) == 0
    assert one.exists()
    assert two.exists()


def test_first_failure_is_the_exit_code_and_ends_the_others_with_their_children(
    tmp_path: Path,
) -> None:
    child = tmp_path / "child"
    until = f"import os\nwhile not os.path.exists({str(child)!r}): pass\nraise SystemExit(7)"
    waits = [sys.executable, "-c", PARENT, str(child)]
    assert side_by_side.main([*waits, "--", sys.executable, "-c", until]) == 7
    assert not _is_alive(int(child.read_text()))


def test_end_of_the_process_ends_all(tmp_path: Path) -> None:
    child = tmp_path / "child"
    command = [sys.executable, side_by_side.__file__, sys.executable, "-c", PARENT, str(child)]
    with subprocess.Popen(command) as process:
        _wait(child)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 143
    assert not _is_alive(int(child.read_text()))
