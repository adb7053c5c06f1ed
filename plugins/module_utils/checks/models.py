# SPDX-License-Identifier: GPL-3.0-or-later
"""Where models come from: addresses that whoever fetches them can read."""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import ERROR, WARNING, Check, check
from ..kinds.kserve.storage.address import address_fault
from ..kinds.view import ServiceView
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.redact import redact_text

ADDRESS = Check(
    "model-address",
    ERROR,
    finds='"{uri}" {fault}',
    fix="{way}",
    stops=True,
)


@check(ADDRESS, reads=("ClusterStorageContainers",))
def address(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield model addresses that are malformed for their scheme."""
    for model in view.models if view.workloads else ():
        fault = address_fault(model.value)
        if fault is None or view.fetched_otherwise(model.value, reader):
            continue
        severity = ERROR if fault.fatal else WARNING
        yield ADDRESS.at(
            model.field,
            severity=severity,
            uri=redact_text(model.value),
            fault=fault.finds,
            way=fault.fix,
        )
