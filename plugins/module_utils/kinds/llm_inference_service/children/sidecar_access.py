# SPDX-License-Identifier: GPL-3.0-or-later
"""What the routing sidecar of decode pods may read: pods, and the pool that it belongs to."""

from __future__ import annotations

from ....kube import gvk
from ....kube.intent import Child
from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.release import Since
from ...kserve.releases import KServe
from ...rbac import rule
from .. import labels, names
from ..accounts import credentials, main_account, multi_node_account, multi_node_prefill_account
from ..pod import has_sidecar
from ..resolved import Resolved
from . import rbac

#: The API groups of the pools that the sidecar may read.
_POOL_GROUPS: Since[tuple[str, ...]] = Since(
    {
        KServe.V0_17: (gvk.OLD_POOL_GROUP,),
        KServe.V0_20: (gvk.OLD_POOL_GROUP, gvk.POOL_GROUP),
    }
)
#: Whether accounts of groups of pods outlive a stop.
_OUTLIVES_STOP: Since[bool] = Since({KServe.V0_17: True, KServe.V0_19: False})


def main_service_account(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the account of a single-node pod with a sidecar. Source: KServe pkg/controller/v1alpha2/llmisvc/workload_single_node.go@v0.17.0."""
    if not _main_needs_access(resolved) or main_account(resolved).foreign:
        return None
    return rbac.account(
        resolved,
        names.main(resolved.name),
        labels.workload(resolved.name),
        credentials(resolved, reader),
    )


def main_role(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the Role of that account."""
    if not _main_needs_access(resolved):
        return None
    name = names.main_role(resolved.name)
    return rbac.role(resolved, name, labels.workload(resolved.name), _rules(resolved))


def main_role_binding(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the binding of that Role, to the author's account where there is one."""
    if not _main_needs_access(resolved):
        return None
    return rbac.role_binding(
        resolved,
        names.main_role_binding(resolved.name),
        labels.workload(resolved.name),
        role=names.main_role(resolved.name),
        account=main_account(resolved).name,
    )


def multi_node_service_account(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the account of the groups of pods."""
    if resolved.at("worker") is None or multi_node_account(resolved).foreign:
        return None
    return _group_account(resolved, reader, names.multi_node(resolved.name))


def multi_node_prefill_service_account(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the account of the groups of prefill pods."""
    no_workers = resolved.at("prefill", "worker") is None
    if no_workers or multi_node_prefill_account(resolved).foreign:
        return None
    return _group_account(resolved, reader, names.multi_node_prefill(resolved.name))


def _group_account(resolved: Resolved, reader: Reader, name: str) -> Child | None:
    """Return the account; of a stopped service it stays with some releases."""
    if resolved.stopped and not _OUTLIVES_STOP.at(resolved.settings.release):
        return None
    found = credentials(resolved, reader)
    return rbac.account(resolved, name, labels.common(resolved.name), found)


def multi_node_role(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the Role of groups with a sidecar."""
    if not _multi_node_needs_access(resolved):
        return None
    name = names.multi_node_role(resolved.name)
    return rbac.role(resolved, name, labels.common(resolved.name), _rules(resolved))


def multi_node_role_binding(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the binding of that Role."""
    if not _multi_node_needs_access(resolved):
        return None
    return rbac.role_binding(
        resolved,
        names.multi_node_role_binding(resolved.name),
        labels.common(resolved.name),
        role=names.multi_node_role(resolved.name),
        account=multi_node_account(resolved).name,
    )


def _main_needs_access(resolved: Resolved) -> bool:
    """Tell whether the main pod has a sidecar; workers beside it do not matter, as with the controller."""
    return not resolved.stopped and has_sidecar(resolved.at("template"))


def _multi_node_needs_access(resolved: Resolved) -> bool:
    """Tell whether a group would have a sidecar. Without workers the controller gets here with an author's account only."""
    if resolved.stopped and not _OUTLIVES_STOP.at(resolved.settings.release):
        return False
    if resolved.at("worker") is None and not multi_node_account(resolved).foreign:
        return False
    return has_sidecar(resolved.at("template")) or has_sidecar(resolved.at("worker"))


def _rules(resolved: Resolved) -> list[Json]:
    groups = _POOL_GROUPS.at(resolved.settings.release)
    return [rule([""], ["pods"]), rule(groups, ["inferencepools"])]
