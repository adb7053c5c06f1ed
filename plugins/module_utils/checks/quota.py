# SPDX-License-Identifier: GPL-3.0-or-later
"""What a namespace demands of every container: a quota that counts limits refuses pods that name none.

Source: Kubernetes documentation, Resource Quotas; LimitRanges put in what containers leave out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..accelerators.quota import with_defaults
from ..kinds.check import ERROR, Check, check
from ..kinds.view import ServiceView, Workload
from ..kube.containers import containers_of
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reader import Reader

#: Entry of a quota → side and resource that every container then has to name.
_DEMANDED = {
    "limits.cpu": ("limits", "cpu"),
    "limits.memory": ("limits", "memory"),
    "requests.cpu": ("requests", "cpu"),
    "requests.memory": ("requests", "memory"),
    "cpu": ("requests", "cpu"),
    "memory": ("requests", "memory"),
}

DEMANDS = Check(
    "quota-demands",
    ERROR,
    finds="ResourceQuota {quota} counts {entry}, but container {container} sets no {side}: the API refuses the pods",
    fix="set resources.{side} of the container, or a default in a LimitRange",
    stops=True,
)


@check(DEMANDS, reads=("ResourceQuotas", "LimitRanges"))
def demands(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield containers without a request or limit that a quota of their namespace counts."""
    for workload in view.workloads:
        namespace = workload.reference.namespace
        quotas = reader.list("v1", "ResourceQuota", namespace, {})
        counting = [quota for quota in quotas if not _is_scoped(quota)]
        if counting:
            ranges = reader.list("v1", "LimitRange", namespace, {})
            yield from _missing(workload, counting, ranges)


def _missing(
    workload: Workload, quotas: Sequence[Json], ranges: Sequence[Json]
) -> Iterator[Problem]:
    filled = with_defaults(workload.pod, ranges)
    for container, path in containers_of(filled):
        resources = container.get("resources") or {}
        limits = resources.get("limits") or {}
        # A request that is left out is that of the limit.
        named = {"limits": {*limits}, "requests": {*limits, *(resources.get("requests") or {})}}
        for quota in quotas:
            for entry in value_at(quota, ("spec", "hard")) or {}:
                side, resource = _DEMANDED.get(entry, ("", ""))
                if side and resource not in named[side]:
                    yield DEMANDS.at(
                        workload.fields(f"{path}.resources"),
                        quota=quota["metadata"]["name"],
                        entry=entry,
                        container=container.get("name"),
                        side=f"{side}.{resource}",
                    )


def _is_scoped(quota: Json) -> bool:
    """Tell whether a quota is for some pods only, which may not be these."""
    spec = quota.get("spec") or {}
    return bool(spec.get("scopes") or spec.get("scopeSelector"))
