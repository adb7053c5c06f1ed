# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the requests to each service go: reads what is not listed anyhow, gateways and pods, and a controller's children."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError
from ..engine import FIELD_MANAGER, METADATA_ONLY
from ..kube.manifest import Json
from ..kube.reader import Reader
from ..kube.redact import redact_text, secrets_of
from ..kube.reference import Reference
from ..kube.topology import State, gateway_state, parents, way
from .compiled_service import CompiledService
from .status import read_pods


def topology(
    cluster: Cluster,
    targets: Sequence[CompiledService],
    objects: Mapping[Reference, Json],
    reader: Reader,
) -> dict[Reference, list[Json]]:
    """Return the objects of each service in the order of a request, each with its state.

    objects: those that were listed. reader: reads gateways. What may not be read is told to be unknown. Raises ClusterError where the server is lost.
    """
    live = {**objects, **_others(cluster, targets, objects)}
    pods = read_pods(cluster, targets)
    found = {}
    for target in targets:
        children = [child.reference for child in target.children]
        gateways = {
            gateway: _looked_at(reader, gateway)
            for gateway in parents(live[child] for child in children if child in live)
        }
        rows = way(
            children, live, gateways, pods.get(target.reference.namespace, ()), FIELD_MANAGER
        )
        found[target.reference] = list(
            _shown(rows, [live[child] for child in children if child in live])
        )
    return found


def _shown(rows: Sequence[Json], objects: Sequence[Json]) -> Iterator[Json]:
    """Yield the rows without secrets: what a server or a pod says of an object may repeat what was sent."""
    said = any(row["state"] == "failed" for row in rows)
    known = secrets_of(list(objects)) if said else ()
    for row in rows:
        yield {**row, "message": redact_text(row["message"], known)}


def _looked_at(reader: Reader, gateway: Reference) -> State:
    try:
        return gateway_state(reader.get(gateway))
    except ClusterError as error:
        return State("unknown", f"it could not be read: {error}")


def _others(
    cluster: Cluster, targets: Sequence[CompiledService], objects: Mapping[Reference, Json]
) -> dict[Reference, Json]:
    """Read the children that are not ours, one by one: those of services that a controller reconciles."""
    wanted = [
        child.reference
        for target in targets
        for child in target.children
        if child.reference not in objects
    ]
    calls = [
        partial(
            cluster.get,
            reference,
            metadata_only=(reference.api_version, reference.kind) in METADATA_ONLY,
        )
        for reference in wanted
    ]
    answers = cluster.parallel(calls, Exception)
    return {
        reference: answer
        for reference, answer in zip(wanted, answers, strict=True)
        if isinstance(answer, dict)
    }
