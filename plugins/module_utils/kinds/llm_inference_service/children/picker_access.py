# SPDX-License-Identifier: GPL-3.0-or-later
"""What the endpoint picker may do: read pods and pools, elect a leader, and ask the API server who its callers are.

Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go@v0.17.0.
"""

from __future__ import annotations

from ....kube.intent import Child, Stage
from ....kube.manifest import Json, Manifest
from ....kube.reader import Reader
from .. import labels, names
from ..accounts import picker_account, picker_credentials
from ..resolved import Resolved
from . import rbac

_OLD_GROUP, _GROUP = "inference.networking.x-k8s.io", "inference.networking.k8s.io"
_EVERYTHING = (*rbac.READ, "create", "update", "patch", "delete")


def picker_service_account(resolved: Resolved, reader: Reader) -> Child | None:
    """Return the picker's account, None where its author names one."""
    if not resolved.managed_scheduler or picker_account(resolved).foreign:
        return None
    name = names.picker_account(resolved.name)
    found = picker_credentials(resolved, reader)
    return rbac.account(resolved, name, labels.scheduler(resolved.name), found)


def picker_cluster_role_binding(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the binding to the ClusterRole that lets servers check the tokens of their callers. It has no namespace."""
    if not resolved.managed_scheduler:
        return None
    account = picker_account(resolved).name
    return Child(
        stage=Stage.CONFIG,
        manifest=Manifest(
            api_version=f"{rbac.GROUP}/v1",
            kind="ClusterRoleBinding",
            name=names.picker_cluster_role_binding(resolved.name, resolved.namespace),
            labels=labels.scheduler(resolved.name),
            body=rbac.binding("ClusterRole", "system:auth-delegator", account, resolved.namespace),
        ),
    )


def picker_role(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the picker's Role."""
    if not resolved.managed_scheduler:
        return None
    name = names.picker_role(resolved.name)
    return rbac.role(resolved, name, labels.scheduler(resolved.name), _rules(resolved))


def picker_role_binding(resolved: Resolved, reader: Reader) -> Child | None:  # noqa: ARG001
    """Return the binding of that Role."""
    if not resolved.managed_scheduler:
        return None
    return rbac.role_binding(
        resolved,
        names.picker_role_binding(resolved.name),
        labels.scheduler(resolved.name),
        role=names.picker_role(resolved.name),
        account=picker_account(resolved).name,
    )


def _rules(resolved: Resolved) -> list[Json]:
    more = resolved.settings.release.picker_resources
    return [
        rbac.rule([""], ["pods"]),
        rbac.rule(
            [_GROUP, _OLD_GROUP], ["inferencepools", "inferenceobjectives", "inferencemodels"]
        ),
        *([rbac.rule([_OLD_GROUP], more)] if more else []),
        rbac.rule(["discovery.k8s.io"], ["endpointslices"]),
        rbac.rule(["coordination.k8s.io"], ["leases"], _EVERYTHING),
    ]
