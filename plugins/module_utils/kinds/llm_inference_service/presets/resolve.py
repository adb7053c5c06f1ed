# SPDX-License-Identifier: GPL-3.0-or-later
"""From a service to what it means once its presets are combined. Source: KServe pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.17.0."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from ....kube.manifest import Json, value_at
from ....kube.reader import GivenObjects, Reader
from ....kube.release import Since
from ...kserve.releases import KServe
from .. import labels, names
from ..admission.field_error import FieldError, refusal
from ..admission.service import create_errors
from ..artifacts.adapters import adapters_of, given_adapters
from ..artifacts.errors import ArtifactError
from ..errors import COMBINE_ERROR, REJECTED, Unbuildable
from ..local_model import with_local_model
from ..managed_devices import managed_devices, with_managed_devices
from ..read_system_config import read_system_config
from ..resolved import Preset, Resolved
from ..settings import Settings
from ..spec import KIND, LlmInferenceService
from ..system_config import SystemConfig
from .context import template_data
from .engine_arguments import asked
from .fetch import fetch, picker_config
from .merge import merged, written
from .model_routing import by_model, with_adapter_rules, without_model_rules
from .route import with_fitted_route
from .selection import preset_names, selected
from .templating import filled_in

#: Whether a pool that names no port of its picker gets the usual one.
_FILLS_PICKER_PORT: Since[bool] = Since({KServe.V0_17: False, KServe.V0_20: True})
#: Whether the controller asks the API of what came of the presets, and says of it what that says.
_ASKS_API: Since[bool] = Since({KServe.V0_17: False, KServe.V0_21: True})


def resolve(service: LlmInferenceService, settings: Settings, reader: Reader) -> Resolved:
    """Return a service with everything that its presets say. Raises Unbuildable, which says what the controller would."""
    config = _config(service, settings, reader)
    if not service.stopped:
        service = with_local_model(service, config, settings, reader)
    status: Json = (reader.get(service.reference) or {}).get("status") or {}
    names_kept = preset_names(settings, status.get("annotations") or {})
    try:
        return _combined(service, status, names_kept, config, settings, reader)
    except Unbuildable as error:
        if not service.stopped:
            raise
        # Whatever is wrong with them, there is enough to take everything away.
        spec = written(service.spec)
        return Resolved(service, spec, config, settings, names_kept, warning=error.message)


def _config(service: LlmInferenceService, settings: Settings, reader: Reader) -> SystemConfig:
    """Return the cluster's configuration; the defaults for a service that is stopped, whatever is wrong with it."""
    try:
        return read_system_config(settings, reader)
    except Unbuildable:
        if not service.stopped:
            raise
        return read_system_config(settings, GivenObjects())


def _combined(
    service: LlmInferenceService,
    status: Json,
    names_kept: Mapping[str, str],
    config: SystemConfig,
    settings: Settings,
    reader: Reader,
) -> Resolved:
    own = _with_model_name(written(service.spec), service.name)
    bases = _bases(own, service, settings, reader)
    detected = merged([own, *(base.spec for base in bases)], settings.release)
    # A base's name for the model wins over the service's own, since it is filled in before the last merge.
    own = _with_model_name(own, value_at(detected, ("model", "name")), replace=True)
    asks = asked(detected)
    presets = [
        fetch(preset, service.namespace, settings, reader, path="", asks=asks)
        for preset in selected(detected, names_kept, settings)
    ]
    layers = [
        *presets,
        *bases,
        Preset(service.subject, own),
    ]
    spec = merged([layer.spec for layer in layers], settings.release)
    spec = _with_defaults(spec, service.name)
    texts = [(layer.name, layer.spec) for layer in layers]
    data = template_data(dataclasses.replace(service, spec=own), status, config, settings, spec)
    spec = written(filled_in(spec, _metadata(service), data, texts, settings.release))
    if not by_model(own, spec, service.namespace, config, settings.release, reader):
        spec = without_model_rules(spec, config.ingress.model_header)
    else:
        names_of_adapters = [each.name for each in given_adapters(spec, settings.release)]
        header = config.ingress.model_header
        spec = with_adapter_rules(
            spec, service.namespace, names_of_adapters, header, settings.release
        )
    spec = with_fitted_route(spec, service.name, settings.release)
    spec = _with_picker_config(spec, service, settings, reader)
    if _FILLS_PICKER_PORT.at(settings.release):
        spec = _with_picker_port(spec)
    applied = (*_applied(presets, "Preset"), *_applied(bases, "UserRef"))
    _validate(spec, service, settings, applied)
    devices = managed_devices(service.annotations, settings.release)
    spec = with_managed_devices(spec, service.name, devices)
    return Resolved(service, spec, config, settings, names_kept, tuple(layers[:-1]), applied)


