# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the pods that serve the model, and the endpoint picker's, are there.

The controller believes the conditions of Deployments and LeaderWorkerSets, of whatever generation they speak.
Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go, pkg/apis/serving/v1alpha2/llm_inference_service_lifecycle.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.condition import Condition
from ....kube.manifest import Json, value_at
from ....kube.reader import Reader
from ....kube.reference import Reference
from ...children import ObjectKind
from .. import names
from ..child_kinds import DEPLOYMENT, GROUP
from ..own_tokenizer import KNOWS_TOKENIZERS, makes_own_tokenizer
from ..resolved import Resolved
from .condition_types import (
    MAIN,
    PICKER,
    PREFILL,
    PREFILL_WORKER,
    SERVING,
    TOKENIZER,
    WORKER,
    false,
    stopped,
    true,
)


def workload_references(resolved: Resolved) -> dict[str, Reference]:
    """Return what serves the model: the type of the condition that tells of it → the object."""
    if resolved.stopped:
        return {}
    prefill = resolved.at("prefill")
    found: dict[str, Reference] = {}
    if resolved.at("worker") is None:
        found[MAIN] = _reference(resolved, DEPLOYMENT, names.main(resolved.name))
    else:
        found[WORKER] = _reference(resolved, GROUP, names.multi_node(resolved.name))
    if prefill is not None and prefill.get("worker") is None:
        found[PREFILL] = _reference(resolved, DEPLOYMENT, names.prefill(resolved.name))
    elif prefill is not None:
        name = names.multi_node_prefill(resolved.name)
        found[PREFILL_WORKER] = _reference(resolved, GROUP, name)
    return found


def picker_reference(resolved: Resolved) -> Reference | None:
    """Return the endpoint picker's Deployment, None where the service has none of its own."""
    if not resolved.managed_picker:
        return None
    return _reference(resolved, DEPLOYMENT, names.picker(resolved.name))


def tokenizer_reference(resolved: Resolved) -> Reference | None:
    """Return the tokenizer's Deployment, None where the service has none of its own."""
    if not makes_own_tokenizer(resolved):
        return None
    return _reference(resolved, DEPLOYMENT, names.tokenizer(resolved.name))


def workload_conditions(resolved: Resolved, reader: Reader) -> Iterator[Condition]:
    """Yield what is said of the workloads that the service has; of all that it could have when it is stopped."""
    if resolved.stopped:
        yield from map(stopped, SERVING)
    for kind, reference in workload_references(resolved).items():
        live = reader.get(reference) or {}
        of_group = reference.kind == GROUP.kind
        yield group_condition(kind, live) if of_group else deployment_condition(kind, live)


def picker_condition(resolved: Resolved, reader: Reader) -> Condition | None:
    """Return what is said of the endpoint picker, None where the service has none of its own.

    One picker is enough: of several, only the leader is ever ready.
    """
    if resolved.stopped:
        return stopped(PICKER)
    reference = picker_reference(resolved)
    return None if reference is None else _helper_condition(PICKER, reader.get(reference) or {})


def tokenizer_condition(resolved: Resolved, reader: Reader) -> Condition | None:
    """Return what is said of the tokenizer, None where the service has none of its own. Of one that is stopped it is said always."""
    if resolved.stopped:
        return stopped(TOKENIZER) if KNOWS_TOKENIZERS.at(resolved.settings.release) else None
    reference = tokenizer_reference(resolved)
    return None if reference is None else _helper_condition(TOKENIZER, reader.get(reference) or {})


def _helper_condition(kind: str, live: Json) -> Condition:
    """Return what the live Deployment of picker or tokenizer gives a condition; `{}` is one that is not there."""
    if (value_at(live, ("status", "availableReplicas")) or 0) > 0:
        return true(kind)
    progressing = _said(live, "Progressing")
    late = ("False", "ProgressDeadlineExceeded")
    if progressing and (progressing.get("status"), progressing.get("reason")) == late:
        return _passed_on(kind, progressing)
    available = _said(live, "Available")
    if available is None:
        return false(kind, "Progressing", "Deployment rollout in progress")
    return _passed_on(kind, available)


def deployment_condition(kind: str, live: Json) -> Condition:
    """Return what a live Deployment gives a condition; `{}` is one that is not there."""
    available = _said(live, "Available")
    return false(kind, "Progressing") if available is None else _passed_on(kind, available)


def group_condition(kind: str, live: Json) -> Condition:
    """Return what a live LeaderWorkerSet gives a condition; `{}` is one that is not there."""
    available = _said(live, "Available")
    if available is None:
        return false(kind, "Progressing", "LWS is progressing")
    return _passed_on(kind, available)


def _passed_on(kind: str, said: Json) -> Condition:
    if said.get("status") == "True":
        return true(kind)
    return false(kind, said.get("reason", ""), said.get("message", ""))


def _said(live: Json, kind: str) -> Json | None:
    conditions = value_at(live, ("status", "conditions")) or ()
    return next((one for one in conditions if one.get("type") == kind), None)


def _reference(resolved: Resolved, kind: ObjectKind, name: str) -> Reference:
    return Reference(*kind.pair, resolved.namespace, name)
