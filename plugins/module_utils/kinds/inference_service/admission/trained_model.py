# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's webhook refuses of a TrainedModel; without it a server finds out.

Source: KServe pkg/apis/serving/v1alpha1/trainedmodel_webhook.go, pkg/agent/storage/provider.go@v0.17.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....kube.manifest import Json, value_at
from ....kube.problem import Problem
from ....kube.quantity import parse_quantity
from ....kube.schema_faults import show

_RULE = "trained-model"
_NAME = re.compile("[a-zA-Z0-9_-]+")
#: Where the agent beside a server fetches models from.
_FETCHED = ("s3://", "gs://", "https://", "http://")
_MEMORY = ("spec", "model", "memory")


def memory_doubts(model: Json) -> Iterator[Problem]:
    """Yield an amount of memory that no model takes: KServe adds up the amounts to see which models a server has room for."""
    given = str(value_at(model, _MEMORY))
    if parse_quantity(given) <= 0:
        message = f"{show(given)} is no amount of memory, and KServe adds the amounts up against the server's; write what the model takes, for example 1Gi"
        yield Problem("spec.model.memory", message, "warning", rule=_RULE)


def trained_model_problems(model: Json, before: Json | None = None) -> Iterator[Problem]:
    """Yield why the webhook would refuse a TrainedModel. before: as it is in the cluster."""
    name, uri = str(model["metadata"]["name"]), str(model["spec"]["model"]["storageUri"])
    if not _NAME.fullmatch(name):
        message = f'{show(name)} may hold letters, digits, "-" and "_" only; rename the model'
        yield Problem("metadata.name", message, rule=_RULE)
    if not uri.startswith(_FETCHED):
        message = f"{show(uri)} begins with none of {', '.join(_FETCHED)}; servers load a TrainedModel from nowhere else"
        yield Problem("spec.model.storageUri", message, rule=_RULE)
    now, was = value_at(model, _MEMORY), value_at(before or {}, _MEMORY)
    if was is not None and parse_quantity(was) != parse_quantity(now):
        message = (
            f"it cannot change from {was} to {now}; delete the model first, or create another one"
        )
        yield Problem("spec.model.memory", message, rule=_RULE)
