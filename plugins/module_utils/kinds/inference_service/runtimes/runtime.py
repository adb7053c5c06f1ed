# SPDX-License-Identifier: GPL-3.0-or-later
"""A ServingRuntime or ClusterServingRuntime, and where they are found. Source: KServe pkg/apis/serving/v1alpha1/servingruntime_types.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ....kube import gvk
from ....kube.manifest import Json
from ....kube.pod_schema import CONTAINER
from ....kube.reader import Reader
from ....kube.reference import Reference
from ....kube.schema import ListOf, Object
from ....kube.schema_check import check

API_VERSION = gvk.KSERVE_V1ALPHA1
NAMESPACED, CLUSTER = "ServingRuntime", "ClusterServingRuntime"

_SERVERS = Object(fields={"containers": ListOf(items=CONTAINER, keys=("name",))})


@dataclass(frozen=True, slots=True)
class Runtime:
    """One runtime. annotations: those of its metadata. created: when, as the API writes times; empty where nobody knows."""

    kind: str
    name: str
    spec: Json
    annotations: Mapping[str, str]
    created: str = ""

    def __str__(self) -> str:
        """Return the runtime as messages name it."""
        return f"{self.kind} {self.name}"


def runtime_named(name: str, namespace: str, reader: Reader) -> Runtime | None:
    """Return the runtime of a name: that of the namespace, else that of the cluster. None where there is neither."""
    for kind, place in ((NAMESPACED, namespace), (CLUSTER, "")):
        found = reader.get(Reference(API_VERSION, kind, place, name))
        if found is not None:
            return as_runtime(kind, found)
    return None


def runtimes(namespace: str, reader: Reader) -> tuple[list[Runtime], list[Runtime]]:
    """Return the runtimes of a namespace and those of the cluster."""
    own = reader.list(API_VERSION, NAMESPACED, namespace, {})
    everywhere = reader.list(API_VERSION, CLUSTER, "", {})
    return [as_runtime(NAMESPACED, each) for each in own], [
        as_runtime(CLUSTER, each) for each in everywhere
    ]


def as_runtime(kind: str, manifest: Json) -> Runtime:
    """Return the runtime that a manifest describes."""
    metadata = manifest["metadata"]
    return Runtime(
        kind=kind,
        name=metadata["name"],
        spec=manifest.get("spec") or {},
        annotations=metadata.get("annotations") or {},
        created=str(metadata.get("creationTimestamp") or ""),
    )


def as_stored(runtime: Runtime) -> Runtime:
    """Return a runtime whose containers have the defaults of its CRD, which a given manifest may lack."""
    spec = _stored(runtime.spec)
    workers = spec.get("workerSpec")
    return replace(runtime, spec={**spec, "workerSpec": _stored(workers)} if workers else spec)


def _stored(part: Json) -> Json:
    given = {"containers": part.get("containers") or []}
    return {**part, **check(_SERVERS, given, "spec", unknown=False).value}
