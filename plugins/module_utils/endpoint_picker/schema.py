# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of an EndpointPickerConfig in each generation of the loader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from .releases import Generation

#: A `switch` that is off is as if it were not given; a `bool` is kept. `duration` takes null for "not set", `set-duration`
#: does not; `strings` is a list, `map` a map of texts, `object` any map.
Leaf = Literal[
    "string",
    "bool",
    "switch",
    "int",
    "number",
    "duration",
    "set-duration",
    "quantity",
    "strings",
    "any",
    "map",
    "object",
]


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of objects with these fields."""

    fields: Mapping[str, Field]


Fields = Mapping[str, "Field"]
Field: TypeAlias = "Leaf | ListOf | Fields"


@cache
def fields_of(generation: Generation) -> Fields:
    """Return the top-level fields that a generation reads, with what is below them."""
    g = Generation
    reference: Fields = {"pluginRef": "string"}
    fields: dict[str, Field] = {
        "apiVersion": "string",
        "kind": "string",
        "plugins": ListOf({"name": "string", "type": "string", "parameters": "any"}),
        "schedulingProfiles": ListOf(
            {
                "name": "string",
                "plugins": ListOf(
                    {**reference, "weight": "int" if generation <= g.V1_3 else "number"}
                ),
            }
        ),
    }
    if generation >= g.V1_2:
        fields["featureGates"] = "strings"
    if g.V1_2 <= generation <= g.V0_10:
        fields["saturationDetector"] = _thresholds() if generation <= g.V1_4 else reference
    sources: Fields = {"sources": ListOf({**reference, "extractors": ListOf(reference)})}
    if g.V1_3 <= generation <= g.V1_4:
        fields["data"] = sources
    if generation >= g.V1_5:
        fields["dataLayer"] = _data_layer(sources, generation)
    if g.V1_5 <= generation <= g.V0_10:
        fields["parser"] = reference
    if generation >= g.V0_6:
        fields["flowControl"] = _flow_control(generation)
    if generation >= g.V0_9:
        fields["requestHandler"] = {"parsers": ListOf(reference)}
    return fields


def _thresholds() -> Fields:
    return {
        "queueDepthThreshold": "int",
        "kvCacheUtilThreshold": "number",
        "metricsStalenessThreshold": "set-duration",
    }


def _data_layer(sources: Fields, generation: Generation) -> Fields:
    fields = dict(sources)
    if generation >= Generation.V0_9:
        fields |= {"injectDefaults": "bool", "discovery": {"pluginRef": "string"}}
    if generation >= Generation.V0_10:
        fields |= {
            "crossReplicaSyncerPluginRef": "string",
            "crossReplicaSyncInterval": "duration",
        }
    if generation >= Generation.V0_11:
        fields |= {"discovery": "object", "crossReplica": "object"}
    return fields


def _flow_control(generation: Generation) -> Fields:
    quantities = generation >= Generation.V1_5
    size: Leaf = "quantity" if quantities else "int"
    band: dict[str, Field] = {"priority": "int", "maxBytes": size}
    if generation >= Generation.V1_4:
        band |= {"fairnessPolicyRef": "string", "orderingPolicyRef": "string"}
    fields: dict[str, Field] = {
        "maxBytes": size,
        "defaultRequestTTL": "duration",
        "defaultPriorityBand": band,
        "priorityBands": ListOf(band),
    }
    if quantities:
        band["maxRequests"] = "quantity"
        fields |= {"maxRequests": "quantity", "usageLimitPolicyPluginRef": "string"}
    if generation >= Generation.V0_9:
        fields |= {
            "defaultNegativePriorityBand": band,
            "saturationDetector": {"pluginRef": "string"},
        }
    if generation >= Generation.V0_10:
        fields["enableEviction"] = "switch"
    if generation >= Generation.V0_11:
        fields["noEndpointRequestTTL"] = "duration"
    return fields


def has_field(fields: Fields, steps: Iterable[str]) -> bool:
    """Whether fields have one below these steps."""
    field: Field = fields
    for step in steps:
        below = field.fields if isinstance(field, ListOf) else field
        if not isinstance(below, Mapping) or step not in below:
            return False
        field = below[step]
    return True
