# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds whose CRD is there but that the API server does not serve yet: waited for, and what keeps them is named.

A CRD that the task before has just applied is served a moment later; one whose names are taken never is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden, KindMissing
from ..cluster.kinds import facts
from ..kube.manifest import Json
from ..kube.reference import Reference
from .snapshot import Kind

#: How long a kind may take to be served once its CRD is there, and how often it is asked for, in seconds.
SERVED_WITHIN_S, PAUSE_S = 30.0, 0.2


def wait_for_kinds(cluster: Cluster, kinds: Iterable[Kind]) -> dict[Kind, KindMissing | None]:
    """Wait for those kinds whose CRD is there. Return None for each that is served now, else the error that says what keeps it.

    A kind whose CRD is not there, may not be read, or knows nothing of the version has no entry: waiting would not help.
    """
    wanted = list(kinds)
    answers = cluster.parallel([partial(_wait, cluster, kind) for kind in wanted], KindMissing)
    found: dict[Kind, KindMissing | None] = {}
    for kind, answer in zip(wanted, answers, strict=True):
        if isinstance(answer, KindMissing):
            found[kind] = answer
        elif answer:
            found[kind] = None
    return found


def _wait(cluster: Cluster, kind: Kind) -> bool:
    """Return whether the kind is served now. Raises KindMissing where its CRD is there and stays without effect."""
    crd = _crd(cluster, kind)
    if crd is None:
        return False
    timing = cluster.requests.timing
    end = timing.monotonic() + SERVED_WITHIN_S
    while not cluster.serves(*kind):
        if timing.monotonic() >= end:
            raise KindMissing(*kind, held="; ".join(_obstacles(_crd(cluster, kind) or crd)))
        cluster.requests.pause(PAUSE_S)
    return True


def _crd(cluster: Cluster, kind: Kind) -> Json | None:
    """Return the CRD of a kind, None where it is not there, may not be read, or does not serve this version."""
    known = facts(*kind)
    if known is None:
        return None
    group, dummy, version = kind[0].rpartition("/")
    name = f"{known.plural}.{group}"
    place = Reference("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", name)
    try:
        live = cluster.get(place)
    except Forbidden:
        return None
    if live is None:
        return None
    versions = live["spec"]["versions"]
    served = any(each["name"] == version and each.get("served") for each in versions)
    return live if served else None


def _obstacles(crd: Json) -> Iterator[str]:
    """Yield what the conditions of a CRD say against it."""
    there = crd.get("status", {}).get("conditions") or ()
    for condition in there:
        if condition["type"] in ("NamesAccepted", "Established") and condition["status"] != "True":
            yield f"{condition['type']} is {condition['status']}: {condition.get('message', '')}"
    if not there:
        yield "nothing has looked at it yet"
