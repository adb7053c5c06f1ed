# SPDX-License-Identifier: GPL-3.0-or-later
"""Canaries: versions of a predictor that run beside it, with a fixed number of pods and a share of the requests.

What a canary does not say, it has of the predictor. Source: KServe pkg/controller/v1beta1/inferenceservice/components/predictor.go,
pkg/apis/serving/v1beta1/inference_service.go at aaac4e294dae; docs/differences.md has what 0.20.0 does otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...kube import gvk
from ...kube.manifest import Json, value_at
from ...kube.reader import Reader
from ...kube.reference import Reference
from ..kserve.framework import FRAMEWORKS, with_model
from ..kserve.releases import KServe
from . import names
from .spec import InferenceService

_ALL = 100
#: What a canary has not even of the predictor: it is never scaled, and runs on one node.
_LEFT_OUT = (
    "maxReplicas",
    "scaleTarget",
    "scaleMetric",
    "scaleMetricType",
    "autoScaling",
    "workerSpec",
)


@dataclass(frozen=True, slots=True)
class Canary:
    """One canary.

    field: where it is written. name: of all its objects. variant: how its status calls it. share: of the requests, in percent.
    replicas: how many pods it has. written: its predictor as its author wrote it.
    """

    field: str
    name: str
    variant: str
    share: int
    replicas: int
    written: Json


def canaries(service: InferenceService) -> Iterator[Canary]:
    """Yield the canaries of a service, in its order."""
    usual = service.spec["predictor"].get("minReplicas")
    for number, each in enumerate(service.spec.get("canary") or ()):
        predictor, share = each["predictor"], each["trafficPercent"]
        own = predictor.get("minReplicas")
        # Rounded up.
        replicas = -(-(1 if usual is None else usual) * share // _ALL) if own is None else own
        yield Canary(
            field=f"spec.canary[{number}]",
            name=names.component(service.name, "predictor", predictor["name"]),
            variant=predictor["name"],
            share=share,
            replicas=replicas,
            written=predictor,
        )


def as_service(service: InferenceService, canary: Canary, release: KServe) -> InferenceService:
    """Return the service with a canary in the place of its predictor."""
    own = canary.written
    if any(own.get(name) is not None for name in FRAMEWORKS):
        own = with_model(own, release)
    merged = _merged(service.spec["predictor"], own)
    kept = {key: value for key, value in merged.items() if key not in _LEFT_OUT}
    predictor = {**kept, "minReplicas": canary.replicas}
    return replace(service, spec={**service.spec, "predictor": predictor})


def is_available(canary: Canary, namespace: str, reader: Reader) -> bool:
    """Tell whether a canary has a pod that answers."""
    live = reader.get(Reference(gvk.APPS, "Deployment", namespace, canary.name))
    return bool(value_at(live or {}, ("status", "availableReplicas")))


def _merged(below: Json, above: Json) -> Json:
    """Return a map with another one laid over it. Lists are replaced whole; what is empty replaces nothing, as Go has it."""
    done = dict(below)
    for key, value in above.items():
        if isinstance(value, dict) and isinstance(done.get(key), dict):
            done[key] = _merged(done[key], value)
        elif value or done.get(key) is None:
            done[key] = value
    return done