def _applied(layers: Sequence[Preset], source: str) -> Iterator[Json]:
    """Yield configs of the cluster as a status names them."""
    for each in (layer.reference for layer in layers):
        if each is not None:
            yield {"name": each.name, "namespace": each.namespace, "source": source}


def _validate(
    spec: Json, service: LlmInferenceService, settings: Settings, applied: Sequence[Json]
) -> None:
    errors = create_errors(spec, service.name, "v1alpha2", settings.release)
    if errors:
        asked = _ASKS_API.at(settings.release)
        raise Unbuildable(
            _rejected(errors, applied) if asked else refusal(KIND, service.name, errors),
            reason=REJECTED if asked else COMBINE_ERROR,
            advice="the service by itself is valid, but not together with its presets and baseRefs",
            rule="merged",
        )
    try:
        adapters_of(spec, settings.release)
    except ArtifactError as error:
        raise Unbuildable(
            f"failed to enumerate LoRA adapters: {error.message}",
            path=error.path,
            advice=error.advice,
            rule="adapters",
        ) from None


def _rejected(errors: Sequence[FieldError], applied: Sequence[Json]) -> str:
    """Return the text of the controller where the API refuses what came of the presets."""
    used = ", ".join(f"{one['source']}:{one['namespace']}/{one['name']}" for one in applied)
    told = "; ".join(map(str, errors))
    return f"dry-run validation failed after merging configs [{used}]: {told}"


def _bases(
    own: Json, service: LlmInferenceService, settings: Settings, reader: Reader
) -> list[Preset]:
    return [
        fetch(
            reference.get("name") or "",
            service.namespace,
            settings,
            reader,
            path=f"spec.baseRefs[{number}].name",
        )
        for number, reference in enumerate(own.get("baseRefs") or ())
    ]


def _with_model_name(spec: Json, name: str, *, replace: bool = False) -> Json:
    """Return a spec whose model has a name. replace: this one, whatever it is called so far."""
    model = spec.get("model") or {}
    if model.get("name") and not replace:
        return spec
    return {**spec, "model": {**model, "name": name}}


def _metadata(service: LlmInferenceService) -> Json:
    return {
        "name": service.name,
        "namespace": service.namespace,
        "labels": dict(service.labels),
        "annotations": dict(service.annotations),
    }


def _with_defaults(spec: Json, service: str) -> Json:
    """Return a merged spec whose pool selects the service's pods and whose picker has an account."""
    scheduler = value_at(spec, ("router", "scheduler"))
    if scheduler is None:
        return spec
    pool = value_at(scheduler, ("pool", "spec"))
    if pool is not None and not value_at(pool, ("selector", "matchLabels")):
        selector = {
            **(pool.get("selector") or {}),
            "matchLabels": labels.workload_selector(service),
        }
        pool = {**pool, "selector": selector}
        scheduler = {**scheduler, "pool": {**scheduler["pool"], "spec": pool}}
    template = scheduler.get("template")
    if template is not None and not template.get("serviceAccountName"):
        template = {**template, "serviceAccountName": names.picker_account(service)}
        scheduler = {**scheduler, "template": template}
    return {**spec, "router": {**spec["router"], "scheduler": scheduler}}


def _with_picker_port(spec: Json) -> Json:
    """Return a merged spec whose pool says where its picker listens, as the API demands it of a Service."""
    picker = value_at(spec, ("router", "scheduler", "pool", "spec", "endpointPickerRef"))
    if picker is None or picker.get("kind", "Service") not in ("", "Service"):
        return spec
    if value_at(picker, ("port", "number")):
        return spec
    scheduler = spec["router"]["scheduler"]
    pool = {**scheduler["pool"]["spec"], "endpointPickerRef": {**picker, "port": {"number": 9002}}}
    scheduler = {**scheduler, "pool": {**scheduler["pool"], "spec": pool}}
    return {**spec, "router": {**spec["router"], "scheduler": scheduler}}


def _with_picker_config(
    spec: Json, service: LlmInferenceService, settings: Settings, reader: Reader
) -> Json:
    """Return a merged spec whose picker configuration is in it; one by reference wins over another layer's."""
    scheduler = value_at(spec, ("router", "scheduler")) or {}
    reference = value_at(scheduler, ("config", "ref"))
    if reference is None:
        return spec
    text = picker_config(reference, service.namespace, settings, reader)
    scheduler = {**scheduler, "config": {"inline": text}}
    return {**spec, "router": {**spec["router"], "scheduler": scheduler}}
