# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task waits for: checked before anything is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..kinds.kind import ServiceKind
from ..kinds.registry import WRITTEN
from ..kube.did_you_mean import nearest
from ..kube.problem import InputError
from ..kube.schema_faults import show
from ..task.manifest_loader import Document
from .answer_options import ANSWER
from .controller_mode import CONTROLLER

READY = "ready"
#: How types of conditions are written, in CamelCase. Source: k8s.io/apimachinery pkg/apis/meta/v1 v0.36, Condition.
_CONDITION = re.compile(r"([a-z0-9.-]+/)?[A-Z][A-Za-z0-9]*")

#: How near a type of a condition has to come to another word to be taken for it: many end with Ready.
_ALIKE = 0.85


def check_wait(params: Mapping[str, Any], documents: Iterable[Document]) -> None:
    """Refuse a `wait_for` that can never be true, or that nothing reads. Raises InputError."""
    wanted, state = params["wait_for"], params["state"]
    if wanted == READY:
        return
    fault = _fault(wanted, state, wait=params["wait"])
    if not fault and wanted != ANSWER:
        others = params["reconciler"] == CONTROLLER
        faults = (_unknown(wanted, kind, others=others) for kind in _kinds(documents))
        fault = next(filter(None, faults), "")
    if fault:
        raise InputError.single("wait_for", "", fault)


def _kinds(documents: Iterable[Document]) -> list[ServiceKind[Any, Any]]:
    """Return the kinds of services, each once, whatever else is wrong with these."""
    values = (each.value for each in documents if isinstance(each.value, dict))
    keys = dict.fromkeys((str(each.get("apiVersion")), str(each.get("kind"))) for each in values)
    return [WRITTEN[key] for key in keys if key in WRITTEN]


def _unknown(wanted: str, kind: ServiceKind[Any, Any], *, others: bool) -> str:
    """Say that services of a kind never have a condition; empty where they may.

    others: somebody else writes their status, perhaps a later release, so only what is spelt almost like a condition is refused.
    """
    known = kind.condition_types
    if wanted in known:
        return ""
    near = nearest(wanted, known, _ALIKE)
    if others and not near:
        return ""
    there = f"there are {', '.join(known)}" if known else "wait for ready"
    guess = f'did you mean "{near}"?' if near else there
    return f"{kind.kind}s have no condition {wanted}; {guess}"


def _fault(wanted: str, state: str, *, wait: bool) -> str:
    is_type = _CONDITION.fullmatch(wanted) is not None
    near = nearest(wanted, (READY, ANSWER), *([_ALIKE] if is_type else []))
    # Ready is a condition, too.
    if wanted not in (ANSWER, "Ready") and (near or not is_type):
        guess = f', did you mean "{near}"?' if near else ""
        return f"{show(wanted)} is neither {READY}, {ANSWER} nor the type of a condition, such as RouterReady{guess}"
    if state not in ("present", "overridden"):
        leaves = "to ask" if wanted == ANSWER else "to look at"
        return f"{wanted} needs services that run, and state {state} leaves none {leaves}"
    return "" if wait else f"{wanted} needs wait: true"
