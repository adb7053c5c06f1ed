# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""clusters: one play over 24 settled clusters of 20 services each, all 20 ms away, with a fork for each.

24 control planes are too much for one machine. Each of those that are here stands for several clusters: every host of the inventory has
a namespace and a fleet of its own, and sees nothing of the others.
"""

from __future__ import annotations

from contextlib import ExitStack

from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE
from tests.lab.distance import Distance

from .plane import Bench, entry, median, settled, task
from .runs import Json, Timing
from .workload import custom_resource_definition, rendered, services

CLUSTERS, PLANES = 24, 4
SERVICES = 20
FAR_MS = 20
RUNS = 3


def many_clusters(bench: Bench) -> list[Json]:
    """Return clusters."""
    crds: list[str | Json] = [*MODEL_SERVICE, custom_resource_definition()]
    documents = services(SERVICES, pods=0)
    with ExitStack() as stack:
        places = [
            Bench(stack.enter_context(ControlPlane(nodes="none", crds=crds)), bench.scratch)
            for dummy in range(PLANES)
        ]
        far = [stack.enter_context(Distance(each.plane, FAR_MS / 1000)) for each in places]
        hosts: dict[str, Json] = {}
        for number in range(CLUSTERS):
            place = number % PLANES
            hosts[f"cluster-{number + 1:02}"] = {
                "place": places[place].namespace(),
                "kubeconfig": str(far[place].kubeconfig),
            }

        def act() -> Timing:
            reconcile = task(
                documents,
                namespace="{{ place }}",
                kubeconfig="{{ kubeconfig }}",
                fleet="{{ inventory_hostname }}",
            )
            return bench.play([reconcile], clusters=hosts)

        settled(act)
        timings = [act() for dummy in range(RUNS)]
        objects = CLUSTERS * len(rendered(documents, "any"))
    figures = median(timings) | (timings[-1].stats or {})
    return [
        entry(
            "clusters",
            objects,
            {"ours": figures},
            rtt_ms=FAR_MS,
            clusters=CLUSTERS,
            control_planes=PLANES,
        )
    ]
