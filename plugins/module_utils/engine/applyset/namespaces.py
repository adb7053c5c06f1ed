# SPDX-License-Identifier: GPL-3.0-or-later
"""Namespaces of a set: which of them others use as well, and which end or are missing."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ...cluster.connection import Cluster
from ...cluster.errors import ApiError, ClusterError, Forbidden, KindMissing
from ...kube import gvk
from ...kube.apply_order import is_built_in
from ...kube.applyset import ID_LABEL, part_of
from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reference import Reference
from ...kube.text import few
from ..deletion_wait import is_dying
from ..preflight_checks import read_namespaces

#: Kinds that people keep in namespaces, beside custom resources.
_BUILT_IN = (
    ("v1", "ConfigMap"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "Pod"),
    ("v1", "Secret"),
    ("v1", "Service"),
    (gvk.APPS, "DaemonSet"),
    (gvk.APPS, "Deployment"),
    (gvk.APPS, "StatefulSet"),
    ("batch/v1", "Job"),
)
#: How many kinds a message names.
_NAMED = 5
#: What Kubernetes puts into each namespace.
_OF_EACH = frozenset({("ConfigMap", "kube-root-ca.crt"), ("Service", "kubernetes")})
#: Annotation of a Secret that a certificate of the set brought about; nobody deletes it.
_CERTIFICATE = "cert-manager.io/certificate-name"


def strangers(cluster: Cluster, namespace: str, set_id: str) -> list[str]:
    """Return what others keep in a namespace of the set, and what may not be looked at. Raises ClusterError.

    Not counted: what an object owns that is there too, what Kubernetes adds, Secrets of certificates, and the set itself.
    """
    kinds = [*_BUILT_IN, *cluster.custom_kinds(is_built_in)]
    calls = [
        partial(cluster.list, *kind, namespace=namespace, metadata_only=True) for kind in kinds
    ]
    found: list[str] = []
    unseen: list[str] = []
    for kind, answer in zip(kinds, cluster.parallel(calls, ClusterError), strict=True):
        # A kind that goes is told of a moment longer than it is served.
        missing = isinstance(answer, KindMissing)
        if missing or (isinstance(answer, ApiError) and answer.status in (404, 405)):
            continue
        if isinstance(answer, Forbidden):
            unseen.append(kind[1])
        elif isinstance(answer, ClusterError):
            raise answer
        else:
            found += [str(Reference.of(item)) for item in answer.items if _counts(item, set_id)]
    if unseen:
        found.append(f"kinds that may not be listed ({few(unseen, _NAMED)})")
    return found


def check_namespaces(
    cluster: Cluster, wanted: Iterable[str], created: frozenset[str]
) -> list[Problem]:
    """Return what is wrong with the namespaces that objects are to be written to. created: those that the set brings."""
    problems = []
    for name, answer in read_namespaces(cluster, wanted).items():
        if answer is None and name not in created:
            text = f'namespace "{name}" does not exist; create it, or put it into the set'
            problems.append(Problem("", text, rule="missing-namespace"))
        elif answer is not None and is_dying(answer):
            text = (
                f'namespace "{name}" is being deleted (terminating); wait until it is gone, and look at its '
                "conditions for what holds it: kubectl get namespace -o yaml"
            )
            problems.append(Problem("", text, rule="ending-namespace"))
    return problems


def _counts(item: Json, set_id: str) -> bool:
    metadata = item["metadata"]
    if metadata.get("ownerReferences") or part_of(item) == set_id:
        return False
    # What has no uid is computed by an aggregated server, such as the use of a pod.
    if metadata.get("deletionTimestamp") or not metadata.get("uid"):
        return False
    if (item["kind"], metadata["name"]) in _OF_EACH:
        return False
    if (metadata.get("labels") or {}).get(ID_LABEL) == set_id:
        return False
    return not (item["kind"] == "Secret" and _CERTIFICATE in (metadata.get("annotations") or {}))
