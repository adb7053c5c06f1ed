# SPDX-License-Identifier: GPL-3.0-or-later
"""A port that somebody renumbered is given its number back before the apply."""

from __future__ import annotations

import pytest

from module_utils.engine.ports import renumbered
from module_utils.kube.manifest import Json

TEST = {"op": "test", "path": "/metadata/resourceVersion", "value": "7"}


def service(*ports: Json) -> Json:
    return {"kind": "Service", "metadata": {"resourceVersion": "7"}, "spec": {"ports": list(ports)}}


def deployment(*ports: Json) -> Json:
    containers = [{"name": "side"}, {"name": "vllm", "ports": list(ports)}]
    spec = {"template": {"spec": {"containers": containers}}}
    return {"kind": "Deployment", "metadata": {"resourceVersion": "7"}, "spec": spec}


GRPC = {"name": "grpc", "port": 9002, "protocol": "TCP"}
HTTP = {"name": "http", "containerPort": 8000}


@pytest.mark.parametrize(
    ("wanted", "live", "path"),
    [
        (service(GRPC), service({"name": "grpc", "port": 1, "protocol": "TCP"}), "/spec/ports/0"),
        (service(GRPC), service({"name": "x", "port": 2}, {"name": "grpc", "port": 9002, "protocol": "UDP"}), "/spec/ports/1"),
        (deployment(HTTP), deployment({"name": "http", "containerPort": 1}), "/spec/template/spec/containers/1/ports/0"),
    ],
)  # fmt: skip
def test_renumbered_port_is_replaced_by_ours(wanted: Json, live: Json, path: str) -> None:
    ours = GRPC if wanted["kind"] == "Service" else HTTP
    assert renumbered(wanted, live) == [TEST, {"op": "replace", "path": path, "value": ours}]


@pytest.mark.parametrize(
    ("wanted", "live"),
    [
        (service(GRPC), service(GRPC)),
        (service(GRPC), service({"name": "grpc", "port": 9002})),
        (service(GRPC), service({"name": "other", "port": 1})),
        (service(GRPC), service()),
        ({**service(GRPC), "kind": "HTTPRoute"}, service({"name": "grpc", "port": 1})),
    ],
)
def test_nothing_else_is_patched(wanted: Json, live: Json) -> None:
    assert renumbered(wanted, live) == []


def test_port_that_is_still_ours_is_left_to_the_apply() -> None:
    old = {"name": "grpc", "port": 9000, "protocol": "TCP"}
    live = service(old)
    key = 'k:{"port":9000,"protocol":"TCP"}'
    owned = {"f:spec": {"f:ports": {key: {".": {}, "f:name": {}}}}}
    entry = {"manager": "modelops.inference", "operation": "Apply", "fieldsV1": owned}
    live["metadata"]["managedFields"] = [entry]
    assert renumbered(service(GRPC), live) == []
