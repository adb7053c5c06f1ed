# SPDX-License-Identifier: GPL-3.0-or-later
"""The schemas of `kvCacheOffloading` and `tracing`. Source: KServe pkg/apis/serving/v1alpha2/llm_inference_service_types.go@v0.20.0."""

from __future__ import annotations

from ...kube.pod_schema import CLAIM_SPEC
from ...kube.schema import ListOf, Object, QuantityValue, Text
from ..kserve.releases import KServe

_FILES = Object(
    description="A folder; either `emptyDir` or `pvc`.",
    fields={
        "emptyDir": Object(
            description="On the disk of the node, which is asked for it.",
            fields={"size": QuantityValue(description="How much of it.")},
            required=("size",),
        ),
        "pvc": Object(
            description="In a claim; either `spec` or `ref`.",
            fields={
                "spec": Object(
                    description="A claim that comes and goes with each pod.",
                    fields=CLAIM_SPEC.fields,
                    required=CLAIM_SPEC.required,
                ),
                "ref": Object(
                    description="A claim that is there.",
                    fields={
                        "name": Text(description="Its name."),
                        "path": Text(description="A folder in it."),
                    },
                    required=("name",),
                ),
            },
        ),
    },
)

OFFLOADING = Object(
    description="Where the engine keeps its KV cache beside the GPU; the presets of KServe tell it.",
    fields={
        "cpu": QuantityValue(description="Memory of the host."),
        "evictionPolicy": Text(description="What goes first.", enum=("lru", "arc"), default="lru"),
        "secondary": ListOf(
            description="Files for what does not fit there, the first tier first.",
            items=Object(fields={"fileSystem": _FILES}),
        ),
    },
    required=("cpu",),
    since=KServe.V0_20,
)

TRACING = Object(
    description="Traces of requests. Its presence, also as `{}`, asks for them.",
    fields={
        "exporterEndpoint": Text(description="Where they are sent."),
        "sampler": Text(description="Which requests are traced."),
        "samplerArg": Text(description="How many of them."),
        "exporter": Text(description="In which protocol."),
    },
    since=KServe.V0_20,
)
