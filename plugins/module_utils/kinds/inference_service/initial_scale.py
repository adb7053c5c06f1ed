# SPDX-License-Identifier: GPL-3.0-or-later
"""With how many pods a Knative revision begins, as far as Knative takes it.

Source: KServe pkg/controller/v1beta1/inferenceservice/reconcilers/knative/ksvc_reconciler.go@v0.17.0.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ...kube.reader import Reader
from ...kube.reference import Reference
from ..kserve.modes import KNATIVE
from .errors import Unbuildable
from .knative import KNATIVE_NAMESPACE
from .resolved import Resolved

_ANNOTATION = "autoscaling.knative.dev/initial-scale"
_CONFIG = Reference("v1", "ConfigMap", KNATIVE_NAMESPACE, "config-autoscaler")
_WHOLE = re.compile(r"[+-]?[0-9]+")


def with_valid_initial_scale(resolved: Resolved, reader: Reader) -> Resolved:
    """Return a service in Knative mode without a number of first pods that Knative would refuse; others stay as they are.

    Raises Unbuildable where Knative's configuration is missing, without which the controller makes nothing.
    """
    if resolved.mode != KNATIVE:
        return resolved
    config = reader.get(_CONFIG)
    if config is None and reader.complete:
        raise Unbuildable(
            "failed to retrieve the knative autoscaler configuration: fails to retrieve the config-autoscaler configmap from the "
            f'{KNATIVE_NAMESPACE} namespace.: configmaps "config-autoscaler" not found',
            advice="install Knative Serving, or run the service in mode Standard",
            rule="knative",
        )
    service = resolved.service
    wanted = service.annotations.get(_ANNOTATION)
    zero = ((config or {}).get("data") or {}).get("allow-zero-initial-scale", "")
    if wanted is None or _is_valid(wanted, zero=zero.lower() == "true"):
        return resolved
    annotations = {key: text for key, text in service.annotations.items() if key != _ANNOTATION}
    return replace(resolved, service=replace(service, annotations=annotations))


def _is_valid(wanted: str, *, zero: bool) -> bool:
    return bool(_WHOLE.fullmatch(wanted)) and int(wanted) >= (0 if zero else 1)
