# SPDX-License-Identifier: GPL-3.0-or-later
"""Single runs of ours and of each peer, timed as whole processes and inside the task."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]
CALLBACKS = Path(__file__).parent / "callback"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of the whole process and of the task in it; CPU seconds of client and API server; the largest process."""

    wall: float
    task: float
    cpu: float = 0.0
    rss_mb: float = 0.0
    server_cpu: float = 0.0
    stats: Json | None = None


class Failed(Exception):
    """A run that was to be timed did not succeed."""


def play(tasks: list[Json], *, kubeconfig: Path, collections: str, scratch: Path) -> Timing:
    """Run tasks in a play on localhost; the time of its last task counts."""
    document = [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]
    path = scratch / "play.yml"
    path.write_text(json.dumps(document))
    report = scratch / "tasks.json"
    report.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "KUBECONFIG": str(kubeconfig),
        "K8S_AUTH_KUBECONFIG": str(kubeconfig),
        "ANSIBLE_COLLECTIONS_PATH": collections,
        "ANSIBLE_CALLBACK_PLUGINS": str(CALLBACKS),
        "ANSIBLE_CALLBACKS_ENABLED": "task_seconds",
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "BENCH_TASKS": str(report),
    }
    # Everybody has bytecode, the peers included; some machines switch it off.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    binary = Path(sys.executable).parent / "ansible-playbook"
    wall, cpu, rss = _timed([str(binary), str(path)], environment, scratch / "output.txt")
    tasks_done = json.loads(report.read_text()) if report.exists() else []
    if len(tasks_done) != len(tasks) or any(
        task["msg"] and task["changed"] is None for task in tasks_done
    ):
        raise Failed((scratch / "output.txt").read_text()[-3000:])
    last = tasks_done[-1] if tasks_done else {"seconds": 0.0, "stats": None}
    return Timing(wall, last["seconds"], cpu, rss, stats=last["stats"])


def kubectl(binary: Path, file: Path, *, kubeconfig: Path, scratch: Path) -> Timing:
    """Apply a file with kubectl on the server's side."""
    command = [str(binary), "apply", "--server-side", "--force-conflicts", "-f", str(file)]
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}
    wall, cpu, rss = _timed(command, environment, scratch / "output.txt")
    return Timing(wall, wall, cpu, rss)


def _timed(
    command: list[str], environment: Mapping[str, str], output: Path
) -> tuple[float, float, float]:
    started = time.monotonic()
    with output.open("w") as sink:
        process = subprocess.Popen(
            command,
            env=dict(environment),
            stdout=sink,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
        # The usage of this process and of those that it waited for, and no other's.
        dummy, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise Failed(output.read_text()[-3000:])
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
