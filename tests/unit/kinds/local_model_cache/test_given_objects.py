# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that a cache is rendered beside, and that no API server would hold, are told at their field."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json, put_at
from tests.objects import thing
from tests.unit.modules.task import run

from .build import cache, configured, group, node, service

EXPRESSIONS = ("spec", "persistentVolumeSpec", "nodeAffinity", "required", "nodeSelectorTerms")


def changed(made: Json, path: tuple[str, ...], value: Any) -> Json:
    """Return an object with another value somewhere."""
    put_at(made, path, value)
    return made


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (changed(group(), ("spec", "storageLimit"), "lots"), "spec.storageLimit"),
        (
            changed(group(), ("spec", "persistentVolumeSpec", "capacity"), {"storage": "x"}),
            "spec.persistentVolumeSpec.capacity.storage",
        ),
        (
            changed(
                group(),
                ("spec", "persistentVolumeClaimSpec", "resources"),
                {"requests": {"storage": "x"}},
            ),
            "spec.persistentVolumeClaimSpec.resources.requests.storage",
        ),
        (
            changed(group(), EXPRESSIONS, [{"matchExpressions": [{"key": "pool"}]}]),
            "nodeSelectorTerms[0].matchExpressions[0].operator",
        ),
        (changed(service(), ("spec", "predictor", "model"), "x"), "spec.predictor.model"),
        (changed(service(), ("spec", "predictor"), {"sklearn": []}), "spec.predictor.sklearn"),
        (
            changed(service(), ("spec", "predictor"), {"containers": [{"env": "x"}]}),
            "spec.predictor.containers[0].env",
        ),
        (
            thing("serving.kserve.io/v1alpha2", "LLMInferenceService", "a", "b", spec={"model": 1}),
            "spec.model",
        ),
    ],
)
def test_an_object_that_cannot_be_is_told_at_its_field(given: Json, path: str) -> None:
    rest = [configured(), node(), *([] if given["kind"] == "LocalModelNodeGroup" else [group()])]
    result = run(state="rendered", services=[cache()], cluster_objects=[*rest, given])
    assert result["failed"]
    assert path in result["msg"]
