# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files and locks that several processes share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab import paths
from tests.lab.errors import LabError
from tests.lab.files import is_locked, lock_or_fail, locked, write_atomically

_HOLDER = """
import sys
from pathlib import Path
from tests.lab.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_lock_of_another_process_is_seen_and_waited_for(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert not is_locked(lock)
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(lock)],
        cwd=paths.CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdin
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        assert is_locked(lock)
        with pytest.raises(LabError, match="held by another process"):
            lock_or_fail(lock)
        waited: list[bool] = []

        def let_go() -> None:
            waited.append(True)
            assert holder.stdin
            holder.stdin.close()

        with locked(lock, on_wait=let_go):
            assert waited == [True]
    assert not is_locked(lock)


def test_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
