# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of pods that the API takes in some clusters alone: behind a feature gate, or from a release of LeaderWorkerSet on.

Source: Kubernetes documentation, Feature Gates; LeaderWorkerSet config/crd/bases at v0.7.0 and v0.8.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.containers import containers_of
from ..kube.manifest import value_at
from ..kube.problem import Problem

_GROUPS = "LeaderWorkerSet"
#: Field and value → the gate that has to be on, and is off where nobody says otherwise.
_GATES = {("securityContext", "seLinuxChangePolicy"): ("MountOption", "SELinuxMount")}
#: Fields of pods and of containers that groups know from 0.8 on.
_LATER_OF_PODS, _LATER_OF_CONTAINERS = ("hostnameOverride",), ("restartPolicyRules",)

GATE = Check(
    "gated-field",
    WARNING,
    finds="the API server accepts {value} only with the feature gate {gate}, which is off by default",
    fix="leave it out, or switch the gate on",
)
GROUP = Check(
    "gated-field",
    WARNING,
    finds="{field} is known to LeaderWorkerSet from 0.8 on; an earlier one refuses the group, or starts its pods without it",
    fix="leave it out, or install LeaderWorkerSet 0.8",
)


@check(GATE, costly=True)
def gate(view: ServiceView) -> Iterator[Problem]:
    """Yield values that the API accepts only with a feature gate."""
    for workload in view.workloads:
        for path, (value, name) in _GATES.items():
            if value_at(workload.pod, path) == value:
                yield GATE.at(workload.fields(".".join(path)), value=value, gate=name)


@check(GROUP, costly=True)
def group(view: ServiceView) -> Iterator[Problem]:
    """Yield fields of pod groups that earlier releases of LeaderWorkerSet do not know."""
    for workload in view.workloads:
        for path in _later(workload) if workload.reference.kind == _GROUPS else ():
            yield GROUP.at(workload.fields(path), field=path.rpartition(".")[2])


def _later(workload: Workload) -> Iterator[str]:
    yield from (field for field in _LATER_OF_PODS if field in workload.pod)
    for container, path in containers_of(workload.pod):
        yield from (f"{path}.{field}" for field in _LATER_OF_CONTAINERS if field in container)
