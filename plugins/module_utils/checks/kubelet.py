# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that the API takes and no node ever starts.

Source: Kubernetes pkg/kubelet/kuberuntime/security_context.go, pkg/volume/emptydir/empty_dir.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import ERROR, Check, check
from ..kinds.view import ServiceView
from ..kube.containers import containers_of, running_in
from ..kube.problem import Problem

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
FOLDER = Check(
    "working-dir",
    ERROR,
    finds='"{folder}" is relative, and no node starts the container {container} in it',
    fix="write an absolute path",
    stops=True,
)


@check(ROOT, costly=True)
def root(view: ServiceView) -> Iterator[Problem]:
    """Yield containers that run as root although runAsNonRoot forbids it."""
    for workload in view.workloads:
        of_pod = workload.pod.get("securityContext") or {}
        for container, path in running_in(workload.pod):
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


@check(FOLDER, costly=True)
def folder(view: ServiceView) -> Iterator[Problem]:
    """Yield containers whose working directory is relative. Source: runc libcontainer/specconv@v1.3.0, which asks for an absolute one."""
    for workload in view.workloads:
        for container, path in containers_of(workload.pod):
            given = str(container.get("workingDir") or "/")
            if not given.startswith("/"):
                place = workload.fields(f"{path}.workingDir")
                yield FOLDER.at(place, folder=given, container=container.get("name"))
