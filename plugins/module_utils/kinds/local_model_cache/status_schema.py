# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a cache, as its CRD declares it. Source: KServe pkg/apis/serving/v1alpha1/local_model_cache_status.go@v0.20.0."""

from __future__ import annotations

from ...kube.schema import Integer, ListOf, MapOf, Object, Text
from ..kserve.releases import KServe

NOT_READY, PENDING, DOWNLOADING, DOWNLOADED, FAILED = (
    "NodeNotReady",
    "NodeDownloadPending",
    "NodeDownloading",
    "NodeDownloaded",
    "NodeDownloadError",
)
_SERVICE = Object(
    description="One service.",
    fields={
        "namespace": Text(description="Its namespace."),
        "name": Text(description="Its name."),
    },
)

STATUS = Object(
    description="Where the model is.",
    fields={
        "nodeStatus": MapOf(
            description="How far each node is.",
            values=Text(enum=("", NOT_READY, PENDING, DOWNLOADING, DOWNLOADED, FAILED)),
        ),
        "copies": Object(
            description="On how many nodes the model is.",
            fields={
                "available": Integer(description="Nodes that have it.", bits=64),
                "total": Integer(description="Nodes that are to have it.", bits=64),
                "failed": Integer(description="Nodes on which the download failed.", bits=64),
            },
        ),
        "inferenceServices": ListOf(
            description="The InferenceServices that use it.", items=_SERVICE
        ),
        "llmInferenceServices": ListOf(
            description="The LLMInferenceServices that use it.",
            items=_SERVICE,
            since=KServe.V0_19,
        ),
    },
)
