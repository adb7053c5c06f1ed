# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that a service cannot have. Source: KServe pkg/constants/constants.go, pkg/apis/serving/v1beta1/inference_service_validation.go@v0.17.0."""

from __future__ import annotations

from collections.abc import Iterator

from ....kube.manifest import Json, value_at
from ....kube.names import LABEL_LENGTH, check_dns_label, quoted
from ....kube.problem import Problem
from ...kserve.modes import STANDARD
from .. import names
from ..canaries import canaries
from ..implementations import storage_uri
from ..spec import InferenceService

#: What the value of the label `app` begins with, in Standard mode.
_APP = "isvc."
_LABEL = "the value of the label app"


def name_problems(name: str) -> Iterator[Problem]:
    """Yield why no service can have a name."""
    fault = check_dns_label(name) if name else None
    if fault:
        yield Problem("metadata.name", fault, rule="name")


def name_change(service: InferenceService, live: Json | None) -> Problem | None:
    """Return why the name of a predictor may not change, None where it may: KServe takes that for a new version of the model."""
    before: Json = value_at(live or {}, ("spec", "predictor")) or {}
    wanted = service.spec["predictor"]
    if not before or (before.get("name") or "") == (wanted.get("name") or ""):
        return None
    if (storage_uri(before, "predictor") or "") != (storage_uri(wanted, "predictor") or ""):
        return None
    message = (
        f"{quoted(wanted.get('name') or '')}: predictor.name change requires a model change (e.g. storageUri), so KServe refuses it; "
        f"keep {quoted(before.get('name') or '')}, or change the model as well"
    )
    return Problem("spec.predictor.name", message, rule="predictor-name")


def length_problems(service: InferenceService, mode: str) -> Iterator[Problem]:
    """Yield why a name is too long for the objects of its components. Hosts are looked at where they are made."""
    for canary in canaries(service):
        yield from _too_long(service.name, f"{_APP}{canary.name}", _LABEL)
    for role in service.roles:
        longest, what = service.component_name(role), "the name of a Service"
        if mode == STANDARD:
            longest, what = f"{_APP}{longest}", _LABEL
        if role == "predictor" and service.spec["predictor"].get("workerSpec") is not None:
            longest = f"{_APP}{names.workers(service.name)}"
        yield from _too_long(service.name, longest, what)


def _too_long(name: str, longest: str, what: str) -> Iterator[Problem]:
    over = len(longest) - LABEL_LENGTH
    if over > 0:
        yield Problem(
            "metadata.name",
            f"{quoted(name)} is too long: {quoted(longest)}, {what}, has {len(longest)} characters, at most "
            f"{LABEL_LENGTH} are allowed; make the name {over} shorter",
            rule="name-length",
        )
