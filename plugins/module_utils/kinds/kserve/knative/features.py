# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields of a pod Knative takes only where a feature is switched on. Source: Knative Serving 1.19, config-features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ....kube.manifest import Json
from ....kube.problem import Problem
from ....kube.reader import NotAllowed, Reader
from ....kube.reference import Reference
from ...check import WARNING, Check
from .names import KNATIVE_NAMESPACE

_PREFIX = "kubernetes.podspec-"
_ON = ("enabled", "allowed")
#: Where the switches are.
FEATURES = Reference("v1", "ConfigMap", KNATIVE_NAMESPACE, "config-features")
#: Field → feature; all of them are off where nobody says otherwise.
_FEATURES = {
    "affinity": "affinity",
    "dnsConfig": "dnsconfig",
    "dnsPolicy": "dnspolicy",
    "hostAliases": "hostaliases",
    "hostIPC": "hostipc",
    "hostNetwork": "hostnetwork",
    "hostPID": "hostpid",
    "initContainers": "init-containers",
    "nodeSelector": "nodeselector",
    "priorityClassName": "priorityclassname",
    "runtimeClassName": "runtimeclassname",
    "schedulerName": "schedulername",
    "securityContext": "securitycontext",
    "shareProcessNamespace": "shareprocessnamespace",
    "tolerations": "tolerations",
    "topologySpreadConstraints": "topologyspreadconstraints",
}
#: Kind of volume → feature.
_VOLUMES = {"hostPath": "volumes-hostpath", "csi": "volumes-csi"}
_CLAIM, _CLAIM_WRITE = "persistent-volume-claim", "persistent-volume-write"


FEATURES_OFF = Check(
    "knative-features",
    WARNING,
    finds="Knative refuses these pods while {missing} {be} off",
    fix=f"write `enabled` in {FEATURES}, or use Standard mode",
)


def switched_off(pod: Json, reader: Reader) -> list[str]:
    """Return the features that a pod of a Knative revision needs and that are off. None where the switches cannot be seen."""
    try:
        found = reader.get(FEATURES)
    except NotAllowed:
        found = None
    if found is None:
        return []
    switches: Mapping[str, str] = found.get("data") or {}
    wanted = dict.fromkeys(f"{_PREFIX}{feature}" for feature in _wanted(pod))
    return [name for name in wanted if switches.get(name, "").lower() not in _ON]


def told_off(field: str, missing: Sequence[str]) -> Problem:
    """Return what is told of features at a field."""
    be = "are" if len(missing) > 1 else "is"
    return FEATURES_OFF.at(field, missing=", ".join(missing), be=be)


def _wanted(pod: Json) -> Iterator[str]:
    yield from (feature for field, feature in _FEATURES.items() if pod.get(field))
    volumes = [kind for volume in pod.get("volumes") or () for kind in volume]
    yield from (feature for kind, feature in _VOLUMES.items() if kind in volumes)
    claims = [each["name"] for each in pod.get("volumes") or () if "persistentVolumeClaim" in each]
    if claims:
        yield _CLAIM
    mounts = [
        mount
        for container in pod.get("containers") or ()
        for mount in container.get("volumeMounts") or ()
    ]
    if any(mount.get("name") in claims and not mount.get("readOnly") for mount in mounts):
        yield _CLAIM_WRITE
