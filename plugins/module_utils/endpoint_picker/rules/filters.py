# SPDX-License-Identifier: GPL-3.0-or-later
"""What factories of filters refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...kube.names import check_label_key, check_label_value
from ..findings import Finding, Value, refusal
from ..plugin_parameters import Declared, lookup
from ..releases import Generation, PickerRelease
from .values import above_zero, is_number, value_fault

_G = Generation


def by_label_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield why by-label would let no pod through, or cannot be built (from 1.2)."""
    if release.generation < _G.V1_2:
        return
    if not plugin.text("label"):
        yield value_fault(plugin, "label", "a label is required", "name the label")
    if not plugin.get("validValues") and plugin.get("allowsNoLabel") is not True:
        yield value_fault(
            plugin,
            "validValues",
            "neither validValues nor allowsNoLabel lets any pod through",
            "list the valid values, or set allowsNoLabel: true",
        )


def selector_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with a label selector given as parameters."""
    labels = plugin.get("matchLabels")
    for key, value in labels.items() if isinstance(labels, dict) else []:
        fault = check_label_key(str(key)) or check_label_value(str(value or ""))
        if fault:
            yield value_fault(plugin, "matchLabels", fault, "write a valid label")
    for path, expression in plugin.items("matchExpressions"):
        fault = _expression_fault(expression)
        if fault:
            yield refusal(
                "parameter-value",
                path,
                expression,
                f"{plugin.type}: {fault}",
                "correct the expression",
            )


def _expression_fault(expression: Mapping[str, Value]) -> str | None:
    values = lookup(expression, "values") or []
    sign = lookup(expression, "operator")
    if sign not in ("In", "NotIn", "Exists", "DoesNotExist"):
        return f"the operator {sign!r} is none of In, NotIn, Exists, DoesNotExist"
    if (sign in ("In", "NotIn")) != bool(values):
        return f"the operator {sign} {'needs' if sign in ('In', 'NotIn') else 'takes no'} values"
    faults = [check_label_value(str(value)) for value in values]
    return check_label_key(str(lookup(expression, "key") or "")) or next(filter(None, faults), None)


def utilization_faults(plugin: Declared, dummy: PickerRelease) -> Iterator[Finding]:
    """Yield what is wrong with the conditions of utilization-filter."""
    conditions = list(plugin.items("conditions"))
    if not conditions:
        yield value_fault(
            plugin, "conditions", "at least one condition is required", "add a condition"
        )
    for path, condition in conditions:
        metric, limit = lookup(condition, "metric"), lookup(condition, "maxValue")
        fault = None
        if metric not in _UTILIZATION_METRICS:
            fault = f"the metric is none of {', '.join(_UTILIZATION_METRICS)}"
        elif not is_number(limit) or limit < 0:
            fault = "maxValue is required and may not be negative"
        elif metric == "kv-cache-utilization" and limit > 1:
            fault = "maxValue of kv-cache-utilization is a share, at most 1"
        if fault:
            yield refusal(
                "parameter-value",
                path,
                condition,
                f"{plugin.type}: {fault}",
                "correct the condition",
            )


_UTILIZATION_METRICS = (
    "active-requests",
    "running-requests",
    "waiting-queue",
    "kv-cache-utilization",
)


def affinity_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what the prefix affinity filter refuses beyond single values."""
    penalty = plugin.get("maxTTFTPenaltyMs")
    if (
        release.has_own_picker
        and plugin.get("ttftSource") in (None, "prefillThroughput")
        and (penalty is None or above_zero(penalty))
        and plugin.get("peakPrefillThroughput") == 0
    ):
        yield value_fault(
            plugin,
            "peakPrefillThroughput",
            "it has to be above 0 while ttftSource is prefillThroughput",
            "leave it out for the default",
        )
