# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of `scaling`, with the CEL rules of the CRD as code. KServe 0.17 checks and stores it, and makes nothing of it.

Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_types.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...kube.manifest import Json
from ...kube.release import Since
from ...kube.schema import Boolean, FieldRule, Integer, ListOf, Object, QuantityValue, Text
from ..kserve.releases import KServe

#: What the field `scaling` means together with `replicas`, of a spec and of `prefill`.
REPLICAS_OR_SCALING = FieldRule(
    name="replicas-or-scaling",
    message="replicas and scaling are mutually exclusive; use scaling for autoscaled deployments or replicas for static deployments",
    broken=lambda value: "replicas" in value and "scaling" in value,
)


def _rule(message: str, broken: Callable[[Any], bool]) -> FieldRule:
    return FieldRule(name="scaling", message=message, broken=broken)


def _idle(scaling: Json) -> int | None:
    found: int | None = ((scaling.get("wva") or {}).get("keda") or {}).get("idleReplicaCount")
    return found


def _low_over_high(scaling: Json) -> bool:
    low, high = scaling.get("minReplicas"), scaling.get("maxReplicas")
    return low is not None and high is not None and low > high


def _idle_not_below_low(scaling: Json) -> bool:
    idle, low = _idle(scaling), scaling.get("minReplicas")
    return idle is not None and low is not None and idle >= low


def _names_autoscaler(keda: Json) -> bool:
    """Return whether the rule about the name fails: in 0.17 it reads the name even where there is none."""
    config = (keda.get("advanced") or {}).get("horizontalPodAutoscalerConfig")
    return config is not None and config.get("name") != ""


_SCALING_RULES = (
    _rule(
        "maxReplicas is required when scaling is configured",
        lambda value: "maxReplicas" not in value,
    ),
    _rule(
        "wva is required when scaling is configured; it provides the autoscaling mechanism",
        lambda value: "wva" not in value,
    ),
    _rule("minReplicas cannot exceed maxReplicas", _low_over_high),
    _rule(
        "minReplicas is required when idleReplicaCount is set; idleReplicaCount must be less than minReplicas",
        lambda value: _idle(value) is not None and "minReplicas" not in value,
    ),
    _rule(
        "idleReplicaCount must be less than minReplicas; idleReplicaCount defines the replica floor when no triggers are active",
        _idle_not_below_low,
    ),
)

_ACTUATOR_RULES = (
    _rule(
        "hpa and keda are mutually exclusive; choose one actuator backend",
        lambda value: "hpa" in value and "keda" in value,
    ),
    _rule(
        "either hpa or keda must be specified as the actuator backend",
        lambda value: "hpa" not in value and "keda" not in value,
    ),
)

# The rules of 0.17 read optional fields without asking whether they are there, so that no `advanced` passes.
_KEDA_RULES = (
    _rule(
        "scalingModifiers must not be set; WVA controls the scaling metric formula and logic "
        "(the API of this release refuses every keda.advanced, so leave it out)",
        lambda value: "advanced" in value,
    ),
    _rule(
        "horizontalPodAutoscalerConfig.name must not be set; the controller manages the HPA name",
        _names_autoscaler,
    ),
)

_STEPS = Object(
    fields={
        "stabilizationWindowSeconds": Integer(),
        "selectPolicy": Text(),
        "policies": ListOf(
            items=Object(
                fields={"type": Text(), "value": Integer(), "periodSeconds": Integer()},
                required=("periodSeconds", "type", "value"),
            )
        ),
        "tolerance": QuantityValue(),
    }
)
_BEHAVIOR = Object(
    description="How fast pods are added and removed.",
    fields={"scaleUp": _STEPS, "scaleDown": _STEPS},
)

_ADVANCED = Object(
    description="The API refuses any value.",
    fields={
        "horizontalPodAutoscalerConfig": Object(fields={"behavior": _BEHAVIOR, "name": Text()}),
        "restoreToOriginalReplicaCount": Boolean(),
        "scalingModifiers": Object(
            fields={
                "formula": Text(),
                "target": Text(),
                "activationTarget": Text(),
                "metricType": Text(enum=("AverageValue", "Value")),
            }
        ),
    },
)

_FALLBACKS = ("static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower")
_FALLBACK = Object(
    description="Pods while the metric cannot be read.",
    fields={
        "failureThreshold": Integer(
            description="Failed readings in a row before the fallback applies."
        ),
        "replicas": Integer(description="Pods."),
        "behavior": Text(
            description="How the number of pods is chosen.", default="static", enum=_FALLBACKS
        ),
    },
    required=("failureThreshold", "replicas"),
)

_KEDA = Object(
    description="Scaling by KEDA.",
    fields={
        "pollingInterval": Integer(
            description="Seconds between two readings of the metric.", minimum=1
        ),
        "cooldownPeriod": Integer(description="Seconds before scaling to idle.", minimum=0),
        "initialCooldownPeriod": Integer(
            description="The same after the object was created.", minimum=0
        ),
        "idleReplicaCount": Integer(description="Pods while there is no load.", minimum=1),
        "fallback": _FALLBACK,
        "advanced": _ADVANCED,
    },
    rules=_KEDA_RULES,
)

#: The fewest pods where an author does not say it, as the API server writes it down.
_LEAST: Since[int | None] = Since({KServe.V0_17: None, KServe.V0_18: 1})


def scaling_schema(release: KServe) -> Object:
    """Return the schema of `scaling` as a release has it."""
    return Object(
        description="How the number of pods follows the load. Before 0.18, KServe checks and stores it, but it has no effect.",
        fields={
            "minReplicas": Integer(
                description="Fewest pods.", minimum=1, default=_LEAST.at(release)
            ),
            "maxReplicas": Integer(description="Most pods.", minimum=1),
            "wva": Object(
                description="The autoscaler of llm-d.",
                fields={
                    "variantCost": Text(
                        description="Cost of one pod, to compare variants.",
                        default="10.0",
                        pattern=r"^\d+(\.\d+)?$",
                    ),
                    "hpa": Object(
                        description="Scaling by a HorizontalPodAutoscaler.",
                        fields={"behavior": _BEHAVIOR},
                    ),
                    "keda": _KEDA,
                },
                rules=_ACTUATOR_RULES,
            ),
        },
        rules=_SCALING_RULES,
    )
