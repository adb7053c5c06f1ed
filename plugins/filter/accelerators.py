# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters about accelerators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..module_utils.accelerators.vendors import resource_name
from ..plugin_utils.arguments import explained, flag, optional_text, text


def gpu_resource_name(value: Any, profile: Any = None, shared: Any = False) -> str:
    """Return the extended resource by which Kubernetes counts an accelerator."""
    plugin = "gpu_resource_name"
    accelerator = text(plugin, value)
    part = optional_text(plugin, profile, "profile")
    with explained(plugin):
        return resource_name(accelerator, profile=part, shared=flag(plugin, shared, "shared"))


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return them by name."""
        return {"gpu_resource_name": gpu_resource_name}
