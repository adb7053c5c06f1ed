# SPDX-License-Identifier: GPL-3.0-or-later
"""What the endpoint picker may do: read pods and pools, elect a leader, and ask the API server who its callers are.

Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go@v0.17.0.
"""

from __future__ import annotations

from ....kube import gvk
from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from ....kube.release import Since
from ...kserve.releases import KServe
from ...rbac import READ, binding_body, rule
from .. import labels, names
from ..accounts import check_picker_account, picker_account, picker_credentials
from ..resolved import Resolved
from . import rbac

#: What else the picker may read in the old group of its API.
_MORE: Since[tuple[str, ...]] = Since(
    {KServe.V0_17: (), KServe.V0_18: ("inferencemodelrewrites", "inferencepoolimports")}
)
#: What it may read in the group that took them over.
_MOVED: Since[tuple[str, ...]] = Since(
    {KServe.V0_17: (), KServe.V0_20: ("inferenceobjectives", "inferencemodelrewrites")}
)
_EVERYTHING = (*READ, "create", "update", "patch", "delete")


def picker_service_account(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the picker's account, None where its author names one. Raises Unbuildable where that one is proved missing."""
    if not resolved.managed_picker:
        return None
    check_picker_account(resolved, reader)
    if picker_account(resolved).foreign:
        return None
    name = names.picker_account(resolved.name)
    found = picker_credentials(resolved, reader)
    return rbac.account(resolved, name, labels.picker(resolved.name), found)


def picker_cluster_role_binding(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the binding to the ClusterRole that lets servers check the tokens of their callers. It has no namespace."""
    if not resolved.managed_picker:
        return None
    account = picker_account(resolved).name
    return Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            api_version=gvk.RBAC,
            kind="ClusterRoleBinding",
            name=names.picker_cluster_role_binding(resolved.name, resolved.namespace),
            labels=labels.picker(resolved.name),
            body=binding_body(
                "ClusterRole",
                "system:auth-delegator",
                account=account,
                namespace=resolved.namespace,
            ),
        ),
    )


def picker_role(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the picker's Role."""
    if not resolved.managed_picker:
        return None
    name = names.picker_role(resolved.name)
    return rbac.role(resolved, name, labels.picker(resolved.name), _rules(resolved))


def picker_role_binding(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the binding of that Role."""
    if not resolved.managed_picker:
        return None
    return rbac.role_binding(
        resolved,
        names.picker_role_binding(resolved.name),
        labels.picker(resolved.name),
        role=names.picker_role(resolved.name),
        account=picker_account(resolved).name,
    )


def _rules(resolved: Resolved) -> list[Json]:
    more = _MORE.at(resolved.settings.release)
    moved = _MOVED.at(resolved.settings.release)
    return [
        rule([""], ["pods"]),
        rule(
            [gvk.POOL_GROUP, gvk.OLD_POOL_GROUP],
            ["inferencepools", "inferenceobjectives", "inferencemodels"],
        ),
        *([rule([gvk.OLD_POOL_GROUP], more)] if more else []),
        *([rule(["llm-d.ai"], moved)] if moved else []),
        rule(["discovery.k8s.io"], ["endpointslices"]),
        rule(["coordination.k8s.io"], ["leases"], _EVERYTHING),
    ]
