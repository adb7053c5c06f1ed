# SPDX-License-Identifier: GPL-3.0-or-later
"""The pod specs of model servers: the merged template, its account, the model, the pool.

Source: KServe pkg/controller/v1alpha2/llmisvc/{workload_single_node,workload_multi_node}.go@v0.17.0.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.release import Since
from ...kserve.releases import KServe
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
from ..artifacts.kv_cache import with_tiers
from ..errors import Unbuildable
from ..pod import has_sidecar, with_pool
from ..resolved import Resolved
from ..tracing import with_server_tracing

Part: TypeAlias = Literal["leader", "worker", "prefill leader", "prefill worker"]

#: Where the controller fails about single pods: those that answer, and those that read prompts.
_MAIN_FAILED = "failed to reconcile service account: failed to get expected main deployment: failed to attach model artifacts to main deployment"
_PREFILL_FAILED = "failed to reconcile prefill workload: failed to get expected prefill deployment: failed to attach model artifacts to prefill deployment"

#: Whether groups are built for services that have none, too. Source: pkg/controller/v1alpha2/llmisvc/workload_multi_node.go@v0.19.0.
_BUILDS_ABSENT_GROUPS: Since[bool] = Since({KServe.V0_17: True, KServe.V0_19: False})


def main_pod(resolved: Resolved, reader: Reader) -> Json:
    """Return the pods of the single-node Deployment. Raises Unbuildable."""
    pod: Json = resolved.at("template")
    if pod is None:
        return {}
    account = main_account(resolved)
    needs_account = has_sidecar(pod)
    own = account.foreign or needs_account
    manifest: Json | None = live(account, resolved, reader) if own else None
    if needs_account:
        pod = _with_pool({**pod, "serviceAccountName": account.name}, resolved)
    return _finished(_with_model(pod, resolved, reader, manifest, part="leader"), resolved)


def prefill_pod(resolved: Resolved, reader: Reader) -> Json:
    """Return the pods of the single-node prefill Deployment. Raises Unbuildable."""
    pod: Json = resolved.at("prefill", "template")
    if pod is None:
        return {}
    account = prefill_account(resolved)
    manifest = live(account, resolved, reader) if account else None
    pod = _with_model(pod, resolved, reader, manifest, part="prefill leader")
    return _finished(pod, resolved, prefill=True)


def group_pod(pod: Json, resolved: Resolved, reader: Reader, part: Part) -> Json:
    """Return the leader or the workers of a group. pod: the merged template. Raises Unbuildable."""
    prefill = part.startswith("prefill")
    account: PodAccount = (
        multi_node_prefill_account(resolved) if prefill else multi_node_account(resolved)
    )
    pod = {**pod, "serviceAccountName": account.name}
    manifest = live(account, resolved, reader)
    pod = _with_model(pod, resolved, reader, manifest, part=part)
    # The sidecar is of those who send requests to a pool, which prefill pods do not.
    return _finished(pod if prefill else _with_pool(pod, resolved), resolved, prefill=prefill)


def _finished(pod: Json, resolved: Resolved, *, prefill: bool = False) -> Json:
    """Return a pod whose engine keeps its cache in files and traces requests, where its service asks for that."""
    offloading = resolved.at(*(("prefill",) if prefill else ()), "kvCacheOffloading")
    return with_server_tracing(with_tiers(pod, offloading), resolved, prefill=prefill)


def _with_pool(pod: Json, resolved: Resolved) -> Json:
    if resolved.at("router") is None or not has_sidecar(pod):
        return pod
    return with_pool(pod, resolved.pool_name)


def _with_model(
    pod: Json, resolved: Resolved, reader: Reader, manifest: Json | None, *, part: Part
) -> Json:
    try:
        return with_model(pod, resolved, reader, Account(manifest))
    except ArtifactError as error:
        raise _unbuildable(error, resolved, part) from None


def _unbuildable(error: ArtifactError, resolved: Resolved, part: Part) -> Unbuildable:
    """Return the failure where the controller reports it.

    It builds groups of pods first, in some releases also for services that have none; credentials of the default account, which groups
    do not use, fail later.
    """
    prefill = part.startswith("prefill")
    builds_absent = _BUILDS_ABSENT_GROUPS.at(resolved.settings.release)
    # What a model lacks, or a Secret that the service names, both groups lack.
    of_both = error.path.startswith(("spec.model", "metadata."))
    if prefill and of_both and builds_absent and resolved.at("template") is not None:
        # It comes to the leader of the other group before, also where there is none.
        prefill, part = False, "leader"
    if error.of_default_account or not _builds_group(resolved, prefill):
        condition, reason = "MainWorkloadReady", "ReconcileSingleNodeWorkloadError"
        message = f"{_PREFILL_FAILED if prefill else _MAIN_FAILED}: {error.message}"
    else:
        condition, reason = "WorkerWorkloadReady", "ReconcileMultiNodeWorkloadError"
        attached = f"failed to attach model artifacts to {part} template"
        message = f"{_group_failed(resolved, prefill)}: {attached}: {error.message}"
    return Unbuildable(
        message,
        condition=condition,
        reason=reason,
        path=error.path,
        advice=error.advice,
        rule="model",
        first=error.message,
    )


def _builds_group(resolved: Resolved, prefill: bool) -> bool:
    """Tell whether the controller builds the group: for its pods, or for the Role of an account that its author keeps."""
    if _BUILDS_ABSENT_GROUPS.at(resolved.settings.release):
        return True
    if prefill:
        return resolved.at("prefill", "worker") is not None
    return resolved.at("worker") is not None or multi_node_account(resolved).foreign


def _group_failed(resolved: Resolved, prefill: bool) -> str:
    """Return the step in which the controller first builds the group. Its Role is made where it has an account of its author or is there."""
    if prefill:
        return "failed to reconcile multi-node prefill workload: failed to build the expected prefill LWS"
    if resolved.at("worker") is not None or multi_node_account(resolved).foreign:
        return "failed to reconcile multi-node service account: failed to build the expected main LWS for building the Role"
    return "failed to reconcile multi-node main workload: failed to build the expected main LWS"
