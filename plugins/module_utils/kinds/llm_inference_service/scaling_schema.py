# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of `scaling`, with the CEL rules of the CRD as code. KServe 0.17 checks and stores it, and makes nothing of it.

Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_types.go@v0.17.0; scaling by KEDA alone: the same file at aaac4e294dae.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...kube.manifest import Json
from ...kube.release import Since
from ...kube.schema import (
    Boolean,
    FieldRule,
    Integer,
    ListOf,
    MapOf,
    Object,
    QuantityValue,
    Schema,
    Text,
)
from ..kserve.releases import KServe

#: What the field `scaling` means together with `replicas`, of a spec and of `prefill`.
REPLICAS_OR_SCALING = FieldRule(
    name="replicas-or-scaling",
    message="replicas and scaling are mutually exclusive; use scaling for autoscaled deployments or replicas for static deployments",
    broken=lambda value: "replicas" in value and "scaling" in value,
)


def _rule(message: str, broken: Callable[[Any], bool]) -> FieldRule:
    return FieldRule(name="scaling", message=message, broken=broken)


def _idle(scaling: Json) -> list[int]:
    """Return how many pods there are without work, by each of the two ways to have KEDA."""
    ways = ((scaling.get("wva") or {}).get("keda"), scaling.get("keda"))
    counts = [(keda or {}).get("idleReplicaCount") for keda in ways]
    return [count for count in counts if count is not None]


def _low_over_high(scaling: Json) -> bool:
    low, high = scaling.get("minReplicas"), scaling.get("maxReplicas")
    return low is not None and high is not None and low > high


def _idle_not_below_low(scaling: Json) -> bool:
    low = scaling.get("minReplicas")
    return low is not None and any(idle >= low for idle in _idle(scaling))


def _names_autoscaler(keda: Json) -> bool:
    """Return whether the rule about the name fails: in 0.17 it reads the name even where there is none."""
    config = (keda.get("advanced") or {}).get("horizontalPodAutoscalerConfig")
    return config is not None and config.get("name") != ""


#: What scales the pods.
_MEANS: Since[tuple[FieldRule, ...]] = Since(
    {
        KServe.V0_17: (
            _rule(
                "wva is required when scaling is configured; it provides the autoscaling mechanism",
                lambda value: "wva" not in value,
            ),
        ),
        KServe.V0_21: (
            _rule(
                "either wva or keda must be specified when scaling is configured",
                lambda value: "wva" not in value and "keda" not in value,
            ),
            _rule(
                "wva and keda are mutually exclusive",
                lambda value: "wva" in value and "keda" in value,
            ),
        ),
    }
)
_NO_MOST = _rule(
    "maxReplicas is required when scaling is configured",
    lambda value: "maxReplicas" not in value,
)
_COUNT_RULES = (
    _rule("minReplicas cannot exceed maxReplicas", _low_over_high),
    _rule(
        "minReplicas is required when idleReplicaCount is set; idleReplicaCount must be less than minReplicas",
        lambda value: bool(_idle(value)) and "minReplicas" not in value,
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
_NAME_RULE = _rule(
    "horizontalPodAutoscalerConfig.name must not be set; the controller manages the HPA name",
    _names_autoscaler,
)
_KEDA_RULES = (
    _rule(
        "scalingModifiers must not be set; WVA controls the scaling metric formula and logic "
        "(the API of this release refuses every keda.advanced, so leave it out)",
        lambda value: "advanced" in value,
    ),
    _NAME_RULE,
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
_TRIGGER = Object(
    fields={
        "type": Text(description="The scaler, for example `prometheus` or `cpu`."),
        "name": Text(description="The trigger's name."),
        "useCachedMetrics": Boolean(description="Whether values are cached between two readings."),
        "metadata": MapOf(description="The trigger's parameters.", values=Text(keep_empty=True)),
        "authenticationRef": Object(
            description="The TriggerAuthentication that KEDA uses.",
            fields={"name": Text(description="Its name."), "kind": Text(description="Its kind.")},
            required=("name",),
        ),
        "metricType": Text(description="How the value is compared."),
    },
    required=("metadata", "type"),
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

#: The fewest pods where an author does not say it, as the API server writes it down.
_LEAST: Since[int | None] = Since({KServe.V0_17: None, KServe.V0_18: 1})
#: How many pods there have to be at least without work.
_IDLEST: Since[int] = Since({KServe.V0_17: 1, KServe.V0_21: 0})


def _keda(release: KServe) -> dict[str, Schema]:
    """Return what KEDA is told, whoever says how many pods are wanted."""
    return {
        "pollingInterval": Integer(
            description="Seconds between two readings of the metric.", minimum=1
        ),
        "cooldownPeriod": Integer(description="Seconds before scaling to idle.", minimum=0),
        "initialCooldownPeriod": Integer(
            description="The same after the object was created.", minimum=0
        ),
        "idleReplicaCount": Integer(
            description="Pods while there is no load; from 0.21 on, 0 is allowed.",
            minimum=_IDLEST.at(release),
        ),
        "fallback": _FALLBACK,
    }


def scaling_schema(release: KServe) -> Object:
    """Return the schema of `scaling` as a release has it."""
    keda = _keda(release)
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
                    "keda": Object(
                        description="Scaling by KEDA.",
                        fields={**keda, "advanced": _ADVANCED},
                        rules=_KEDA_RULES,
                    ),
                },
                rules=_ACTUATOR_RULES,
            ),
            "keda": Object(
                description="Scaling by KEDA with triggers of your own; instead of `wva`.",
                fields={
                    **keda,
                    "advanced": replace(_ADVANCED, description="Other settings of KEDA."),
                    "triggers": ListOf(
                        description="The triggers by which KEDA scales.",
                        items=_TRIGGER,
                        min_items=1,
                    ),
                },
                required=("triggers",),
                rules=(_NAME_RULE,),
                since=KServe.V0_21,
            ),
        },
        rules=(_NO_MOST, *_MEANS.at(release), *_COUNT_RULES),
    )
