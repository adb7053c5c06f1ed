# SPDX-License-Identifier: GPL-3.0-or-later
"""Merging one spec over another, as KServe's controller does. Source: KServe pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ....kube.go_url import go_url
from ....kube.manifest import Json
from ....kube.pod_merge_keys import POD_SPEC, as_go_writes
from ....kube.release import Since
from ....kube.strategic_merge import MergeError, Shape, merge
from ...kserve.releases import KServe
from ..errors import Unbuildable

_WORKLOAD = {"template": POD_SPEC, "worker": POD_SPEC}
_SCHEDULER = Shape(
    inner={
        "template": POD_SPEC,
        "config": Shape(inner={"inline": Shape(raw="RawExtension")}),
        "tokenizer": Shape(inner={"template": POD_SPEC}),
    }
)
SPEC = Shape(
    inner={
        **_WORKLOAD,
        "prefill": Shape(inner=_WORKLOAD),
        "router": Shape(inner={"scheduler": _SCHEDULER}),
    }
)
#: Whether a scheduler's template without `containers` takes the preset's away.
_BARE_TEMPLATE_WIPES: Since[bool] = Since({KServe.V0_17: True, KServe.V0_19: False})
_CONTAINER_LISTS = ("containers", "initContainers")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def written(spec: Json) -> Json:
    """Return a spec as Kubernetes' Go types write it."""
    out: Json = as_go_writes(spec)
    uri = (out.get("model") or {}).get("uri")
    if isinstance(uri, str):
        # One that Go cannot read keeps the controller from reading any preset; whoever takes presets from files has it as it is.
        with suppress(ValueError):
            out["model"] = {**out["model"], "uri": go_url(uri)}
    return out


def merged(specs: Sequence[Json], release: KServe) -> Json:
    """Return specs merged, the first the weakest. Each as `written` gives it. Raises Unbuildable."""
    result: Json = {}
    for spec in specs:
        try:
            result = merge(result, _patch(spec, release), SPEC)
        except MergeError as error:
            raise Unbuildable(
                f"failed to merge specs: could not apply merge patch: {error}",
                path="spec.baseRefs",
                advice="set this in one of the presets or in the service, not in two",
                rule="preset-merge",
            ) from None
    return result


def _patch(spec: Json, release: KServe) -> Json:
    """Return a spec as it lies over another: what Go always writes takes away what it does not name.

    A probe by gRPC without `service`, and a scheduler's template without `containers`, are such.
    """
    template = ((spec.get("router") or {}).get("scheduler") or {}).get("template")
    wipes = _BARE_TEMPLATE_WIPES.at(release)
    if wipes and isinstance(template, dict) and "containers" not in template:
        scheduler = {**spec["router"]["scheduler"], "template": {**template, "containers": None}}
        spec = {**spec, "router": {**spec["router"], "scheduler": scheduler}}
    return _with_probe_services(spec, SPEC)


def _with_probe_services(part: Json, shape: Shape) -> Json:
    changed = {}
    for name, inner in shape.inner.items():
        value = part.get(name)
        if isinstance(value, dict):
            changed[name] = _pod(value) if inner is POD_SPEC else _with_probe_services(value, inner)
    return {**part, **changed} if changed else part


def _pod(pod: Json) -> Json:
    lists = {
        name: [_container(container) for container in pod[name]]
        for name in _CONTAINER_LISTS
        if isinstance(pod.get(name), list)
    }
    return {**pod, **lists}


def _container(container: Any) -> Any:
    if not isinstance(container, dict):
        return container
    probes = {
        name: {**container[name], "grpc": {"service": None, **container[name]["grpc"]}}
        for name in _PROBES
        if isinstance(container.get(name), dict) and isinstance(container[name].get("grpc"), dict)
    }
    return {**container, **probes} if probes else container
