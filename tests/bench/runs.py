# SPDX-License-Identifier: GPL-3.0-or-later
"""Single runs of ours and of each peer, timed as whole processes and inside the task."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]
CALLBACKS = Path(__file__).parent / "callback"
#: What the result of a task counts.
COUNTS = ("requests", "writes")
#: Variables of a host that is reached in Ansible's own process.
IN_PROCESS = {
    "ansible_connection": "local",
    "ansible_python_interpreter": "{{ ansible_playbook_python }}",
}


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


def play(
    tasks: list[Json],
    *,
    kubeconfig: Path,
    collections: str,
    scratch: Path,
    clusters: Mapping[str, Json] | None = None,
) -> Timing:
    """Run tasks in a play; the time of its last task counts.

    clusters: the variables of a host for each cluster, all reached side by side from this machine; else localhost alone.
    """
    hosts = clusters or {"localhost": {}}
    inventory = scratch / "inventory.json"
    inventory.write_text(json.dumps({"all": {"hosts": hosts, "vars": IN_PROCESS}}))
    document = [{"hosts": "all", "gather_facts": False, "strategy": "free", "tasks": tasks}]
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
        "BENCH_TASKS": str(report),
    }
    # Everybody has bytecode, the peers included; some machines switch it off.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    binary = Path(sys.executable).parent / "ansible-playbook"
    words = [str(binary), "-i", str(inventory), "--forks", str(len(hosts)), str(path)]
    wall, cpu, rss = _timed(words, environment, scratch / "output.txt")
    done = json.loads(report.read_text()) if report.exists() else []
    if len(done) != len(tasks) * len(hosts) or any(
        task["msg"] and task["changed"] is None for task in done
    ):
        raise Failed((scratch / "output.txt").read_text()[-3000:])
    seconds = done[-1]["seconds"] if done else 0.0
    return Timing(wall, seconds, cpu, rss, stats=_sum(task["stats"] for task in done))


def _sum(stats: Iterable[Json | None]) -> Json | None:
    """Return the counts of all hosts together, None where no task counts anything."""
    counted = [each for each in stats if each]
    return {name: sum(each[name] for each in counted) for name in COUNTS} if counted else None


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
