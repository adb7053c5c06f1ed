# SPDX-License-Identifier: GPL-3.0-or-later
"""The pod specs of model servers: the merged template, its account, the model, the pool.

Source: KServe v0.17.0; reference/kserve-llmisvc.md §3.4, §3.5.
"""

from __future__ import annotations

from ....kube.manifest import Json
from ....kube.reader import Reader
from ..accounts import (
    PodAccount,
    live,
    main_account,
    multi_node_account,
    multi_node_prefill_account,
    prefill_account,
)
from ..artifacts.attach import Account, with_model
from ..artifacts.errors import ArtifactError
from ..errors import Unbuildable
from ..pod import has_sidecar, with_pool
from ..resolved import Resolved

_GROUP_FAILED = (
    "failed to reconcile multi-node {role} workload: failed to build the expected {role} LWS"
)


def main_pod(resolved: Resolved, reader: Reader) -> Json:
    """Return the pods of the single-node Deployment. Raises Unbuildable."""
    pod: Json = resolved.at("template")
    if pod is None:
        return {}
    account = main_account(resolved)
    manifest: Json | None = live(account, resolved, reader) if account.foreign else None
    if has_sidecar(pod):
        pod = _with_pool({**pod, "serviceAccountName": account.name}, resolved)
        manifest = manifest or {}
    return _with_model(pod, resolved, reader, manifest, role="main")


def prefill_pod(resolved: Resolved, reader: Reader) -> Json:
    """Return the pods of the single-node prefill Deployment. Raises Unbuildable."""
    pod: Json = resolved.at("prefill", "template")
    if pod is None:
        return {}
    account = prefill_account(resolved)
    manifest = live(account, resolved, reader) if account else None
    return _with_model(pod, resolved, reader, manifest, role="prefill")


def group_pod(pod: Json, resolved: Resolved, reader: Reader, *, prefill: bool) -> Json:
    """Return the leader or the workers of a group. pod: the merged template. Raises Unbuildable."""
    account: PodAccount = (
        multi_node_prefill_account(resolved) if prefill else multi_node_account(resolved)
    )
    pod = {**pod, "serviceAccountName": account.name}
    manifest = live(account, resolved, reader)
    pod = _with_model(pod, resolved, reader, manifest, role="prefill" if prefill else "main")
    return _with_pool(pod, resolved)


def _with_pool(pod: Json, resolved: Resolved) -> Json:
    if resolved.at("router") is None or not has_sidecar(pod):
        return pod
    return with_pool(pod, resolved.pool_name)


def _with_model(
    pod: Json, resolved: Resolved, reader: Reader, manifest: Json | None, *, role: str
) -> Json:
    try:
        return with_model(pod, resolved, reader, Account(manifest))
    except ArtifactError as error:
        raise _unbuildable(error, role) from None


def _unbuildable(error: ArtifactError, role: str) -> Unbuildable:
    """Return the failure where the controller reports it.

    It builds groups of pods first, also for services that have none; only credentials of the default account, which groups
    do not use, fail later.
    """
    if error.of_default_account:
        condition, reason = "MainWorkloadReady", "ReconcileSingleNodeWorkloadError"
        message = f"failed to reconcile {role} workload: {error.message}"
    else:
        condition, reason = "WorkerWorkloadReady", "ReconcileMultiNodeWorkloadError"
        failed = _GROUP_FAILED.format(role=role)
        message = f"{failed}: failed to attach model artifacts to leader template: {error.message}"
    return Unbuildable(
        message,
        condition=condition,
        reason=reason,
        path=error.path,
        advice=error.advice,
        rule="model",
    )
