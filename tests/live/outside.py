# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A live lab seen from the machine: started, entered and ended."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ..lab import paths, state
from ..lab.client import wait_until
from ..lab.errors import LabError
from ..lab.process import is_alive
from . import cgroups, host
from .needs import NAMESPACES
from .place import Place, State

#: Seconds for the whole start and for the whole end, and for each part of the end.
START_WITHIN, END_WITHIN = 300.0, 90.0
_PART_WITHIN = 30.0
_LOOK_EVERY = 0.1
#: What is shown of each log when a start fails.
_LINES = 12


def start(place: Place, *, keep: bool) -> State:
    """Start it and wait until the gateway is programmed. keep: it outlives this process. Raises LabError."""
    if is_running(place):
        raise LabError(f"a live lab named {place.name} runs; end it: python -m tests.live down")
    end(place)
    place.log("world").parent.mkdir(parents=True)
    tied = [] if keep else ["setpriv", "--pdeathsig", "KILL"]
    command = [*tied, "unshare", *NAMESPACES, "--fork", "--kill-child", "--mount-proc"]
    with place.log("world").open("wb") as log:
        process = subprocess.Popen(
            [*command, sys.executable, "-m", "tests.live.world", str(place.root)],
            cwd=paths.CHECKOUT,
            env=place.environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    place.started.write_text(str(process.pid), encoding="utf-8")
    threading.Thread(target=process.wait, daemon=True, name="live-reaper").start()
    try:
        return _await_ready(place, lambda: process.poll() is None)
    except BaseException:
        _kill(place)
        raise


def is_running(place: Place) -> bool:
    """Whether its processes live."""
    return first_process(place) is not None


def first_process(place: Place) -> int | None:
    """The first process of its namespaces, by the number that the machine gives it."""
    try:
        holder = int(place.started.read_text("utf-8"))
        children = Path(f"/proc/{holder}/task/{holder}/children").read_text("utf-8").split()
    except (OSError, ValueError):
        return None
    return int(children[0]) if children else None


def enter(place: Place, command: Sequence[str], within: float | None = None) -> int:
    """Run a command in its namespaces and return the exit code. within: seconds that it has. Raises LabError."""
    process = first_process(place)
    if process is None:
        raise LabError("no live lab runs; start one: make live ARGS=--keep")
    spaces = ["--net", "--mount", "--pid", "--ipc", "--uts", f"--wd={paths.CHECKOUT}"]
    words = ["nsenter", f"--target={process}", *spaces, "--", *command]
    try:
        done = subprocess.run(words, env=place.environment(), check=False, timeout=within)
    except subprocess.TimeoutExpired as error:
        raise LabError(f"{command[0]} did not end within {within:.0f} s") from error
    return done.returncode


def end(place: Place) -> None:
    """End every process of it, and remove its cgroups and its folder."""
    _kill(place)
    cgroups.remove(place.cgroup)
    shutil.rmtree(place.root, ignore_errors=True)


def _kill(place: Place) -> None:
    process = first_process(place)
    if process is None:
        return
    spaces = host.namespaces(process)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)

    def look() -> tuple[bool, list[int]]:
        left = host.members(spaces)
        return not left, left

    wait_until(look, "the processes of the live lab to end", _PART_WITHIN)
    holder = int(place.started.read_text("utf-8"))
    wait_until(lambda: (not is_alive(holder), holder), "its namespaces to end", _PART_WITHIN)


def _await_ready(place: Place, lives: Callable[[], bool]) -> State:
    until = time.monotonic() + START_WITHIN
    pause = threading.Event()
    while True:
        said = place.read()
        if said.phase == "ready":
            return said
        if said.phase == "failed" or not lives():
            raise LabError(f"the live lab did not start: {said.message}\n{logs(place)}")
        if time.monotonic() > until:
            raise LabError(f"it is not ready after {START_WITHIN:.0f} s\n{logs(place)}")
        pause.wait(_LOOK_EVERY)


def logs(place: Place) -> str:
    """The ends of all logs."""
    found = sorted((place.root / "logs").glob("*.log"))
    return "\n".join(f"--- {file.name}\n{state.tail(file, _LINES)}" for file in found)
