# SPDX-License-Identifier: GPL-3.0-or-later
"""What the controller of LLMInferenceServices needs around it: its own CRDs and webhooks, and those of its children."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from module_utils.kinds.kserve.releases import KServe
from tests.lab import crds
from tests.lab.crd_sources import Bundle

from .batch import Watched
from .build import Programs
from .modules import MODULES, Modules
from .plane import Plane

Json = dict[str, Any]
_OWN = "config/crd/full/llmisvc/serving.kserve.io_"
_LOCAL = "config/crd/full/localmodel/serving.kserve.io_"
_GATEWAY = "config/crd/standard/gateway.networking.k8s.io_"
_POOL = "config/crd/bases/inference.networking."
_OLD_POOLS = "x-k8s.io_inferencepools"
_POOLS = (
    "k8s.io_inferencepools",
    "x-k8s.io_inferencemodelrewrites",
    "x-k8s.io_inferenceobjectives",
    "x-k8s.io_inferencepoolimports",
    _OLD_POOLS,
)
_WEBHOOKS = "config/webhook/llmisvc/manifests.yaml"


_CHILDREN = (
    ("v1", "ServiceAccount"),
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("v1", "Pod"),
    ("apps/v1", "Deployment"),
    ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
    ("inference.networking.k8s.io/v1", "InferencePool"),
    ("inference.networking.x-k8s.io/v1alpha2", "InferencePool"),
    ("gateway.networking.k8s.io/v1", "HTTPRoute"),
    ("gateway.networking.k8s.io/v1", "Gateway"),
    ("gateway.networking.k8s.io/v1", "GatewayClass"),
    ("serving.kserve.io/v1alpha2", "LLMInferenceServiceConfig"),
    ("serving.kserve.io/v1alpha2", "LLMInferenceService"),
)
_SCALING = (
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("keda.sh/v1alpha1", "ScaledObject"),
    ("llmd.ai/v1alpha1", "VariantAutoscaling"),
)


def watched(release: KServe) -> Watched:
    """Return what is looked at while the controller of a release works."""
    scaling = _SCALING if release >= KServe.V0_18 else ()
    return Watched("LLMInferenceService", (*_CHILDREN, *scaling), phases=(1,))


def definitions(release: KServe) -> list[Json]:
    """Return the CRDs of a release and of what its controller makes."""
    return [each for bundle in _bundles(release) for each in crds.documents(bundle)]


def _bundles(release: KServe) -> Iterator[Bundle]:
    modules = MODULES[release]
    yield modules.of_kserve(
        f"{_OWN}llminferenceservices.yaml", f"{_OWN}llminferenceserviceconfigs.yaml"
    )
    yield from neighbours(modules)
    if not modules.old_pools:
        yield modules.of_kserve("test/crds/gateway-inference-extension-v1alpha2pool.yaml")
    if release >= KServe.V0_18:
        yield modules.of_kserve("test/crds/wva_variantautoscalings.yaml")
        yield modules.of_kserve("test/crds/keda.yaml", only=("scaledobjects.keda.sh",))
        yield modules.of_kserve(
            *(f"{_LOCAL}{name}.yaml" for name in ("localmodelcaches", "localmodelnamespacecaches"))
        )


def neighbours(modules: Modules) -> Iterator[Bundle]:
    """Yield the CRDs of gateways, pools and groups, in the versions that the controller itself is built with."""
    yield gateways(modules)
    pools = _POOLS if modules.old_pools else tuple(name for name in _POOLS if name != _OLD_POOLS)
    yield Bundle(
        "sigs.k8s.io/gateway-api-inference-extension",
        modules.extension,
        tuple(f"{_POOL}{name}.yaml" for name in pools),
    )
    yield Bundle(
        "sigs.k8s.io/lws",
        modules.groups,
        ("config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml",),
    )


def gateways(modules: Modules) -> Bundle:
    """Return the CRDs of gateways and routes."""
    names = ("gatewayclasses", "gateways", "httproutes")
    files = tuple(f"{_GATEWAY}{name}.yaml" for name in names)
    return Bundle("sigs.k8s.io/gateway-api", modules.gateway, files)


def plane(programs: Programs, release: KServe, environment: Mapping[str, str]) -> Plane:
    """Return a plane for the controller of a release."""
    webhooks = crds.documents(MODULES[release].of_kserve(_WEBHOOKS))
    return Plane(programs, definitions(release), webhooks, environment, ("--metrics-secure=false",))
