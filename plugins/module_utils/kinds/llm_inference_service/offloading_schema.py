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
            description="On the disk of the node, as an ephemeral volume.",
            fields={"size": QuantityValue(description="How much of it.")},
            required=("size",),
        ),
        "pvc": Object(
            description="In a claim; either `spec` or `ref`.",
            fields={
                "spec": Object(
                    description="A claim that is created and deleted with each pod.",
                    fields=CLAIM_SPEC.fields,
                    required=CLAIM_SPEC.required,
                ),
                "ref": Object(
                    description="An existing claim.",
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
    description="Where the engine keeps its KV cache besides the GPU; KServe's presets pass it on.",
    fields={
        "cpu": QuantityValue(description="Memory of the host."),
        "evictionPolicy": Text(
            description="Which entries are evicted first.", enum=("lru", "arc"), default="lru"
        ),
        "secondary": ListOf(
            description="Files for what does not fit there; the first tier is filled first.",
            items=Object(fields={"fileSystem": _FILES}),
        ),
    },
    required=("cpu",),
    since=KServe.V0_20,
)

TRACING = Object(
    description="Traces of requests. Its presence, even as `{}`, switches them on.",
    fields={
        "exporterEndpoint": Text(description="Where they are sent."),
        "sampler": Text(description="Which requests are traced."),
        "samplerArg": Text(
            description="The sampler's argument, for example the share of requests."
        ),
        "exporter": Text(description="The protocol of the exporter."),
    },
    since=KServe.V0_20,
)
