# SPDX-License-Identifier: GPL-3.0-or-later
"""What an apply leaves behind is named with whoever holds it."""

from __future__ import annotations

import pytest

from module_utils.engine.stale_fields import stale_fields
from module_utils.kube.manifest import Json

#: We hold the replicas, and a container with its image and one variable.
OURS: Json = {
    "f:spec": {
        "f:replicas": {},
        "f:containers": {
            'k:{"name":"main"}': {
                ".": {},
                "f:name": {},
                "f:image": {},
                "f:env": {'k:{"name":"A"}': {".": {}, "f:name": {}, "f:value": {}}},
            }
        },
    }
}
WANTED: Json = {
    "replicas": 1,
    "containers": [{"name": "main", "image": "x", "env": [{"name": "A", "value": "1"}]}],
}


def _left(spec: Json, theirs: Json) -> str:
    entries = [
        {"manager": "modelops.inference", "operation": "Apply", "fieldsV1": OURS},
        {"manager": "autopilot", "operation": "Apply", "fieldsV1": theirs},
    ]
    manifest = {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "x"}, "spec": spec}
    return stale_fields(manifest, {"metadata": {"managedFields": entries}})


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        (WANTED, ""),
        ({"containers": WANTED["containers"]}, "spec.replicas stays"),
        (
            {**WANTED, "containers": [{"name": "main", "image": "x"}]},
            "spec.containers[name=main].env[name=A].name, spec.containers[name=main].env[name=A].value stays",
        ),
        ({"replicas": 1, "containers": []}, "spec.containers[name=main].env[name=A].name"),
    ],
)
def test_field_that_another_manager_holds_too_stays(spec: Json, named: str) -> None:
    found = _left(spec, OURS)
    assert found.startswith(named)
    assert ("autopilot" in found) is bool(named)


def test_field_that_is_ours_alone_goes() -> None:
    assert _left({"containers": WANTED["containers"]}, {"f:spec": {"f:paused": {}}}) == ""
