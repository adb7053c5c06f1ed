# SPDX-License-Identifier: GPL-3.0-or-later
"""The releases of KServe, one list for all of its kinds. What differs between them is beside what reads it."""

from __future__ import annotations

from ...kube.release import ControllerRelease


class KServe(ControllerRelease):
    """A release of KServe's controllers; the patch number does not matter."""

    V0_17 = "0.17"
    V0_18 = "0.18"
    V0_19 = "0.19"
    V0_20 = "0.20"
    V0_21 = "0.21"

    @property
    def product(self) -> str:
        """Whose releases these are."""
        return "KServe"

    @property
    def option(self) -> str:
        """The option by which users choose one."""
        return "releases.kserve"
