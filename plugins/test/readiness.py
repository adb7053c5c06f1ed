# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tests that tell whether something does its work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..module_utils.kube.readiness import is_ready
from ..plugin_utils.arguments import explained, flag, mapping


def ready(value: Any) -> bool:
    """Tell whether a service result or a Kubernetes object is ready."""
    found = mapping("ready", value)
    if "metadata" not in found and "ready" in found:
        return flag("ready", found["ready"], "`ready` of the service result")
    with explained("ready"):
        return is_ready(found)


class TestModule:
    """The tests of this file."""

    # pytest collects classes of this name otherwise.
    __test__ = False

    def tests(self) -> dict[str, Callable[..., bool]]:
        """Return them by name."""
        return {"ready": ready}
