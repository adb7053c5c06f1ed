# SPDX-License-Identifier: GPL-3.0-or-later
"""What the children of a cache are called. Source: KServe pkg/controller/v1alpha1/localmodel/reconcilers/utils.go@v0.20.0."""

from __future__ import annotations

import hashlib

from ...kube.names import LABEL_LENGTH, check_dns_subdomain, check_namespace

_DOWNLOAD = "download"
#: Characters by which Jobs of one beginning are told apart; with the controller they are random.
_HASH = 8


def download_volume(name: str, namespace: str, group: str) -> str:
    """Return the name of the PersistentVolume into which a model is fetched. namespace: of the cache, empty for one of the cluster."""
    return "-".join(filter(None, (name, group, namespace, _DOWNLOAD)))


def download_claim(name: str, namespace: str, group: str) -> str:
    """Return the name of the claim of that volume."""
    return download_volume(name, namespace, group) if namespace else f"{name}-{group}"


def volume(name: str, group: str, place: str) -> str:
    """Return the name of the PersistentVolume from which the services of a namespace read."""
    return f"{name}-{group}-{place}"


def claim(name: str, group: str) -> str:
    """Return the name of the claim of that volume."""
    return f"{name}-{group}"


def job(name: str, namespace: str, node: str) -> str:
    """Return the name of the Job that fetches a model onto a node: it is a label of its pods, too, so that it has to be short."""
    told_apart = hashlib.sha256(f"{namespace}/{name}/{node}".encode()).hexdigest()[:_HASH]
    begin = f"{name}-{node}"[: LABEL_LENGTH - _HASH - 1].rstrip("-.")
    return f"{begin}-{told_apart}"


def all_names(name: str, namespace: str, group: str, place: str) -> dict[str, str]:
    """Return the names of the volumes and claims of one group. namespace: of the cache, empty for one of the whole cluster.

    place: the namespace of services that use it. Raises ValueError where the API would refuse one of them.
    """
    found = {
        "download_volume": download_volume(name, namespace, group),
        "download_claim": download_claim(name, namespace, group),
        "volume": volume(name, group, place),
        "claim": claim(name, group),
    }
    faults = [check_namespace(each) for each in (namespace, place) if each]
    faults += [check_dns_subdomain(each) for each in (name, group, *found.values())]
    if fault := next(filter(None, faults), None):
        raise ValueError(fault)
    return found
