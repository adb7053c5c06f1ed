# SPDX-License-Identifier: GPL-3.0-or-later
"""From a service to its components. Source: KServe pkg/controller/v1beta1/inferenceservice/components/@v0.17.0."""

from __future__ import annotations

from dataclasses import replace

from ....kube.manifest import Json
from ....kube.reader import Reader
from ...kserve.modes import STANDARD
from ...kserve.storage.refused import StorageRefused
from ...kserve.storage.spec_secret import StorageSpec
from ..errors import RECONCILE_FAILED, Unbuildable
from ..resolved import Resolved
from .canary import beside_canaries, canary_components
from .component import Component, Components
from .explainer import explainer
from .predictor import predictor
from .storage.context import Surroundings
from .storage.several_models import with_several_models
from .transformer import transformer


def components(resolved: Resolved, reader: Reader) -> Components:
    """Return all components of a service. Raises Unbuildable."""
    served = predictor(resolved, reader)
    beside = canary_components(resolved, reader)
    found = [beside_canaries(served.component, beside)]
    if resolved.service.component("transformer") is not None:
        found.append(transformer(resolved, reader, served.labels))
    if resolved.service.component("explainer") is not None:
        found.append(explainer(resolved, reader, served.labels))
    items = tuple(_with_models(component, resolved, reader) for component in found)
    beside = tuple(_with_models(component, resolved, reader) for component in beside)
    return Components(items, served.runtime, served.labels, beside)


def _with_models(component: Component, resolved: Resolved, reader: Reader) -> Component:
    """Return a component whose pods have the models of `storageUris`; a single model is the pod webhook's part. Raises Unbuildable."""
    uris = component.spec.get("storageUris")
    if not uris:
        return component
    around = _around(component, resolved, reader)
    try:
        return _fetching(component, uris, around, resolved)
    except StorageRefused as error:
        if resolved.mode != STANDARD:
            # The controller continues without the models; pod_advice tells.
            return component
        raise _refused(error, component) from None


def models_refused(
    component: Component, resolved: Resolved, reader: Reader
) -> StorageRefused | None:
    """Return what keeps the models of `storageUris` from a component's pods, None where they are there or none are wanted."""
    uris = component.spec.get("storageUris")
    if not uris:
        return None
    try:
        _fetching(component, uris, _around(component, resolved, reader), resolved)
    except StorageRefused as error:
        return error
    return None


def _around(component: Component, resolved: Resolved, reader: Reader) -> Surroundings:
    return Surroundings(
        namespace=resolved.service.namespace,
        annotations=component.annotations,
        config=resolved.config,
        kserve_namespace=resolved.settings.kserve_namespace,
        reader=reader,
        release=resolved.settings.release,
        storage=_storage_spec(resolved),
        template=True,
    )


def _fetching(
    component: Component, uris: list[Json], around: Surroundings, resolved: Resolved
) -> Component:
    """Return a component whose pods fetch their models. Raises StorageRefused."""
    named = component.spec.get("storageContainerName") or ""
    done = replace(component, pod=with_several_models(component.pod, uris, around, named))
    workers = component.workers
    if workers is None or resolved.mode != STANDARD:
        return done
    there = replace(around, annotations=workers.annotations)
    pod = with_several_models(workers.pod, uris, there, named)
    return replace(done, workers=replace(workers, pod=pod))


def _refused(error: StorageRefused, component: Component) -> Unbuildable:
    failed = f"fails to create NewRawKubeReconciler for {component.role}"
    return Unbuildable(
        f"{failed}: {error.message}",
        role=component.role,
        reason=RECONCILE_FAILED,
        path=f"{component.field}.{error.field}",
        advice=error.advice,
        rule="storage-uris",
    )


def _storage_spec(resolved: Resolved) -> StorageSpec | None:
    """Return what the predictor says about its storage, where it names both a key and parameters."""
    model: Json = resolved.service.spec["predictor"].get("model") or {}
    storage = model.get("storage") or {}
    key, parameters = storage.get("key"), storage.get("parameters")
    return None if key is None or parameters is None else StorageSpec(key, parameters)
