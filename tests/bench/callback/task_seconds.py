# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes how long the tasks of a play took, and the stats that they return, to the file in BENCH_TASKS."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: task_seconds
type: aggregate
short_description: Writes how long tasks took
description: For the benchmark.
"""


class CallbackModule(CallbackBase):
    """Times each task from its start to its result."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "task_seconds"

    def __init__(self) -> None:
        super().__init__()
        self._started = 0.0
        self._tasks: list[dict[str, Any]] = []

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:  # noqa: ARG002
        self._started = time.monotonic()

    def _ended(self, result: Any) -> None:
        seconds = time.monotonic() - self._started
        returned = getattr(result, "result", None) or getattr(result, "_result", {})
        entry = {
            "seconds": seconds,
            "stats": returned.get("stats"),
            "changed": returned.get("changed"),
        }
        self._tasks.append({**entry, "msg": str(returned.get("msg", ""))[:2000]})

    def v2_runner_on_ok(self, result: Any) -> None:
        self._ended(result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:  # noqa: ARG002
        self._ended(result)

    def v2_playbook_on_stats(self, _stats: Any) -> None:
        Path(os.environ["BENCH_TASKS"]).write_text(json.dumps(self._tasks, default=str))
