# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that ask the API server and are refused: an endpoint picker without its rights never gets ready, and only its log says why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..cluster.connection import Cluster
from ..kinds.view import templates_of
from ..kube.fault import WorkloadFault
from ..kube.manifest import Json
from ..kube.pod_health import is_waited_for, newest
from ..kube.reference import Reference
from ..kube.rollout import WORKLOADS, pod_selector

#: The suspicion about a container that runs and does not get ready.
SILENT = "NotReady"
#: What is said once it is confirmed; Kubernetes' own word.
REFUSED = "Forbidden"
#: Refusals of different things that are repeated.
_MOST = 2
#: How the API server refuses. Source: k8s.io/apiserver pkg/endpoints/handlers/responsewriters/errors.go@v0.36.0.
_REFUSAL = re.compile(
    r'[\w.-]+(?: "[^"]*")? is forbidden: User "[^"]*" cannot \w+ resource "[^"]*" in API group "[^"]*"'
    r'(?: in the namespace "[^"]*"| at the cluster scope)?(?:: RBAC: [^,}\n]*?not found)?'
)


@dataclass(frozen=True, slots=True)
class SilentContainer(WorkloadFault):
    """A container that may lack rights. started: how often it was started again. ended: whether it failed by itself before that."""

    container: str = ""
    started: int = 0
    ended: bool = False


def with_rights(children: Iterable[Json]) -> list[tuple[str, Mapping[str, str]]]:
    """Return the workloads among a service's children whose account its bindings give rights: in words, and what selects their pods."""
    children = list(children)
    accounts = {
        subject.get("name")
        for each in children
        for subject in each.get("subjects") or ()
        if subject.get("kind") == "ServiceAccount"
    }
    return [
        (f"{each['kind']} {each['metadata']['name']}", pod_selector(each))
        for each in children
        if each["kind"] in WORKLOADS and accounts.intersection(_accounts(each))
    ]


def _accounts(workload: Json) -> Iterator[str | None]:
    for dummy, template in templates_of(workload):
        yield (template.get("spec") or {}).get("serviceAccountName")


def silent_containers(
    pods: Sequence[Json], workloads: Iterable[tuple[str, Mapping[str, str]]]
) -> Iterator[SilentContainer]:
    """Yield for each of these workloads the first container that was started and is not ready."""
    for name, selector in workloads:
        waiting = [pod for pod in newest(pods, selector) if is_waited_for(pod)]
        found = (silent for pod in waiting for silent in _silent(name, pod))
        yield from [first] if (first := next(found, None)) else []


def _silent(workload: str, pod: Json) -> Iterator[SilentContainer]:
    meta = pod["metadata"]
    for each in (pod.get("status") or {}).get("containerStatuses") or ():
        last = (each.get("lastState") or {}).get("terminated") or {}
        if each.get("ready") or not (last or "running" in (each.get("state") or {})):
            continue
        name = each.get("name", "")
        yield SilentContainer(
            SILENT,
            f"{workload}, pod {meta['name']}, container {name}",
            Reference("v1", "Pod", meta.get("namespace") or "", meta["name"]),
            container=name,
            started=each.get("restartCount") or int(bool(last)),
            ended=bool(last.get("exitCode")),
        )


def refused(cluster: Cluster, silent: SilentContainer) -> WorkloadFault | None:
    """Return what the API server refuses to a container, in the words of its log; None where that has no such words or may not be read.

    One refusal may be of a time when a binding was new, so only what was repeated counts, or what made the container fail.
    """
    pod = silent.subject
    if pod is None:
        return None
    log = cluster.log_of(pod, silent.container, previous=bool(silent.started))
    told = Counter(_REFUSAL.findall(log.replace('\\"', '"')))
    words = [text for text, times in told.items() if times > 1 or silent.ended]
    if not words:
        return None
    return WorkloadFault(REFUSED, f"{silent.message}: {'; '.join(words[:_MOST])}", pod)
