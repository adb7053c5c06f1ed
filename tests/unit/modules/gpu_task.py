# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_resources without a cluster: what it renders, and what it refuses."""

from __future__ import annotations

from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.modules import gpu_resources

from .task import result_of

Json = dict[str, Any]


def run(**options: Any) -> Json:
    return result_of(gpu_resources, options)


def rendered(**options: Any) -> Json:
    result = run(**{"state": "rendered", **options})
    assert not result.get("failed"), result["msg"]
    return result


def refused(**options: Any) -> str:
    result = run(**{"state": "rendered", **options})
    assert result.get("failed"), result
    message: str = result["msg"]
    assert "Traceback" not in message
    return message


NVIDIA = {"type": "nvidia"}
