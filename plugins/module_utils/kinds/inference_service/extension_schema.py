# SPDX-License-Identifier: GPL-3.0-or-later
"""What each component says beside its pods: scaling, logging, batching, traffic. Source: KServe pkg/apis/serving/v1beta1/component.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Mapping

from ...kube.core_schema import string_map
from ...kube.schema import Integer, IntOrText, ListOf, MapOf, Object, Schema, Text
from .scaling_schema import AUTO_SCALING, TARGET_TYPES

SCALE_METRICS = ("cpu", "memory", "concurrency", "rps")
LOG_MODES = ("all", "request", "response")


def storage_fields(what: str) -> dict[str, Schema]:
    """Return the fields that say where in a store something is."""
    return {
        "path": Text(description=f"Where {what} in the store.", keep_empty=True),
        "parameters": MapOf(
            description="Values that override the Secret's: `type`, `bucket` and the like.",
            values=Text(),
        ),
        "key": Text(
            description="The entry of the Secret that describes the store.", keep_empty=True
        ),
    }


LOGGER = Object(
    description="Sends requests and responses to a collector.",
    fields={
        "url": Text(
            description="Where events are sent; KServe's default if absent.", keep_empty=True
        ),
        "mode": Text(
            description="What is sent. KServe refuses a logger without it.", enum=LOG_MODES
        ),
        "metadataHeaders": ListOf(
            description="Headers of requests that events carry.", items=Text()
        ),
        "metadataAnnotations": ListOf(
            description="Annotations of the service that events carry.", items=Text()
        ),
        "storage": Object(
            description="A store to write to instead.",
            fields={
                **storage_fields("they are"),
                "serviceAccountName": Text(
                    description="Whose credentials are used.", keep_empty=True
                ),
            },
        ),
        "marshallerUrl": Text(
            description="A service that transforms events first.", keep_empty=True
        ),
        "batchSize": Integer(description="Events that are written together.", bits=64),
        "batchInterval": Text(
            description="How long events wait for others, such as `5s`.", keep_empty=True
        ),
    },
)

BATCHER = Object(
    description="Combines requests into batches. Its presence, even as `{}`, switches it on.",
    fields={
        "maxBatchSize": Integer(description="Requests in a batch.", bits=64),
        "maxLatency": Integer(
            description="How long a request waits for others, in milliseconds.", bits=64
        ),
        "timeout": Integer(description="How long a response may take, in seconds.", bits=64),
    },
)

STRATEGY = Object(
    description="How pods are replaced, in Standard mode.",
    fields={
        "type": Text(description="`RollingUpdate` or `Recreate`."),
        "rollingUpdate": Object(
            description="Limits of a rolling update.",
            fields={
                "maxUnavailable": IntOrText(description="Pods that may be missing."),
                "maxSurge": IntOrText(description="Additional pods during an update."),
            },
        ),
    },
)

EXTENSION: Mapping[str, Schema] = {
    "minReplicas": Integer(description="Fewest pods; 1 by default, 0 to scale to zero while idle."),
    "maxReplicas": Integer(description="Most pods; `minReplicas` by default or if less."),
    "scaleTarget": Integer(description="The target value of `scaleMetric` for each pod."),
    "scaleMetric": Text(description="The metric for adding and removing pods.", enum=SCALE_METRICS),
    "scaleMetricType": Text(description="The meaning of `scaleTarget`.", enum=TARGET_TYPES),
    "autoScaling": AUTO_SCALING,
    "containerConcurrency": Integer(
        description="Requests that a pod serves at the same time.", bits=64
    ),
    "timeout": Integer(description="How long a response may take, in seconds.", bits=64),
    "canaryTrafficPercent": Integer(
        description="Share of requests that the newest revision gets, in Knative mode.", bits=64
    ),
    "logger": LOGGER,
    "batcher": BATCHER,
    "labels": string_map("Labels of the component's objects and pods."),
    "annotations": string_map("Annotations of the component's objects and pods."),
    "deploymentStrategy": STRATEGY,
}
