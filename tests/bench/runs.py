# SPDX-License-Identifier: GPL-3.0-or-later
"""Single runs of ours and of each peer, timed as whole processes and inside the task."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]
CALLBACKS = Path(__file__).parent / "callback"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of the whole process and of the task in it, CPU seconds and peak memory of the process tree."""

    wall: float
    task: float
    cpu: float
    rss_mb: float
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
    return Timing(wall, last["seconds"], cpu, rss, last["stats"])


def kubectl(binary: Path, file: Path, *, kubeconfig: Path, scratch: Path) -> Timing:
    """Apply a file with kubectl on the server's side."""
    command = [str(binary), "apply", "--server-side", "--force-conflicts", "-f", str(file)]
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}
    wall, cpu, rss = _timed(command, environment, scratch / "output.txt")
    return Timing(wall, wall, cpu, rss)


def ceiling(manifests: list[Json], *, server: str, token: str, ca: Path) -> Timing:
    """Send the same applies from a bare loop over 8 connections: what the API server can take."""
    import urllib3

    pool = urllib3.PoolManager(num_pools=1, maxsize=8, block=True, ca_certs=str(ca))
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/apply-patch+yaml"}
    calls = [(_path(manifest), json.dumps(manifest).encode()) for manifest in manifests]

    def send(call: tuple[str, bytes]) -> int:
        url = f"{server}{call[0]}?fieldManager=bench&force=true"
        answer = pool.request("PATCH", url, body=call[1], headers=headers)
        if answer.status not in (200, 201):
            raise Failed(answer.data.decode()[:500])
        return answer.status

    started = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(send, calls))
    wall = time.monotonic() - started
    return Timing(wall, wall, 0.0, 0.0)


PLURALS = {"ServiceAccount": "serviceaccounts", "InferencePool": "inferencepools"}


def _path(manifest: Mapping[str, Any]) -> str:
    version = manifest["apiVersion"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    namespace = manifest["metadata"].get("namespace")
    place = f"/namespaces/{namespace}" if namespace else ""
    return f"{root}{place}/{manifest['kind'].lower()}s/{manifest['metadata']['name']}"


def _timed(
    command: list[str], environment: Mapping[str, str], output: Path
) -> tuple[float, float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    with output.open("w") as sink:
        process = subprocess.run(
            command,
            env=dict(environment),
            stdout=sink,
            stderr=subprocess.STDOUT,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise Failed(output.read_text()[-3000:])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, after.ru_maxrss / 1024
