# SPDX-License-Identifier: GPL-3.0-or-later
"""The kind of GPU that a pod wants on GKE. Source: KServe pkg/webhook/admission/pod/accelerator_injector.go@v0.17.0."""

from __future__ import annotations

from .subject import Subject

_ANNOTATION = "serving.kserve.io/gke-accelerator"
_SELECTOR = "cloud.google.com/gke-accelerator"
_GPU = "nvidia.com/gpu"


def with_accelerator(subject: Subject) -> Subject:
    """Return a pod that goes to nodes with the GPUs that an annotation names, if it wants any."""
    wanted = subject.annotations.get(_ANNOTATION)
    limits = [(each.get("resources") or {}).get("limits") or {} for each in subject.containers()]
    if wanted is None or not any(_GPU in each for each in limits):
        return subject
    selector = {**(subject.spec.get("nodeSelector") or {}), _SELECTOR: wanted}
    return subject.having({**subject.spec, "nodeSelector": selector})
