# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that the Pod Security level of their namespace refuses, told before anything is written: the API takes their Deployment all the same.

Source: Kubernetes documentation, Pod Security Admission; the label of a namespace says which level it enforces.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import ERROR, Check, check
from ..kinds.view import ServiceView
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..kube.validation.pod_security import LEVELS, refusals

_LABEL = "pod-security.kubernetes.io/enforce"
_FETCHED = (
    "the release gives that container no securityContext: bring the model on a volume (pvc://), "
    "or make the namespace enforce a lower level"
)

POD_SECURITY = Check(
    "pod-security",
    ERROR,
    finds="Namespace {namespace} enforces Pod Security `{level}`, which {refusal}: the API refuses the pods",
    fix="change that, or make the namespace enforce a lower level",
    stops=True,
)


@check(POD_SECURITY, reads=("Namespaces",))
def pod_security(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield pods that the Pod Security level of the service's namespace refuses."""
    for workload in view.workloads:
        namespace = workload.reference.namespace
        found = reader.get(Reference("v1", "Namespace", "", namespace)) or {}
        level = ((found.get("metadata") or {}).get("labels") or {}).get(_LABEL)
        for refusal in refusals(workload.pod, level) if level in LEVELS else ():
            by_release = bool(refusal.container) and refusal.container == workload.fetcher
            yield POD_SECURITY.at(
                workload.fields(refusal.path),
                fix=_FETCHED if by_release and refusal.path.endswith(".securityContext") else "",
                namespace=namespace,
                level=level,
                refusal=refusal,
            )
