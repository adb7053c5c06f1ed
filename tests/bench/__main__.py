# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the comparisons in turn and prints each figure with its target.

noop-S: one settled service. create-M and noop-M: 20 services, about 300 objects, against kubernetes.core.k8s with the same
manifests as one list and against kubectl. Requests and writes are counted at the lab's proxy, in runs of their own.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.lab import build
from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE
from tests.lab.kubeconfig import read as read_kubeconfig
from tests.lab.proxy import Proxy

from .peers import kubernetes_core
from .runs import Json, Timing, ceiling, kubectl, play
from .workload import custom_resource_definition, rendered, services

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build"
RUNS = 3
SERVICES = 20


class Bench:
    """One control plane and the scratch folder of all runs."""

    def __init__(self, plane: ControlPlane, scratch: Path) -> None:
        self.plane = plane
        self.scratch = scratch
        self.collections = f"{BUILD / 'tree'}:{kubernetes_core(BUILD)}"
        self.number = 0

    def namespace(self) -> str:
        """Make a fresh namespace."""
        self.number += 1
        name = f"bench-{self.number}"
        self.plane.client.create(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        )
        return name

    def ours(
        self,
        documents: list[Json],
        namespace: str,
        *,
        kubeconfig: Path | None = None,
        wait: bool = False,
    ) -> Timing:
        """Reconcile the services."""
        arguments: Json = {
            "services": documents,
            "namespace": namespace,
            "wait": wait,
            "reconciler": "direct",
        }
        arguments["settings"] = {"gateway_name": ""}
        return self.play([{"modelops.inference.llmisvc_reconcile": arguments}], kubeconfig)

    def k8s(self, manifests: list[Json], *, kubeconfig: Path | None = None) -> Timing:
        """Apply the manifests with kubernetes.core.k8s as one list."""
        apply = {"field_manager": "bench", "force_conflicts": True}
        arguments = {"definition": manifests, "apply": True, "server_side_apply": apply}
        return self.play([{"kubernetes.core.k8s": arguments}], kubeconfig)

    def kubectl(self, manifests: list[Json], *, kubeconfig: Path | None = None) -> Timing:
        """Apply the manifests with kubectl."""
        file = self.scratch / "manifests.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests}))
        binary = build.program("kubectl")
        return kubectl(
            binary, file, kubeconfig=kubeconfig or self.plane.kubeconfig, scratch=self.scratch
        )

    def play(self, tasks: list[Json], kubeconfig: Path | None = None) -> Timing:
        """Run tasks as a play."""
        return play(
            tasks,
            kubeconfig=kubeconfig or self.plane.kubeconfig,
            collections=self.collections,
            scratch=self.scratch,
        )


def median(timings: list[Timing]) -> Json:
    """Return the median of each figure."""
    return {
        "wall_s": round(statistics.median(timing.wall for timing in timings), 3),
        "task_s": round(statistics.median(timing.task for timing in timings), 3),
        "client_cpu_s": round(statistics.median(timing.cpu for timing in timings), 3),
        "peak_rss_mb": round(max(timing.rss_mb for timing in timings)),
    }


def counted(bench: Bench, act: Callable[[Path], Any]) -> Json:
    """Run once through the proxy and return its counts."""
    with Proxy(bench.plane) as proxy:
        act(proxy.kubeconfig)
        return {"requests": proxy.requests, "writes": proxy.writes}


def small(bench: Bench) -> Json:
    """Return noop-S: the overhead of one task on one settled service over an empty play."""
    namespace = bench.namespace()
    documents = services(1)
    bench.ours(documents, namespace, wait=True)
    bench.ours(documents, namespace)
    empty: list[Timing] = []
    ours: list[Timing] = []
    for dummy in range(RUNS + 2):
        empty.append(bench.play([]))
        ours.append(bench.ours(documents, namespace))
    figures = median(ours) | counted(
        bench, lambda path: bench.ours(documents, namespace, kubeconfig=path)
    )
    overhead = figures["wall_s"] - median(empty)["wall_s"]
    return {
        "id": "noop-S",
        "objects": 11,
        "ours": figures | {"overhead_s": round(overhead, 3)},
        "peers": {"empty play": median(empty)},
    }


