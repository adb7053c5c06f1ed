# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of an LLMInferenceService, as its CRD declares it. Source: reference/kserve-llmisvc.md §6.1."""

from __future__ import annotations

from ...kube.core_schema import string_map
from ...kube.schema import Integer, ListOf, Object, Text

_ADDRESS = Object(
    description="Where the service is reached.",
    fields={
        "name": Text(description="Who reaches it: `gateway-external`, `internal` and others."),
        "url": Text(description="The address."),
        "CACerts": Text(description="Never set."),
        "audience": Text(description="Never set."),
    },
)

_CONDITION = Object(
    description="One statement about the service.",
    fields={
        "type": Text(description="What it is about."),
        "status": Text(description="`True`, `False` or `Unknown`."),
        "severity": Text(description="`Info` where it does not count by itself."),
        "lastTransitionTime": Text(description="When it changed last."),
        "reason": Text(description="The statement for programs, one word."),
        "message": Text(description="The statement for people."),
    },
    required=("status", "type"),
)

STATUS = Object(
    description="What is there.",
    fields={
        "url": Text(description="Where the service is reached from outside."),
        "observedGeneration": Integer(description="Generation that was processed last.", bits=64),
        "conditions": ListOf(description="Statements, by type.", items=_CONDITION),
        "annotations": string_map("Which presets the service keeps."),
        "address": _ADDRESS,
        "addresses": ListOf(description="All addresses.", items=_ADDRESS),
    },
)
