# SPDX-License-Identifier: GPL-3.0-or-later
"""The annotation by which a service uses no cache of its model, whatever its value.

Source: KServe pkg/apis/serving/v1beta1/inference_service_defaults.go@v0.17.0, pkg/webhook/admission/llminferenceservice/defaulter.go@v0.20.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.manifest import value_at
from ...kube.problem import Problem
from ...kube.schema_faults import show
from ..check import WARNING, Check, check
from ..view import ServiceView
from .local_models import OFF_ANNOTATION

OFF = Check(
    "local-model-off",
    WARNING,
    finds="{value} also keeps the service from using a cache of its model: KServe checks only whether the annotation exists",
    fix="remove the annotation",
)


@check(OFF)
def local_model_off(view: ServiceView) -> Iterator[Problem]:
    """Yield the annotation with a value that reads as if caches were used."""
    value = value_at(view.document, ("metadata", "annotations", OFF_ANNOTATION))
    if value is not None and str(value).lower() not in ("", "true"):
        yield OFF.at(f'metadata.annotations["{OFF_ANNOTATION}"]', value=show(value))
