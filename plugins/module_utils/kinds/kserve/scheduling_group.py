# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that Kubernetes schedules together, which specs of pods can ask for from KServe 0.21 on: what is said of them, wherever pods are described."""

from __future__ import annotations

from collections.abc import Mapping

SCHEDULING_GROUP: Mapping[str, str] = {
    "schedulingGroup": "KServe 0.21 knows it, and this collection does not yet: leave it out, or have pods scheduled together by a "
    "scheduler that goes by labels"
}
