# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of `autoScaling`. Source: KServe pkg/apis/serving/v1beta1/component.go@v0.17.0."""

from __future__ import annotations

from ...kube.schema import Integer, ListOf, Object, QuantityValue, Text

TARGET_TYPES = ("Utilization", "Value", "AverageValue")
METRIC_TYPES = ("Resource", "External", "PodMetric")
BACKENDS = ("prometheus", "graphite")
POD_BACKENDS = ("opentelemetry",)

_TARGET = Object(
    description="The target value.",
    fields={
        "type": Text(
            description="Which of the following counts. KServe refuses a target without it.",
            enum=TARGET_TYPES,
        ),
        "value": QuantityValue(description="For all pods together.", as_written=True),
        "averageValue": QuantityValue(description="Of each pod.", as_written=True),
        "averageUtilization": Integer(description="For each pod, in percent of its request."),
    },
)

_RESOURCE = Object(
    description="CPU or memory.",
    fields={
        "name": Text(description="`cpu` or `memory`.", enum=("cpu", "memory")),
        "target": _TARGET,
    },
    required=("name", "target"),
)

_EXTERNAL = Object(
    description="A metric of a monitoring system, with KEDA.",
    fields={
        "metric": Object(
            description="Which metric.",
            fields={
                "backend": Text(
                    description="The monitoring system. KServe refuses a metric without it.",
                    enum=BACKENDS,
                ),
                "serverAddress": Text(description="Its address."),
                "query": Text(description="The query whose result counts."),
                "namespace": Text(description="The namespace of the query."),
            },
        ),
        "authenticationRef": Object(
            description="How KEDA authenticates.",
            fields={
                "authenticationRef": Object(
                    description="The credentials.",
                    fields={"name": Text(description="A TriggerAuthentication.")},
                    required=("name",),
                ),
                "authModes": Text(description="How they are used."),
            },
            required=("authenticationRef",),
        ),
        "target": _TARGET,
    },
    required=("metric", "target"),
)

_POD_METRIC = Object(
    description="A metric of the pods themselves, with KEDA and a collector in the pods.",
    fields={
        "metric": Object(
            description="Which metric.",
            fields={
                "backend": Text(
                    description="The collector. KServe refuses a metric without it.",
                    enum=POD_BACKENDS,
                ),
                "serverAddress": Text(description="KEDA's scaler; KServe's by default."),
                "metricNames": ListOf(description="Metrics that are collected.", items=Text()),
                "query": Text(description="The metric that counts."),
                "operationOverTime": Text(description="How values over time are aggregated."),
            },
        ),
        "target": _TARGET,
    },
    required=("metric", "target"),
)

_STEPS = Object(
    description="How fast.",
    fields={
        "stabilizationWindowSeconds": Integer(
            description="How long earlier values count, in seconds."
        ),
        "selectPolicy": Text(description="Which policy counts: `Max`, `Min` or `Disabled`."),
        "policies": ListOf(
            description="Steps that are allowed.",
            items=Object(
                fields={
                    "type": Text(description="`Pods` or `Percent`."),
                    "value": Integer(description="How many."),
                    "periodSeconds": Integer(description="The period of the policy, in seconds."),
                },
                required=("periodSeconds", "type", "value"),
            ),
        ),
        "tolerance": QuantityValue(description="Deviation from the target that is ignored."),
    },
)

AUTO_SCALING = Object(
    description="Scaling by several metrics, instead of `scaleMetric` and `scaleTarget`.",
    fields={
        "metrics": ListOf(
            description="The metrics; the one that needs most pods counts.",
            items=Object(
                fields={
                    "type": Text(description="Which of the following is used.", enum=METRIC_TYPES),
                    "resource": _RESOURCE,
                    "external": _EXTERNAL,
                    "podmetric": _POD_METRIC,
                },
                required=("type",),
            ),
        ),
        "behavior": Object(
            description="How fast pods are added and removed; with KEDA only the stabilization window.",
            fields={"scaleUp": _STEPS, "scaleDown": _STEPS},
        ),
    },
)
