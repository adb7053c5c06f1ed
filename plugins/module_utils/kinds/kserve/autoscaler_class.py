# SPDX-License-Identifier: GPL-3.0-or-later
"""The words for who sets the number of pods in Standard mode.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/autoscaler/autoscaler_reconciler.go@v0.17.0.
"""

from __future__ import annotations

from typing import Literal

AutoscalerClass = Literal["hpa", "keda", "external", "none"]

AUTOSCALER_ANNOTATION = "serving.kserve.io/autoscalerClass"
AUTOSCALER_HPA: AutoscalerClass = "hpa"
AUTOSCALER_KEDA: AutoscalerClass = "keda"
AUTOSCALER_NONE: AutoscalerClass = "none"
CLASSES: tuple[AutoscalerClass, ...] = (
    AUTOSCALER_HPA,
    AUTOSCALER_KEDA,
    "external",
    AUTOSCALER_NONE,
)
#: Busy CPU in per cent above which pods are added, where nobody says another number.
DEFAULT_CPU = 80
