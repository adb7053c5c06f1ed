# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a pool reaches the model servers that it selects.

Source: Gateway API inference extension, InferencePoolSpec.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..kube.manifest import Json
from .findings import Finding, warning
from .workloads import as_map, pod_labels, pod_of


def member_findings(pool: Json, workloads: Iterable[Json]) -> Iterator[Finding]:
    """Yield what keeps a pool from reaching the workloads that it selects: it lies elsewhere, or asks ports on which they do not listen."""
    spec = as_map(pool.get("spec"))
    home = as_map(pool.get("metadata")).get("namespace")
    selector = as_map(as_map(spec.get("selector")).get("matchLabels")).items()
    wanted = {
        port.get("number") for port in spec.get("targetPorts") or () if isinstance(port, dict)
    }
    for workload in workloads:
        if not selector <= pod_labels(workload).items():
            continue
        metadata = as_map(workload.get("metadata"))
        name, namespace = metadata.get("name"), metadata.get("namespace")
        if home and namespace and home != namespace:
            yield warning(
                "pool-namespace",
                "pool.metadata.namespace",
                home,
                f"a pool selects pods of its own namespace, {home}, and {name} is in {namespace}",
                "put both into one namespace",
            )
        containers = as_map(pod_of(workload).get("spec")).get("containers") or ()
        ports = [each.get("ports") or () for each in containers]
        listening = {port.get("containerPort") for each in ports for port in each}
        # A container that declares nothing may listen anywhere.
        if wanted and ports and all(ports) and not wanted & listening:
            yield warning(
                "pool-target-port",
                "pool.spec.targetPorts",
                sorted(wanted, key=str),
                f"the pool sends requests to port {_numbers(wanted)}, and the containers of {name} listen on {_numbers(listening)}",
                "name a port on which the engine listens",
            )


def _numbers(ports: Iterable[object]) -> str:
    return ", ".join(sorted(map(str, ports)))
