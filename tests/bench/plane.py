# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where everything is measured: one control plane, and each contestant's way to it."""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.lab import build
from tests.lab.client import wait_until
from tests.lab.control_plane import ControlPlane
from tests.lab.kubeconfig import read as read_kubeconfig
from tests.lab.proxy import Proxy

from . import ceiling
from .ceiling import Write
from .peers import kubernetes_core
from .runs import Json, Timing, kubectl, play

BUILD = Path(__file__).parents[2] / "build"
#: Seconds until a namespace of 3,000 objects must be gone.
GONE_WITHIN = 600
#: A server is quiet that uses less than this share of a core for so many seconds.
QUIET_SHARE, QUIET_S = 0.15, 2.0
TICK = os.sysconf("SC_CLK_TCK")


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
        name = f"bench-{self.number:03}"
        self.plane.client.create(_namespace(name))
        return name

    def drop(self, *names: str) -> None:
        """Let namespaces go with all that is in them, and wait for it: it is work for the server that is measured next."""
        client = self.plane.client
        for name in names:
            client.delete(_namespace(name))

        def left() -> tuple[bool, list[str]]:
            there = [name for name in names if client.get("v1", "Namespace", name)]
            return not there, there

        wait_until(left, "namespaces that are dropped", GONE_WITHIN)
        self.quiet()

    def quiet(self) -> None:
        """Wait until the API server has done what follows from earlier writes: pods to place, objects to collect."""

        def idle() -> tuple[bool, float]:
            before = server_cpu(self.plane)
            time.sleep(QUIET_S)
            used = server_cpu(self.plane) - before
            return used < QUIET_SHARE * QUIET_S, used

        wait_until(idle, "a quiet API server", GONE_WITHIN)

    def ours(
        self, documents: list[Json], namespace: str, kubeconfig: Path | None = None, **options: Any
    ) -> Timing:
        """Reconcile the services."""
        return self.play([task(documents, namespace=namespace, **options)], kubeconfig)

    def k8s(self, manifests: list[Json], kubeconfig: Path | None = None) -> Timing:
        """Apply the manifests with kubernetes.core.k8s as one list."""
        apply = {"field_manager": "bench", "force_conflicts": True}
        arguments = {"definition": manifests, "apply": True, "server_side_apply": apply}
        return self.play([{"kubernetes.core.k8s": arguments}], kubeconfig)

    def kubectl(self, manifests: list[Json], kubeconfig: Path | None = None) -> Timing:
        """Apply the manifests with kubectl."""
        file = self.scratch / "manifests.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests}))
        binary = build.program("kubectl")
        place = kubeconfig or self.plane.kubeconfig
        return self._with_server(
            lambda: kubectl(binary, file, kubeconfig=place, scratch=self.scratch)
        )

    def ceiling(self, writes: list[Write]) -> Timing:
        """Send recorded writes from a bare loop."""
        access = read_kubeconfig(self.plane.token_kubeconfig)
        return self._with_server(lambda: ceiling.replay(writes, access))

    def play(
        self,
        tasks: list[Json],
        kubeconfig: Path | None = None,
        clusters: Mapping[str, Json] | None = None,
    ) -> Timing:
        """Run tasks as a play, on one cluster or on several side by side."""
        return self._with_server(
            lambda: play(
                tasks,
                kubeconfig=kubeconfig or self.plane.kubeconfig,
                collections=self.collections,
                scratch=self.scratch,
                clusters=clusters,
            )
        )

    def counted(self, act: Callable[[Path], object]) -> Json:
        """Run once through the proxy and return its counts; taking and giving back a Lease are requests, and no writes of what is wanted."""
        with Proxy(self.plane, keep_bodies=False) as proxy:
            act(proxy.kubeconfig)
            leases = sum(
                each.is_write for each in proxy.records if each.resource.plural == "leases"
            )
            return {"requests": proxy.requests, "writes": proxy.writes - leases}

    def _with_server(self, act: Callable[[], Timing]) -> Timing:
        before = server_cpu(self.plane)
        timing = act()
        return replace(timing, server_cpu=server_cpu(self.plane) - before)


def task(documents: list[Json], **options: Any) -> Json:
    """Return the task that reconciles the services."""
    arguments: Json = {
        "services": documents,
        "reconciler": "direct",
        "settings": {"gateway_name": ""},
        **options,
    }
    return {"modelops.inference.llmisvc_reconcile": arguments}


def settled(act: Callable[[], Timing]) -> None:
    """Reconcile until nothing is left to do, statuses included."""
    for dummy in range(10):
        timing = act()
        if timing.stats and not timing.stats["writes"]:
            return
    raise RuntimeError("what is measured does not settle")


def server_cpu(plane: ControlPlane) -> float:
    """Return the CPU seconds that the API server has used so far."""
    state = plane.state
    if state is None:
        return 0.0
    stat = Path(f"/proc/{state.pids['kube-apiserver']}/stat").read_text()
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / TICK


def median(timings: list[Timing]) -> Json:
    """Return the median of each figure."""

    def of(name: str) -> float:
        return round(statistics.median(getattr(timing, name) for timing in timings), 3)

    return {
        "runs": len(timings),
        "wall_s": of("wall"),
        "task_s": of("task"),
        "client_cpu_s": of("cpu"),
        "server_cpu_s": of("server_cpu"),
        "peak_rss_mb": round(max(timing.rss_mb for timing in timings)),
    }


def entry(
    name: str, objects: int, figures: dict[str, Json], *, rtt_ms: int = 0, **more: Any
) -> Json:
    """Return a result; `ours` among the figures is ours, the others are peers."""
    peers = {peer: found for peer, found in figures.items() if peer != "ours"}
    return {
        "id": name,
        "rtt_ms": rtt_ms,
        "objects": objects,
        "ours": figures["ours"],
        "peers": peers,
        **more,
    }


def _namespace(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
