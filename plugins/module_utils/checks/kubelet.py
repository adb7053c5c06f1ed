# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that the API takes and no node ever starts.

Source: Kubernetes pkg/kubelet/kuberuntime/security_context.go, pkg/volume/emptydir/empty_dir.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import ERROR, WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.problem import Problem
from ..kube.schema_faults import show
from .ports import running

#: What a volume of a pod's own may be kept in; the kubelet knows sizes of huge pages as well.
_MEDIA, _HUGE_PAGES = ("", "Memory"), "HugePages"

ROOT = Check(
    "root-refused",
    ERROR,
    finds="container {container} is to run as user 0, and runAsNonRoot is true: no node starts it",
    fix="give another runAsUser, or runAsNonRoot: false",
    stops=True,
)
MEDIUM = Check(
    "medium-unknown",
    ERROR,
    finds='"{medium}" is no medium that nodes know, so no node starts the pods',
    fix="write Memory, or leave it out for the node's disk",
    stops=True,
)


#: The name of a program may hold a blank, though nobody's does; so this alone is no error.
LINE = Check(
    "command-line",
    WARNING,
    finds="{word} is taken as the name of one program, since no shell splits it: the container does not start",
    fix="write one word per item, or have a shell run the line: sh, -c and the line",
)


@check(LINE, costly=True)
def line(view: ServiceView) -> Iterator[Problem]:
    """Yield commands whose first item is a whole command line."""
    for workload in view.workloads:
        for container, path in running(workload):
            word = str(next(iter(container.get("command") or ()), ""))
            place = workload.fields(f"{path}.command[0]")
            if len(word.split()) > 1 and not place.object:
                yield LINE.at(place, word=show(word))


@check(ROOT, costly=True)
def root(view: ServiceView) -> Iterator[Problem]:
    """Yield containers that run as root although runAsNonRoot forbids it."""
    for workload in view.workloads:
        of_pod = workload.pod.get("securityContext") or {}
        for container, path in running(workload):
            said = of_pod | (container.get("securityContext") or {})
            if said.get("runAsNonRoot") is True and said.get("runAsUser") == 0:
                place = workload.written(
                    f"{path}.securityContext.runAsUser",
                    f"{path}.securityContext.runAsNonRoot",
                    "securityContext.runAsUser",
                )
                yield ROOT.at(place, container=container.get("name"))


@check(MEDIUM, costly=True)
def medium(view: ServiceView) -> Iterator[Problem]:
    """Yield volumes in an unknown medium."""
    for workload in view.workloads:
        for number, volume in enumerate(workload.pod.get("volumes") or ()):
            given = str((volume.get("emptyDir") or {}).get("medium") or "")
            if given not in _MEDIA and not given.startswith(_HUGE_PAGES):
                yield MEDIUM.at(workload.fields(f"volumes[{number}].emptyDir.medium"), medium=given)
