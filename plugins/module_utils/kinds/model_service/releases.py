# SPDX-License-Identifier: GPL-3.0-or-later
"""The releases of model-operator, and how far each is reproduced. What differs between them is beside what reads it."""

from __future__ import annotations

from collections.abc import Mapping

from ...kube.release import Backing, ControllerRelease


class ModelOperator(ControllerRelease):
    """A release of model-operator."""

    V0_9_0_ALPHA_2 = "0.9.0-alpha.2"
    V1_0_1 = "1.0.1"

    @property
    def product(self) -> str:
        """Whose releases these are."""
        return "model-operator"

    @property
    def option(self) -> str:
        """The option by which users choose one."""
        return "releases.model_operator"


#: What is reproduced where a task asks for no release.
DEFAULT = ModelOperator.V0_9_0_ALPHA_2

BACKING: Mapping[ModelOperator, Backing] = {
    ModelOperator.V0_9_0_ALPHA_2: "proved",
    ModelOperator.V1_0_1: "proved",
}
#: The newest that is reproduced.
NEWEST = ModelOperator.V1_0_1
