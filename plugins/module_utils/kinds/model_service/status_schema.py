# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a ModelService, as its CRD declares it.

Source: github.com/otterscale/api model/v1alpha1/modelservice_types.go@v0.9.0-beta.2, as model-operator v0.9.0-alpha.2 uses it.
"""

from __future__ import annotations

from ...kube.schema import Integer, ListOf, Object, Text

CONDITION = Object(
    description="One statement about the service.",
    fields={
        "lastTransitionTime": Text(description="When `status` changed last.", format="date-time"),
        "message": Text(description="The statement for people.", max_length=32768, keep_empty=True),
        "observedGeneration": Integer(
            description="Generation that was looked at.", minimum=0, bits=64
        ),
        "reason": Text(
            description="The statement for programs, one word.",
            min_length=1,
            max_length=1024,
            pattern=r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        ),
        "status": Text(
            description="Whether the statement holds.", enum=("True", "False", "Unknown")
        ),
        "type": Text(
            description="What the statement is about.",
            max_length=316,
            pattern=r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
            r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
        ),
    },
    required=("lastTransitionTime", "message", "reason", "status", "type"),
)

STATUS = Object(
    description="What is there.",
    fields={
        "conditions": ListOf(description="Statements, by type.", items=CONDITION, keys=("type",)),
        "decodeReady": Integer(description="Decode pods that are ready."),
        "decodeReplicas": Integer(description="Decode pods that are wanted."),
        "observedGeneration": Integer(description="Generation that was processed last.", bits=64),
        "phase": Text(description="`Pending`, `Running`, `Ready` or `Failed`."),
        "prefillReady": Integer(description="Prefill pods that are ready."),
        "prefillReplicas": Integer(description="Prefill pods that are wanted."),
    },
)
