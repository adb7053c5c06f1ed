# SPDX-License-Identifier: GPL-3.0-or-later
"""The words for how an InferenceService is run.

Source: KServe pkg/apis/serving/v1beta1/inference_service_defaults.go, pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.17.0.
"""

from __future__ import annotations

from .service import GROUP

#: Where an author says the mode of a custom resource.
MODE_ANNOTATION = f"{GROUP}/deploymentMode"
STANDARD, KNATIVE, MODEL_MESH = "Standard", "Knative", "ModelMesh"
MODES = (KNATIVE, STANDARD, MODEL_MESH)

#: What the modes were called before 0.16.
LEGACY = {"RawDeployment": STANDARD, "Serverless": KNATIVE}


def canonical_mode(word: str) -> str:
    """Return today's word for a mode; what is no mode is returned as it is."""
    return LEGACY.get(word, word)
