# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task waits for: checked before anything is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..kube.did_you_mean import nearest
from ..kube.problem import InputError
from ..kube.schema_faults import show
from .answer_options import ANSWER

READY = "ready"
#: How types of conditions are written, in CamelCase. Source: k8s.io/apimachinery pkg/apis/meta/v1 v0.36, Condition.
_CONDITION = re.compile(r"([a-z0-9.-]+/)?[A-Z][A-Za-z0-9]*")

#: How near a type of a condition has to come to another word to be taken for it: many end with Ready.
_ALIKE = 0.85


def check_wait(params: Mapping[str, Any]) -> None:
    """Refuse a `wait_for` that can never be true, or that nothing reads. Raises InputError."""
    wanted, state = params["wait_for"], params["state"]
    if wanted == READY:
        return
    if fault := _fault(wanted, state, wait=params["wait"]):
        raise InputError.single("wait_for", "", fault)


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
