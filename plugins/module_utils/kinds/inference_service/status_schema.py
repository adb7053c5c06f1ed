# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of an InferenceService, as its CRD declares it. Source: KServe pkg/apis/serving/v1beta1/inference_service_status.go@v0.17.0."""

from __future__ import annotations

from dataclasses import replace

from ...kube.core_schema import string_map
from ...kube.schema import Boolean, Integer, ListOf, MapOf, Object, Text
from ..kserve.releases import KServe
from ..kserve.status_schema import CONDITIONS, address

_STATES = ("", "Pending", "Standby", "Loading", "Loaded", "FailedToLoad")
_TRANSITIONS = ("", "UpToDate", "InProgress", "BlockedByFailedLoad", "InvalidSpec")
_FAILURES = (
    "ModelLoadFailed",
    "RuntimeUnhealthy",
    "RuntimeDisabled",
    "NoSupportingRuntime",
    "RuntimeNotRecognized",
    "InvalidPredictorSpec",
)

_ADDRESS = address("Where it is reached inside the cluster.", "Never set.")

_TRAFFIC = Object(
    description="Requests that a revision of Knative gets.",
    fields={
        "tag": Text(description="Name under which it is reached by itself."),
        "revisionName": Text(description="The revision."),
        "configurationName": Text(description="The configuration whose newest revision it is."),
        "latestRevision": Boolean(description="Whether it is the newest."),
        "percent": Integer(description="Its share.", bits=64),
        "url": Text(description="Where it is reached by itself."),
    },
)

_COMPONENT = Object(
    description="One component.",
    fields={
        "latestReadyRevision": Text(description="Newest revision that is ready."),
        "latestCreatedRevision": Text(description="Newest revision."),
        "previousRolledoutRevision": Text(
            description="The revision before the last that got all requests."
        ),
        "latestRolledoutRevision": Text(description="The last revision that got all requests."),
        "traffic": ListOf(description="Who gets which share.", items=_TRAFFIC),
        "url": Text(description="Where it is reached from outside."),
        "restUrl": Text(description="Never set."),
        "grpcUrl": Text(description="Never set."),
        "address": _ADDRESS,
    },
)

_MODEL = Object(
    description="How far the model is.",
    fields={
        "transitionStatus": Text(
            description="Whether what is wanted is there.", default="UpToDate", enum=_TRANSITIONS
        ),
        "states": Object(
            description="States of the models that are there and wanted.",
            fields={
                "activeModelState": Text(
                    description="Of the one that answers.", default="Pending", enum=_STATES
                ),
                "targetModelState": Text(
                    description="Of the one that is wanted.", default="", enum=_STATES
                ),
            },
            required=("activeModelState",),
        ),
        "lastFailureInfo": Object(
            description="What went wrong last.",
            fields={
                "location": Text(description="Where."),
                "reason": Text(description="For programs.", enum=_FAILURES),
                "message": Text(description="For people."),
                "modelRevisionName": Text(description="Of which revision."),
                "time": Text(description="When.", format="date-time"),
                "exitCode": Integer(description="Exit status of the container."),
            },
        ),
        "copies": Object(
            description="Pods with the model.",
            fields={
                "failedCopies": Integer(description="Never counted.", default=0, bits=64),
                "totalCopies": Integer(description="Pods that are ready.", bits=64),
            },
            required=("failedCopies",),
        ),
    },
    required=("transitionStatus",),
)

_NEVER = replace(_MODEL, description="Never filled in.")

STATUS = Object(
    description="What is there.",
    fields={
        "observedGeneration": Integer(description="A generation that was processed.", bits=64),
        "conditions": CONDITIONS,
        "annotations": string_map("Never set."),
        "address": _ADDRESS,
        "url": Text(description="Where the service is reached from outside."),
        "components": MapOf(description="The components, by role.", values=_COMPONENT),
        "modelStatus": _MODEL,
        "canaryStatuses": ListOf(
            description="The canaries.",
            items=Object(
                description="One canary.",
                fields={
                    "name": Text(description="Name of its predictor."),
                    "ready": Boolean(description="Whether a pod of it is available."),
                    "trafficPercent": Integer(description="Its share of the requests, in percent."),
                    "modelStatus": _NEVER,
                },
                required=("name", "ready", "trafficPercent"),
            ),
            since=KServe.V0_20,
        ),
        "deploymentMode": Text(description="How the service is run; it stays."),
        "servingRuntimeName": Text(
            description="The runtime of its namespace that serves the model."
        ),
        "clusterServingRuntimeName": Text(
            description="The runtime of the cluster that serves the model."
        ),
    },
)
