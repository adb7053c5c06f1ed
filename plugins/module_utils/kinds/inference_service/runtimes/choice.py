# SPDX-License-Identifier: GPL-3.0-or-later
"""Which runtime serves the model of a service, and why the others do not: from the service as it is written, before anything is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....kube.manifest import Json, value_at
from ....kube.reader import Reader
from ...kserve.framework import authors_field, with_model
from ...runtime_choice import Other, RuntimeChoice
from ..canaries import as_service, canaries
from ..errors import Unbuildable
from ..normalise import load
from ..settings import Settings
from .runtime import Runtime
from .select import runtimes_beside, runtimes_passed_over, select_runtime


def runtime_choices(document: Json, settings: Settings, reader: Reader) -> Iterator[RuntimeChoice]:
    """Yield the choice for the predictor of a service, and for each canary that a valid service has; none for containers of its own."""
    own = runtime_choice(document, settings, reader)
    if own is not None:
        yield own
    if not (document.get("spec") or {}).get("canary"):
        return
    service = load(document, settings).service
    if service is None:
        return
    for canary in canaries(service):
        spec = {"predictor": as_service(service, canary, settings.release).spec["predictor"]}
        found = runtime_choice({**document, "spec": spec}, settings, reader)
        if found is not None:
            message = found.message.replace("spec.predictor", f"{canary.field}.predictor", 1)
            yield replace(found, canary=canary.variant, message=message)


def runtime_choice(document: Json, settings: Settings, reader: Reader) -> RuntimeChoice | None:
    """Return the choice for the predictor of a service; None where it has no model, but containers of its own."""
    predictor = with_model(value_at(document, ("spec", "predictor")) or {}, settings.release)
    model, namespace = predictor.get("model"), document["metadata"]["namespace"]
    if model is None:
        return None
    multi_node = predictor.get("workerSpec") is not None
    named = model.get("runtime") is not None
    runtime: Runtime | None = None
    message = ""
    try:
        runtime = select_runtime(model, namespace, reader, multi_node=multi_node)
    except Unbuildable as error:
        problem = error.problem
        message = f"{authors_field(problem.path, document)}: {problem.message}"
    look = runtimes_beside if named else runtimes_passed_over
    others = look(model, namespace, reader, multi_node=multi_node)
    return RuntimeChoice(
        runtime.kind if runtime else "",
        runtime.name if runtime else "",
        named,
        tuple(Other(each.kind, each.name, why) for each, why in others),
        message,
    )
