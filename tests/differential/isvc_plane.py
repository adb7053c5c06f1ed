# SPDX-License-Identifier: GPL-3.0-or-later
"""What the controller of InferenceServices needs around it: its own CRDs and webhooks, and those of its children."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from tests.lab import crds
from tests.lab.crd_sources import Bundle

from .batch import Watched
from .build import Programs
from .llm_plane import gateways
from .modules import MODULES
from .plane import Plane

Json = dict[str, Any]
_FULL = "config/crd/full"
_OWN = ("inferenceservices", "clusterservingruntimes", "servingruntimes", "inferencegraphs")
_STORAGE = f"{_FULL}/clusterstoragecontainer/serving.kserve.io_clusterstoragecontainers.yaml"
_CACHES = ("localmodelcaches", "localmodelnodegroups", "localmodelnodes")
_NEIGHBOURS = ("istio_virtualservice", "keda", "knative_service", "opentelemetry-operator")
_NEIGHBOUR_KINDS = (
    "virtualservices.networking.istio.io",
    "scaledobjects.keda.sh",
    "services.serving.knative.dev",
    "opentelemetrycollectors.opentelemetry.io",
)

_CHILDREN = (
    ("v1", "ConfigMap"),
    ("v1", "Service"),
    ("apps/v1", "Deployment"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("keda.sh/v1alpha1", "ScaledObject"),
    ("opentelemetry.io/v1beta1", "OpenTelemetryCollector"),
    ("networking.k8s.io/v1", "Ingress"),
    ("networking.istio.io/v1beta1", "VirtualService"),
    ("serving.knative.dev/v1", "Service"),
    ("gateway.networking.k8s.io/v1", "HTTPRoute"),
    ("serving.kserve.io/v1beta1", "InferenceService"),
)
#: All well, then as chance decides. A route comes after its workload, and one at the top after those of components.
WATCHED = Watched("InferenceService", _CHILDREN, phases=(3, 1), rounds_after_update=2)
#: The same manager has graphs, too; the services that their steps lead to are there and ready.
WATCHED_GRAPHS = Watched(
    "InferenceGraph",
    (
        ("v1", "Service"),
        ("apps/v1", "Deployment"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
        ("keda.sh/v1alpha1", "ScaledObject"),
        ("serving.knative.dev/v1", "Service"),
        ("serving.kserve.io/v1beta1", "InferenceService"),
        ("serving.kserve.io/v1alpha1", "InferenceGraph"),
    ),
    phases=(1, 1),
)


def definitions(release: KServe) -> list[Json]:
    """Return the CRDs of a release and of what its controller makes."""
    return [each for bundle in _bundles(release) for each in crds.documents(bundle)]


def _bundles(release: KServe) -> Iterator[Bundle]:
    modules = MODULES[release]
    caches = (*_CACHES, *(("localmodelnamespacecaches",) if release >= KServe.V0_18 else ()))
    yield modules.of_kserve(
        *(f"{_FULL}/serving.kserve.io_{name}.yaml" for name in (*_OWN, "trainedmodels")),
        *(f"{_FULL}/localmodel/serving.kserve.io_{name}.yaml" for name in caches),
        _STORAGE,
    )
    yield modules.of_kserve(
        *(f"test/crds/{name}.yaml" for name in _NEIGHBOURS), only=_NEIGHBOUR_KINDS
    )
    yield gateways(modules)


def plane(programs: Programs, release: KServe, environment: Mapping[str, str]) -> Plane:
    """Return a plane for the controller of a release, with its webhooks and that for pods."""
    webhooks = crds.documents(MODULES[release].of_kserve("config/webhook/manifests.yaml"))
    return Plane(programs, definitions(release), webhooks, environment)