def medium(bench: Bench) -> list[Json]:
    """Return create-M and noop-M."""
    documents = services(SERVICES)
    create: dict[str, list[Timing]] = {
        "ours": [],
        "kubernetes.core.k8s": [],
        "kubectl": [],
        "ceiling": [],
    }
    noop: dict[str, list[Timing]] = {"ours": [], "kubernetes.core.k8s": [], "kubectl": []}
    counts: dict[str, Json] = {}
    objects = 0
    for turn in range(RUNS):
        print(f"bench: round {turn + 1} of {RUNS}", flush=True)
        place = {name: bench.namespace() for name in create}
        manifests = {name: rendered(documents, namespace) for name, namespace in place.items()}
        objects = len(manifests["ours"])
        create["ours"].append(bench.ours(documents, place["ours"]))
        create["kubernetes.core.k8s"].append(bench.k8s(manifests["kubernetes.core.k8s"]))
        create["kubectl"].append(bench.kubectl(manifests["kubectl"]))
        create["ceiling"].append(_ceiling(bench, manifests["ceiling"]))
        bench.ours(documents, place["ours"], wait=True)
        bench.ours(documents, place["ours"])
        noop["ours"].append(bench.ours(documents, place["ours"]))
        noop["kubernetes.core.k8s"].append(bench.k8s(manifests["kubernetes.core.k8s"]))
        noop["kubectl"].append(bench.kubectl(manifests["kubectl"]))
        if turn == RUNS - 1:
            counts = _counts(bench, documents, place["ours"], manifests)
        for namespace in place.values():
            bench.plane.client.delete(
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            )
    return [
        _entry("create-M", objects, {name: median(timings) for name, timings in create.items()}),
        _entry(
            "noop-M",
            objects,
            {name: median(timings) | counts[name] for name, timings in noop.items()},
        ),
    ]


def _counts(
    bench: Bench, documents: list[Json], namespace: str, manifests: dict[str, list[Json]]
) -> dict[str, Json]:
    core, plain = manifests["kubernetes.core.k8s"], manifests["kubectl"]
    return {
        "ours": counted(bench, lambda path: bench.ours(documents, namespace, kubeconfig=path)),
        "kubernetes.core.k8s": counted(bench, lambda path: bench.k8s(core, kubeconfig=path)),
        "kubectl": counted(bench, lambda path: bench.kubectl(plain, kubeconfig=path)),
    }


def _ceiling(bench: Bench, manifests: list[Json]) -> Timing:
    access = read_kubeconfig(bench.plane.token_kubeconfig)
    authority = bench.scratch / "ca.crt"
    authority.write_text(access.authority)
    return ceiling(manifests, server=access.server, token=access.token, ca=authority)


def _entry(name: str, objects: int, figures: dict[str, Json]) -> Json:
    ours = figures.pop("ours")
    return {"id": name, "rtt_ms": 0, "objects": objects, "ours": ours, "peers": figures}


def report(results: list[Json]) -> None:
    """Print each wanted figure beside what was measured."""
    by_id = {result["id"]: result for result in results}
    small_ours = by_id["noop-S"]["ours"]
    create, noop = by_id["create-M"], by_id["noop-M"]
    k8s_create, k8s_noop = (
        create["peers"]["kubernetes.core.k8s"],
        noop["peers"]["kubernetes.core.k8s"],
    )
    lines = [
        ("noop-S: one service, above an empty play", f"{small_ours['overhead_s']} s", "<= 0.4 s"),
        ("noop-M: writes", noop["ours"]["writes"], "0"),
        ("noop-M: requests", noop["ours"]["requests"], "<= 20"),
        (
            "noop-M: task time, kubernetes.core.k8s / ours",
            f"{k8s_noop['task_s'] / noop['ours']['task_s']:.1f} x",
            ">= 5 x",
        ),
        (
            "create-M: task time, kubernetes.core.k8s / ours",
            f"{k8s_create['task_s'] / create['ours']['task_s']:.2f} x",
            ">= 1 x",
        ),
        (
            "noop-M: wall, kubectl / ours",
            f"{noop['peers']['kubectl']['wall_s'] / noop['ours']['wall_s']:.2f} x",
            "-",
        ),
        (
            "create-M: ours / bare loop of the same applies",
            f"{create['ours']['task_s'] / create['peers']['ceiling']['task_s']:.2f} x",
            "-",
        ),
    ]
    width = max(len(line[0]) for line in lines)
    for name, value, target in lines:
        print(f"{name:<{width}}  {value!s:>10}  (wanted {target})")


def main() -> int:
    """Run everything and write build/bench.json."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ControlPlane(nodes="gpu", crds=[*MODEL_SERVICE, custom_resource_definition()]) as plane,
    ):
        bench = Bench(plane, Path(folder))
        results = [small(bench), *medium(bench)]
    machine = {
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.platform(),
    }
    when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    BUILD.mkdir(exist_ok=True)
    document = {"machine": machine, "when": when, "results": results}
    (BUILD / "bench.json").write_text(json.dumps(document, indent=1) + "\n")
    report(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
