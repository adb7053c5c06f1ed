# SPDX-License-Identifier: GPL-3.0-or-later
"""All that KServe's webhook does to a pod, in its order. Source: KServe pkg/webhook/admission/pod/mutator.go@v0.17.0."""

from __future__ import annotations

from .accelerator import with_accelerator
from .agent import with_agent
from .istio import with_network_user
from .metrics import with_metrics
from .model import with_model, with_model_image
from .subject import Subject

_STEPS = (
    with_accelerator,
    with_model,
    with_network_user,
    with_agent,
    with_metrics,
    with_model_image,
)


def mutated(subject: Subject) -> Subject:
    """Return a pod as the webhook leaves it. Raises StorageRefused where the webhook refuses it."""
    for step in _STEPS:
        subject = step(subject)
    return subject
