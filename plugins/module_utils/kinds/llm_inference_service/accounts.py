# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ServiceAccount a pod runs under: one that the service manages, or one that its author names and keeps.

Source: KServe pkg/controller/v1alpha2/llmisvc/{workload_single_node,workload_multi_node}.go@v0.17.0.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...kube.fields import filled
from ...kube.manifest import Json, value_at
from ...kube.reader import Reader
from ...kube.redact import LAST_APPLIED
from ...kube.reference import Reference
from ...kube.release import Since
from ..kserve.releases import KServe
from . import names
from .errors import Unbuildable
from .resolved import Resolved

_DEFAULT = "default"
#: Whether managed accounts get the Secrets of the namespace's default account, and the picker's those of the server's.
_HAVE_CREDENTIALS: Since[bool] = Since({KServe.V0_17: False, KServe.V0_18: True})
#: What we note on our objects.
_OURS = "inference.modelops.io/"
#: Where the controller reports an account that is not there, even for a service without workers.
_WORKER_CONDITION, _WORKER_REASON = "WorkerWorkloadReady", "ReconcileMultiNodeWorkloadError"


@dataclass(frozen=True, slots=True)
class PodAccount:
    """The account of a kind of pods. foreign: its author keeps it."""

    name: str
    foreign: bool


def _account(given: str, managed: str) -> PodAccount:
    return PodAccount(given or managed, foreign=given not in ("", managed))


def _given(pod: Json | None) -> str:
    return str((pod or {}).get("serviceAccountName") or "")


def main_account(resolved: Resolved) -> PodAccount:
    """Return the account of the single-node pods, which they have only where they need one."""
    return _account(_given(resolved.at("template")), names.main(resolved.name))


def multi_node_account(resolved: Resolved) -> PodAccount:
    """Return the account of the groups of pods."""
    given = _given(resolved.at("template")) or _given(resolved.at("worker"))
    return _account(given, names.multi_node(resolved.name))


def multi_node_prefill_account(resolved: Resolved) -> PodAccount:
    """Return the account of the groups of prefill pods."""
    given = _given(resolved.at("prefill", "template")) or _given(resolved.at("prefill", "worker"))
    return _account(given, names.multi_node_prefill(resolved.name))


def prefill_account(resolved: Resolved) -> PodAccount | None:
    """Return the account that the author names for the single-node prefill pods, None for the namespace's default."""
    given = _given(resolved.at("prefill", "template"))
    return PodAccount(given, foreign=True) if given else None


def picker_account(resolved: Resolved) -> PodAccount:
    """Return the account of the endpoint picker."""
    given = _given(resolved.at("router", "scheduler", "template"))
    return _account(given, names.picker_account(resolved.name))


def live(account: PodAccount, resolved: Resolved, reader: Reader) -> Json:
    """Return a foreign account as it is there, `{}` for one that cannot be looked at; a managed one as it is meant to be."""
    if not account.foreign:
        return credentials(resolved, reader)
    return _named(account.name, resolved, reader) or {}


def credentials(resolved: Resolved, reader: Reader) -> Json:
    """Return what managed accounts of the release have of the namespace's default account: the names of its Secrets."""
    if not _HAVE_CREDENTIALS.at(resolved.settings.release):
        return {}
    return _secrets(_named(_DEFAULT, resolved, reader) or {})


def picker_credentials(resolved: Resolved, reader: Reader) -> Json:
    """Return what the picker's managed account has of the server's: the picker may have to fetch the model, too."""
    given = _given(resolved.at("template"))
    if not given or not _HAVE_CREDENTIALS.at(resolved.settings.release):
        return credentials(resolved, reader)
    found = _named(given, resolved, reader) or {}
    annotations = value_at(found, ("metadata", "annotations")) or {}
    kept = {key: text for key, text in annotations.items() if not _is_of_a_tool(key)}
    return filled({"annotations": kept, **_secrets(found)})


def live_picker(resolved: Resolved, reader: Reader) -> Json:
    """Return the picker's account: a foreign one as it is there, a managed one as it is meant to be."""
    account = picker_account(resolved)
    if account.foreign:
        return live(account, resolved, reader)
    meant = picker_credentials(resolved, reader)
    annotations = meant.pop("annotations", None)
    return {**meant, "metadata": {"annotations": annotations}} if annotations else meant


def _is_of_a_tool(annotation: str) -> bool:
    """Tell whether an annotation is the memory of whoever applied the account, which another object must not have."""
    return annotation == LAST_APPLIED or annotation.startswith(_OURS)


def _secrets(account: Json) -> Json:
    return {key: account[key] for key in ("secrets", "imagePullSecrets") if account.get(key)}


def _named(name: str, resolved: Resolved, reader: Reader) -> Json | None:
    return reader.get(Reference("v1", "ServiceAccount", resolved.namespace, name))


def check_accounts(resolved: Resolved, reader: Reader) -> None:
    """Raise Unbuildable where an account that the author names is proved missing, in the order of the controller."""
    failed = "failed to reconcile multi-node service account: failed to create expected multi node service account"
    for what, account, path in (
        ("multi node main", multi_node_account(resolved), "spec.template.serviceAccountName"),
        (
            "multi node prefill",
            multi_node_prefill_account(resolved),
            "spec.prefill.template.serviceAccountName",
        ),
    ):
        _check(
            account,
            resolved,
            reader,
            message=f"{failed}: failed to fetch existing {what} service account",
            condition=_WORKER_CONDITION,
            reason=_WORKER_REASON,
            path=path,
        )


def check_picker_account(resolved: Resolved, reader: Reader) -> None:
    """Raise Unbuildable where the author's account for the endpoint picker is proved missing."""
    _check(
        picker_account(resolved),
        resolved,
        reader,
        message=(
            "Failed to reconcile scheduler: failed to create expected scheduler service account: "
            "failed to fetch existing scheduler service account"
        ),
        condition="SchedulerWorkloadReady",
        reason="SchedulerReconcileError",
        path="spec.router.scheduler.template.serviceAccountName",
    )


def _check(
    account: PodAccount,
    resolved: Resolved,
    reader: Reader,
    *,
    message: str,
    condition: str,
    reason: str,
    path: str,
) -> None:
    # A stop takes pods away, and so needs nothing of what they ran under.
    if resolved.stopped or not account.foreign or not reader.complete:
        return
    if _named(account.name, resolved, reader) is not None:
        return
    advice = f"create ServiceAccount {resolved.namespace}/{account.name} first, or do not name it"
    if account.name == names.main(resolved.name):
        advice = (
            "this is the name of the account that the service would manage itself: do not name it"
        )
    raise Unbuildable(
        f'{message} {resolved.namespace}/{account.name}: ServiceAccount "{account.name}" not found',
        condition=condition,
        reason=reason,
        path=path,
        advice=advice,
        rule="service-account",
        first=f"ServiceAccount {resolved.namespace}/{account.name} does not exist",
    )
