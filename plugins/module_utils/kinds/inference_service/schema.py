# SPDX-License-Identifier: GPL-3.0-or-later
"""Every field of an InferenceService: type, default, limits, meaning.

Source: KServe pkg/apis/serving/v1beta1/{inference_service,predictor}.go@v0.17.0.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from ...kube.core_schema import string_map
from ...kube.pod_schema import CONTAINER
from ...kube.schema import Integer, ListOf, Object, Row, Schema, Text, custom_resource, rows
from ...kube.schema_check import related
from ...kube.schema_release import at_release
from ..kserve.confidential import CONFIDENTIAL
from ..kserve.framework import FRAMEWORKS
from ..kserve.releases import KServe
from ..kserve.scheduling_group import SCHEDULING_GROUP
from .extension_schema import EXTENSION, storage_fields
from .pod_fields import COMPONENT_POD, WORKER_POD
from .releases import NEWEST
from .spec import API_VERSION, KIND, ROLES
from .status_schema import STATUS

#: What a component mounts where it says nothing.
MODEL_PATH = "/mnt/models"

STORAGE_URIS = ListOf(
    description="Several models or parts of one; not together with `storageUri`.",
    items=Object(
        fields={
            "uri": Text(description="Where it is.", min_length=1),
            "mountPath": Text(
                description="Where the containers find it.",
                default=MODEL_PATH,
                pattern="^/.*",
                max_length=255,
            ),
        },
        required=("uri",),
    ),
    min_items=1,
)

_STORAGE = Object(
    description="Where the model is, in a store that a Secret describes.",
    fields={
        **storage_fields("the model is"),
        "schemaPath": Text(description="Where its schema is; without effect.", keep_empty=True),
    },
)

_SERVER: dict[str, Schema] = {
    "storageUri": Text(
        description="Where the model is: `s3://`, `gs://`, `pvc://`, `hf://`, `oci://`, `https://` and others.",
        keep_empty=True,
    ),
    "runtimeVersion": Text(description="Tag of the server's image.", keep_empty=True),
    "protocolVersion": Text(
        description="What clients speak: `v1`, `v2`, `grpc-v1` or `grpc-v2`.", keep_empty=True
    ),
    **CONTAINER.fields,
    "storage": _STORAGE,
    "confidential": CONFIDENTIAL,
}
#: What is said of traces.
_TRACING = (
    "KServe 0.21 knows it, and this collection does not yet: give the containers the variables of OpenTelemetry, such as "
    "OTEL_EXPORTER_OTLP_ENDPOINT"
)

MODEL = Object(
    description="A model whose server a runtime describes; fields of a container override the runtime's.",
    fields={
        "modelFormat": Object(
            description="The format of the model, by which a runtime is chosen.",
            fields={
                "name": Text(description="The format, such as `sklearn` or `huggingface`."),
                "version": Text(description="Its version; by default any.", keep_empty=True),
            },
            required=("name",),
        ),
        "runtime": Text(
            description="The ServingRuntime or ClusterServingRuntime; by default chosen by the format.",
            keep_empty=True,
        ),
        **_SERVER,
    },
)

_WORKERS = Object(
    description="Further pods, which hold one model together with the predictor's.",
    fields={
        **WORKER_POD,
        "pipelineParallelSize": Integer(
            description="Pods over which the layers are split.", bits=64
        ),
        "tensorParallelSize": Integer(description="GPUs over which each layer is split.", bits=64),
    },
    hints=SCHEDULING_GROUP,
)

_ART = Object(
    description="An explainer of the Adversarial Robustness Toolbox.",
    fields={
        "type": Text(description="The method, for example `SquareAttack`."),
        "storageUri": Text(description="Where its own model is."),
        "runtimeVersion": Text(
            description="Tag of its image; KServe's default if absent.", keep_empty=True
        ),
        "config": string_map("Arguments of the method."),
        **CONTAINER.fields,
        "storage": _STORAGE,
    },
)

PREDICTOR = Object(
    description="What serves requests: `model`, a framework's field, or your own containers.",
    fields={
        "name": Text(
            description="A name for this version of the predictor: its objects are called `<service>-<name>-predictor`.",
            pattern="^[a-z]([-a-z0-9]*[a-z0-9])?$",
            since=KServe.V0_20,
        ),
        **{
            name: Object(
                description=f"The same as `model` with format `{name}`.",
                fields=_SERVER,
            )
            for name in FRAMEWORKS
        },
        "model": MODEL,
        "storageUris": STORAGE_URIS,
        "storageContainerName": Text(
            description="The ClusterStorageContainer that fetches the model; by default the first that supports its address.",
            keep_empty=True,
            since=KServe.V0_20,
        ),
        "workerSpec": _WORKERS,
        **COMPONENT_POD,
        **EXTENSION,
    },
    hints=SCHEDULING_GROUP,
)

TRANSFORMER = Object(
    description="Changes requests before the predictor and responses after it.",
    fields={**COMPONENT_POD, **EXTENSION, "storageUris": STORAGE_URIS},
    hints=SCHEDULING_GROUP,
)

EXPLAINER = Object(
    description="Explains predictions.",
    fields={"art": _ART, **COMPONENT_POD, **EXTENSION, "storageUris": STORAGE_URIS},
    hints=SCHEDULING_GROUP,
)

CANARY = Object(
    description="A version of the predictor.",
    fields={
        "predictor": replace(
            PREDICTOR,
            description="What it has other than the predictor; `name` is needed.",
        ),
        "trafficPercent": Integer(
            description="Its share of the requests, in percent.", minimum=0, maximum=100
        ),
    },
    required=("predictor", "trafficPercent"),
)

SPEC = Object(
    description="What is wanted.",
    fields={
        "predictor": PREDICTOR,
        "explainer": EXPLAINER,
        "transformer": TRANSFORMER,
        "canary": ListOf(
            description="Versions of the predictor that run beside it and get a share of the requests; only in Standard mode.",
            items=CANARY,
            since=KServe.V0_20,
        ),
    },
    required=("predictor",),
    hints={"tracing": _TRACING},
)


@cache
def spec_schema(release: KServe) -> Object:
    """Return the schema of `spec` under a release."""
    return at_release(SPEC, release, NEWEST)


@cache
def root_schema(release: KServe = NEWEST) -> Object:
    """Return the schema of a whole custom resource, as its CRD shows it."""
    status = at_release(STATUS, release, NEWEST)
    return custom_resource(
        "A model that is served.", API_VERSION, KIND, spec_schema(release), status
    )


#: What the documentation leaves to Kubernetes, by the field that holds it; what it says of a predictor alone.
_FOREIGN = (
    *((f"spec.{role}", COMPONENT_POD) for role in ROLES),
    ("spec.predictor.workerSpec", WORKER_POD),
    ("spec.predictor.model", CONTAINER.fields),
    ("spec.explainer.art", CONTAINER.fields),
    *((f"spec.predictor.{name}", _SERVER) for name in FRAMEWORKS),
    *((f"spec.{role}", {**EXTENSION, "storageUris": STORAGE_URIS}) for role in ROLES[1:]),
    ("spec.canary[].predictor", PREDICTOR.fields),
)


def documentation() -> tuple[Row, ...]:
    """Return every field below `spec` in order, for the documentation table; pods and containers are those of Kubernetes."""
    hidden = tuple(f"{path}.{field}" for path, fields in _FOREIGN for field in fields)
    return tuple(
        row
        for row in rows(SPEC, "spec")
        if not any(related(row.path, [path]) and len(row.path) >= len(path) for path in hidden)
    )
