# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""fit-1000: whether workloads find room on 1,000 nodes on which 10,000 pods run, and what it takes beside the two LISTs.

`python -m tests.bench.fit KUBECONFIG` judges once and prints where the seconds went, and the most memory that was held.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from module_utils.capacity.check import judge
from module_utils.capacity.source import LiveObjects
from module_utils.cluster.connection import connect
from module_utils.kube.manifest import Json as Manifest
from tests.lab.control_plane import ControlPlane

from .plane import Bench, entry
from .runs import Json

NODES, PODS = 1000, 10_000
RUNS = 3
NAMESPACE = "fit"
GPU = "nvidia.com/gpu"
ZONE = "topology.kubernetes.io/zone"


class _Timed(LiveObjects):
    """Live objects that remember how long the pages were waited for, parsing included."""

    seconds = 0.0

    def each(
        self, api_version: str, kind: str, namespace: str = "", name: str = ""
    ) -> Iterator[Manifest]:
        """Yield the objects of a kind."""
        fields = f"metadata.name={name}" if name else ""
        pages = self._cluster.pages(api_version, kind, namespace=namespace, fields=fields)
        while True:
            began = time.monotonic()
            page = next(pages, None)
            self.seconds += time.monotonic() - began
            if page is None:
                return
            yield from page.items


def fit_thousand(_bench: Bench) -> list[Json]:
    """Return fit-1000."""
    with ControlPlane(nodes="none") as plane:
        plane.client.create(_named("Namespace", NAMESPACE))
        account = _named("ServiceAccount", "default", namespace=NAMESPACE)
        plane.client.wait_for(account, lambda found: found is not None)
        with _asleep(plane), ThreadPoolExecutor(16) as pool:
            list(pool.map(plane.client.create, map(_node, range(NODES))))
            list(pool.map(plane.client.create, map(_pod, range(PODS))))
            runs = [_run(plane.kubeconfig) for dummy in range(RUNS)]
    ours = {name: round(median(run[name] for run in runs), 3) for name in runs[0]}
    return [entry("fit-1000", NODES + PODS, {"ours": {"runs": RUNS, **ours}})]


def _run(kubeconfig: Path) -> Json:
    command = [sys.executable, "-m", "tests.bench.fit", str(kubeconfig)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    found: Json = json.loads(answer.stdout)
    return found


@contextmanager
def _asleep(plane: ControlPlane) -> Iterator[None]:
    """Keep controllers and scheduler from what is made here; nothing of it has to run."""
    state = plane.state
    names = ("kube-controller-manager", "kube-scheduler", "kwok")
    pids = [state.pids[name] for name in names] if state else []
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def _named(kind: str, name: str, **metadata: str) -> Json:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, **metadata}}


def _node(number: int) -> Json:
    """Return a node as large ones are: some labels, a list of images that nobody needs here."""
    sizes = {"cpu": "192", "memory": "2Ti", "pods": "110", GPU: "8"}
    labels = {"kubernetes.io/hostname": f"node-{number:04}", ZONE: f"zone-{number % 3}"}
    images = [{"names": [f"registry.example.com/image-{each}:1"]} for each in range(40)]
    status = {"capacity": sizes, "allocatable": sizes, "images": images}
    made = _named("Node", f"node-{number:04}")
    made["metadata"]["labels"] = labels
    return {**made, "status": status}


def _pod(number: int) -> Json:
    """Return a pod that is bound to a node. Seven of ten devices of each node are taken."""
    limits = {"cpu": "4", "memory": "16Gi", **({GPU: "1"} if number // NODES < 7 else {})}
    container = {
        "name": "vllm",
        "image": "vllm",
        "resources": {"limits": limits},
        "env": [{"name": f"VARIABLE_{each}", "value": "x" * 40} for each in range(20)],
    }
    made = _named("Pod", f"pod-{number:05}", namespace=NAMESPACE)
    made["metadata"]["labels"] = {"app": f"app-{number % 50}"}
    return {**made, "spec": {"containers": [container], "nodeName": f"node-{number % NODES:04}"}}


def _workloads() -> list[Manifest]:
    """Return what is to be placed: plain pods, and pods that spread over zones."""
    selector = {"matchLabels": {"app": "app-1"}}
    spread = {"topologyKey": ZONE, "maxSkew": 5, "labelSelector": selector}
    return [_workload("plain", {}), _workload("spread", {"topologySpreadConstraints": [spread]})]


def _workload(name: str, more: Json) -> Manifest:
    container = {"name": "vllm", "resources": {"limits": {GPU: "1"}}}
    template = {
        "metadata": {"labels": {"app": "app-1", "name": name}},
        "spec": {"containers": [container], **more},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "replicas": 100,
            "selector": {"matchLabels": {"name": name}},
            "template": template,
        },
    }


def main(kubeconfig: str) -> None:
    """Judge once and print where the seconds went."""
    with connect({"kubeconfig": kubeconfig, "environment": {}}) as cluster:
        source = _Timed(cluster)
        began = time.monotonic()
        judged = judge(source, _workloads(), checks=["fit"])
        total = time.monotonic() - began
    if len(judged.inventory.nodes) != NODES or not all(answer.wanted for answer in judged.answers):
        raise RuntimeError("the cluster is not the one that was made")
    figures = {"total_s": total, "lists_s": source.seconds, "after_lists_s": total - source.seconds}
    print(json.dumps({**figures, "peak_rss_mb": _peak_mb()}))


def _peak_mb() -> float:
    """Return the most memory that this program held; getrusage would count its parent's before the exec, too."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    (held,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(held) / 1024


if __name__ == "__main__":
    main(sys.argv[1])
