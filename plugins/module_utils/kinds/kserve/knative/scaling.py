# SPDX-License-Identifier: GPL-3.0-or-later
"""How many pods a Knative revision has: the annotations that KServe writes for it.

Source: KServe pkg/controller/v1alpha1/utils/utils.go,
pkg/controller/v1beta1/inferenceservice/reconcilers/knative/ksvc_reconciler.go@v0.17.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ....kube.manifest import Json
from ....kube.reader import Reader
from ....kube.reference import Reference
from .names import AUTOSCALING, KNATIVE_NAMESPACE, USUAL_CLASS

_INITIAL = f"{AUTOSCALING}initial-scale"
_CONFIG = Reference("v1", "ConfigMap", KNATIVE_NAMESPACE, "config-autoscaler")
_ALLOW = "allow-zero-initial-scale"
_WHOLE = re.compile(r"[+-]?[0-9]+")


class NoAutoscaler(Exception):
    """Knative's configuration is missing, without which the controller makes nothing. The text is the controller's."""

    #: What to do about it.
    advice = "install Knative Serving, or run the service in mode Standard"


def scaling_annotations(spec: Json, annotations: Mapping[str, str]) -> dict[str, str]:
    """Return the annotations of a revision. spec: what says how many pods there are. annotations: the author's, which stay."""
    least = spec.get("minReplicas")
    scaling = {
        "target": spec.get("scaleTarget"),
        "metric": spec.get("scaleMetric"),
        "min-scale": 1 if least is None else least,
        "max-scale": spec.get("maxReplicas") or None,
    }
    asked = {
        f"{AUTOSCALING}{key}": str(value) for key, value in scaling.items() if value is not None
    }
    return {f"{AUTOSCALING}class": USUAL_CLASS, **annotations, **asked}


def without_invalid_initial_scale(
    annotations: Mapping[str, str], reader: Reader
) -> Mapping[str, str]:
    """Return annotations without a number of first pods that Knative would refuse. Raises NoAutoscaler."""
    config = reader.get(_CONFIG)
    if config is None and reader.complete:
        raise NoAutoscaler(
            "failed to retrieve the knative autoscaler configuration: fails to retrieve the config-autoscaler configmap from the "
            f'{KNATIVE_NAMESPACE} namespace.: configmaps "config-autoscaler" not found'
        )
    wanted = annotations.get(_INITIAL)
    if wanted is None or _is_valid(wanted, zero=_allows_zero(config)):
        return annotations
    return {key: text for key, text in annotations.items() if key != _INITIAL}


def zero_doubts(annotations: Mapping[str, str], reader: Reader) -> Iterator[tuple[str, str, str]]:
    """Yield that a revision does not begin without pods as its author wants: the name, what comes of it, and what to do."""
    config = reader.get(_CONFIG)
    wanted = annotations.get(_INITIAL, "")
    if config is None or not _is_valid(wanted, zero=True) or int(wanted):
        return
    if not _is_valid(wanted, zero=_allows_zero(config)):
        effect = f"KServe leaves it out, since ConfigMap {_CONFIG.full_name} does not set {_ALLOW}: true, and the first pod starts at once"
        yield _INITIAL, effect, "set it in that ConfigMap, or leave this out"


def _allows_zero(config: Json | None) -> bool:
    text = ((config or {}).get("data") or {}).get(_ALLOW, "")
    return str(text).lower() == "true"


def _is_valid(wanted: str, *, zero: bool) -> bool:
    return bool(_WHOLE.fullmatch(wanted)) and int(wanted) >= (0 if zero else 1)
