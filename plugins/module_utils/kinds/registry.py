# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of service that the collection knows, by apiVersion and kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..kube import gvk
from .kind import ServiceKind

Key = tuple[str, str]
Load = Callable[[], ServiceKind[Any, Any]]


class Kinds(Mapping[Key, ServiceKind[Any, Any]]):
    """A kind is imported when it is asked for, so that a task pays for the kinds of its own services alone."""

    def __init__(self, kinds: Mapping[Key, Load]) -> None:
        self._kinds = kinds

    def __getitem__(self, key: Key) -> ServiceKind[Any, Any]:
        return self._kinds[key]()

    def __contains__(self, key: object) -> bool:
        return key in self._kinds

    def __iter__(self) -> Iterator[Key]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


def _model_service() -> ServiceKind[Any, Any]:
    from .model_service.kind import MODEL_SERVICE

    return MODEL_SERVICE


def _llm_inference_service() -> ServiceKind[Any, Any]:
    from .llm_inference_service.kind import LLM_INFERENCE_SERVICE

    return LLM_INFERENCE_SERVICE


def _inference_service() -> ServiceKind[Any, Any]:
    from .inference_service.kind import INFERENCE_SERVICE

    return INFERENCE_SERVICE


def _inference_graph() -> ServiceKind[Any, Any]:
    from .inference_graph.kind import INFERENCE_GRAPH

    return INFERENCE_GRAPH


def _local_model_cache() -> ServiceKind[Any, Any]:
    from .local_model_cache.kind import LOCAL_MODEL_CACHE

    return LOCAL_MODEL_CACHE


def _local_model_namespace_cache() -> ServiceKind[Any, Any]:
    from .local_model_cache.kind import LOCAL_MODEL_NAMESPACE_CACHE

    return LOCAL_MODEL_NAMESPACE_CACHE


#: By kind: every apiVersion in which a service may be written, and what gives its functions. `load` brings it to the first, which is stored.
REGISTERED: Mapping[str, tuple[tuple[str, ...], Load]] = {
    "ModelService": (("model.otterscale.io/v1alpha1",), _model_service),
    "LLMInferenceService": (
        ("serving.kserve.io/v1alpha2", gvk.KSERVE_V1ALPHA1),
        _llm_inference_service,
    ),
    "InferenceService": ((gvk.KSERVE_V1BETA1,), _inference_service),
    "InferenceGraph": ((gvk.KSERVE_V1ALPHA1,), _inference_graph),
    "LocalModelCache": ((gvk.KSERVE_V1ALPHA1,), _local_model_cache),
    "LocalModelNamespaceCache": ((gvk.KSERVE_V1ALPHA1,), _local_model_namespace_cache),
}
#: Kinds of objects beside services, which KServe's webhooks judge.
BESIDE = frozenset(
    (gvk.KSERVE_V1ALPHA1, kind)
    for kind in ("ServingRuntime", "ClusterServingRuntime", "TrainedModel")
)
#: By the apiVersion that is stored.
KINDS = Kinds({(versions[0], kind): load for kind, (versions, load) in REGISTERED.items()})
#: By every apiVersion in which a service may be written.
WRITTEN = Kinds(
    {(version, kind): load for kind, (versions, load) in REGISTERED.items() for version in versions}
)
