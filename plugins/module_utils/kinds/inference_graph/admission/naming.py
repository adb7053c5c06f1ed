# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that a graph cannot have. Source: KServe pkg/apis/serving/v1alpha1/inference_graph_validation.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.names import LABEL_LENGTH, check_dns_label, quoted
from ....kube.problem import Problem
from .. import labels


def name_problems(name: str) -> Iterator[Problem]:
    """Yield why no graph can have a name, and why it is too long for the label of its pods."""
    fault = check_dns_label(name) if name else None
    if fault:
        yield Problem("metadata.name", fault, rule="name")
        return
    (value,) = labels.app(name).values()
    over = len(value) - LABEL_LENGTH
    if over > 0:
        yield Problem(
            "metadata.name",
            f"{quoted(name)} is too long: {quoted(value)}, the value of the label app, has {len(value)} characters, at most "
            f"{LABEL_LENGTH} are allowed; make the name {over} shorter",
            rule="name-length",
        )
