# SPDX-License-Identifier: GPL-3.0-or-later
"""Which runtime each service takes, for whoever looks at services: `rendered` and `gathered`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import ApiError
from ..fleet.cluster_reader import ClusterReader
from ..fleet.service import Service
from ..fleet.settings import Settings
from ..kinds.kind import ServiceKind
from ..kinds.registry import KINDS
from ..kinds.runtime_choice import RuntimeChoice
from ..kube.manifest import Json
from ..kube.reader import Reader
from ..kube.reference import Reference


def runtimes_of(services: Iterable[Service], reader: Reader) -> list[Json]:
    """Return the choice for each service of a task whose kind has runtimes."""
    return [
        choice.of(each.reference)
        for each in services
        for choice in _choices(each.kind, each.written, each.settings, reader)
    ]


def gathered_runtimes(found: Iterable[Json], cluster: Cluster, settings: Settings) -> list[Json]:
    """Return the choice for each custom resource of a cluster whose kind has runtimes; for others nothing is asked."""
    readers: dict[str, ClusterReader] = {}
    choices: list[Json] = []
    for document in found:
        reference = Reference.of(document)
        kind = KINDS[document["apiVersion"], document["kind"]]
        if kind.runtimes is None:
            continue
        reader = readers.setdefault(kind.kind, ClusterReader(cluster, common=kind.common_kinds))
        try:
            typed, dummy = settings.of(kind, reference)
            made = _choices(kind, document, typed, reader)
        except ApiError as error:
            made = [RuntimeChoice("", "", named=False, others=(), message=str(error))]
        choices += [choice.of(reference) for choice in made]
    return choices


def _choices(
    kind: ServiceKind[Any, Any], document: Json, settings: Any, reader: Reader
) -> list[RuntimeChoice]:
    return list(kind.runtimes(document, settings, reader)) if kind.runtimes else []
