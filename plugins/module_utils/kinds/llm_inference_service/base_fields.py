# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of a baseRef that KServe's CRD does not know: the API server drops them when the baseRef is created."""

from __future__ import annotations

from collections.abc import Iterator

from ...kube.manifest import Json
from ...kube.problem import Problem
from ...kube.reader import Reader
from ...kube.reference import Reference
from ...kube.schema_check import check as schema_check
from ..check import WARNING, Check, check
from ..view import ServiceView
from .replaced_lists import Layer, layers
from .resolved import Resolved
from .schema import config_schema
from .spec import API_VERSION, CONFIG_KIND

UNKNOWN = Check(
    "base-field",
    WARNING,
    finds="{base}: {field}: {problem}",
    fix="correct it there: the API server drops it",
)


@check(UNKNOWN, reads=("LLMInferenceServiceConfigs",), costly=True)
def unknown_field(view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield unknown fields of given baseRefs. What a cluster stores has none."""
    resolved: Resolved = view.basis
    if reader.complete:
        return
    schema = config_schema(resolved.settings.release)
    for layer in layers(resolved):
        given = _as_written(layer, reader) if layer.named else {}
        for each in schema_check(schema, given, "spec").problems:
            if each.rule == "unknown-field":
                yield UNKNOWN.at(
                    layer.named, base=layer.name, field=each.path, problem=each.message
                )


def _as_written(layer: Layer, reader: Reader) -> Json:
    """Return the spec of a baseRef with all that its author wrote, empty where it is of another version."""
    namespace, dummy, name = layer.name.rpartition(" ")[2].partition("/")
    found = reader.get(Reference(API_VERSION, CONFIG_KIND, namespace, name)) or {}
    return (found.get("spec") or {}) if found.get("apiVersion") == API_VERSION else {}
