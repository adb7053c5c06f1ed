# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that a service cannot have. Source: KServe pkg/constants/constants.go, pkg/apis/serving/v1beta1/inference_service_validation.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.names import LABEL_LENGTH, check_dns_label, quoted
from ....kube.problem import Problem
from ...kserve.modes import STANDARD
from .. import names
from ..spec import InferenceService

#: What the value of the label `app` begins with, in Standard mode.
_APP = "isvc."


def name_problems(name: str) -> Iterator[Problem]:
    """Yield why no service can have a name."""
    fault = check_dns_label(name) if name else None
    if fault:
        yield Problem("metadata.name", fault, rule="name")


def length_problems(service: InferenceService, mode: str) -> Iterator[Problem]:
    """Yield why a name is too long for the objects of its components. Hosts are looked at where they are made."""
    for role in service.roles:
        longest, what = names.component(service.name, role), "the name of a Service"
        if mode == STANDARD:
            longest, what = f"{_APP}{longest}", "the value of the label app"
        if role == "predictor" and service.spec["predictor"].get("workerSpec") is not None:
            longest = f"{_APP}{names.workers(service.name)}"
        over = len(longest) - LABEL_LENGTH
        if over > 0:
            yield Problem(
                "metadata.name",
                f"{quoted(service.name)} is too long: {quoted(longest)}, {what}, has {len(longest)} characters, at most "
                f"{LABEL_LENGTH} are allowed; make the name {over} shorter",
                rule="name-length",
            )
