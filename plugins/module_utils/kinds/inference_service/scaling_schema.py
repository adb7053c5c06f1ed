# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of `autoScaling`. Source: KServe pkg/apis/serving/v1beta1/component.go@v0.17.0."""

from __future__ import annotations

from ...kube.schema import Integer, ListOf, Object, QuantityValue, Text

TARGET_TYPES = ("Utilization", "Value", "AverageValue")
METRIC_TYPES = ("Resource", "External", "PodMetric")
BACKENDS = ("prometheus", "graphite")
POD_BACKENDS = ("opentelemetry",)

_TARGET = Object(
    description="How much a pod should have.",
    fields={
        "type": Text(
            description="Which of the following counts. KServe refuses a target without it.",
            enum=TARGET_TYPES,
        ),
        "value": QuantityValue(description="Of all pods together.", as_written=True),
        "averageValue": QuantityValue(description="Of each pod.", as_written=True),
        "averageUtilization": Integer(description="Of each pod, in percent of what it asks for."),
    },
)

_RESOURCE = Object(
    description="CPU or memory.",
    fields={
        "name": Text(description="Which of them.", enum=("cpu", "memory")),
        "target": _TARGET,
    },
    required=("name", "target"),
)

_EXTERNAL = Object(
    description="A figure of a monitoring system, with KEDA.",
    fields={
        "metric": Object(
            description="Which figure.",
            fields={
                "backend": Text(
                    description="The monitoring system. KServe refuses a metric without it.",
                    enum=BACKENDS,
                ),
                "serverAddress": Text(description="Its address."),
                "query": Text(description="The query whose answer counts."),
                "namespace": Text(description="The namespace in which it is asked."),
            },
        ),
        "authenticationRef": Object(
            description="How KEDA shows who asks.",
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
    description="A figure of the pods themselves, with KEDA and a collector beside them.",
    fields={
        "metric": Object(
            description="Which figure.",
            fields={
                "backend": Text(
                    description="What collects it. KServe refuses a metric without it.",
                    enum=POD_BACKENDS,
                ),
                "serverAddress": Text(description="KEDA's scaler; KServe's default where absent."),
                "metricNames": ListOf(description="Figures that are collected.", items=Text()),
                "query": Text(description="The figure that counts."),
                "operationOverTime": Text(description="How values of some time become one."),
            },
        ),
        "target": _TARGET,
    },
    required=("metric", "target"),
)

_STEPS = Object(
    description="How fast.",
    fields={
        "stabilizationWindowSeconds": Integer(description="How long the past counts, in seconds."),
        "selectPolicy": Text(description="Which policy counts: `Max`, `Min` or `Disabled`."),
        "policies": ListOf(
            description="Steps that are allowed.",
            items=Object(
                fields={
                    "type": Text(description="`Pods` or `Percent`."),
                    "value": Integer(description="How many."),
                    "periodSeconds": Integer(description="In which time, in seconds."),
                },
                required=("periodSeconds", "type", "value"),
            ),
        ),
        "tolerance": QuantityValue(description="How far off the target nothing is done."),
    },
)

AUTO_SCALING = Object(
    description="Scaling by several figures, in place of `scaleMetric` and `scaleTarget`.",
    fields={
        "metrics": ListOf(
            description="The figures; the one that asks for most pods counts.",
            items=Object(
                fields={
                    "type": Text(description="Which of the following it is.", enum=METRIC_TYPES),
                    "resource": _RESOURCE,
                    "external": _EXTERNAL,
                    "podmetric": _POD_METRIC,
                },
                required=("type",),
            ),
        ),
        "behavior": Object(
            description="How fast pods are added and removed; with KEDA only the time that the past counts.",
            fields={"scaleUp": _STEPS, "scaleDown": _STEPS},
        ),
    },
)
