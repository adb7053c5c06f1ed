# SPDX-License-Identifier: GPL-3.0-or-later
"""What the statuses of all kinds of KServe hold: conditions and addresses."""

from __future__ import annotations

from ...kube.schema import ListOf, Object, Text

CONDITIONS = ListOf(
    description="Statements, by type.",
    items=Object(
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
    ),
)


def address(description: str, name: str) -> Object:
    """Return the schema of an address. name: what its `name` says."""
    return Object(
        description=description,
        fields={
            "name": Text(description=name),
            "url": Text(description="The address."),
            "CACerts": Text(description="Never set."),
            "audience": Text(description="Never set."),
        },
    )
