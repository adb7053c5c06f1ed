# SPDX-License-Identifier: GPL-3.0-or-later
"""What is left out takes the value that API server and operator give it."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.model_service.normalise import load

from .build import document, problems, service, settings


def test_smallest_service() -> None:
    made = service()
    assert (made.model.mount_path, made.engine.port) == ("/models", 8000)
    assert (made.decode.replicas, made.decode.tensor, made.decode.resources) == (None, 1, {})
    assert (made.prefill, made.routing_proxy, made.pool, made.route, made.pod_monitor) == (
        None,
    ) * 5


def test_empty_blocks_count_as_set() -> None:
    made = service(
        prefill={},
        routingProxy={},
        inferencePool={"endpointPicker": {}},
        monitoring={"podMonitor": {}},
    )
    assert made.prefill
    assert made.routing_proxy
    assert made.pool
    assert made.pod_monitor
    assert (made.routing_proxy.connector, made.routing_proxy.target_port) == ("nixlv2", 8200)
    assert (made.pool.port, made.pool.replicas, made.pool.failure_mode) == (9002, 1, "FailOpen")
    assert (made.pod_monitor.enabled, made.pod_monitor.port_name) == (False, "http")
    assert (made.pod_monitor.path, made.pod_monitor.interval) == ("/metrics", "30s")


def test_null_blocks_are_absent() -> None:
    made = service(prefill=None, inferencePool=None, monitoring=None)
    assert (made.prefill, made.pool, made.pod_monitor) == (None, None, None)
    assert set(made.document["spec"]) == {"model", "engine", "accelerator", "decode"}


def test_empty_texts_and_maps_are_absent() -> None:
    made = service(
        model={"name": "a", "image": "b", "mountPath": "", "imagePullSecrets": []},
        engine={
            "image": "",
            "imagePullPolicy": "",
            "env": [{"name": "EMPTY", "value": ""}],
            "args": [""],
        },
        routingProxy={"connector": ""},
        inferencePool={"endpointPicker": {"resources": {"limits": {}}}},
        monitoring={"podMonitor": {"enabled": True, "portName": "", "path": "", "interval": ""}},
    )
    assert made.model.mount_path == "/models"
    assert (made.engine.image, made.engine.image_pull_policy) == (None, None)
    assert made.engine.env == ({"name": "EMPTY"},)
    assert made.engine.args == ("",)
    assert made.routing_proxy
    assert made.routing_proxy.connector == "nixlv2"
    assert made.pool
    assert made.pool.resources is None
    assert made.pod_monitor
    assert made.pod_monitor.port_name == "http"


def test_empty_values_of_free_maps_stay() -> None:
    assert service(decode={"nodeSelector": {"gpu": ""}}).decode.node_selector == {"gpu": ""}


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("1024Mi", "1Gi"),
        ("0.5Ti", "512Gi"),
        ("32.50", "32500m"),
        (137438953472, "137438953472"),
        ("1e12", "1e12"),
    ],
)
def test_quantities_take_their_canonical_form(given: Any, canonical: str) -> None:
    made = service(decode={"resources": {"limits": {"ephemeral-storage": given}}})
    assert made.decode.resources == {"limits": {"ephemeral-storage": canonical}}


@pytest.mark.parametrize(
    ("given", "read"),
    [({}, None), ({"replicas": None}, None), ({"replicas": 0}, 0), ({"replicas": 1}, 1)],
)
def test_replicas_that_nobody_gave_are_left_to_an_autoscaler(
    given: dict[str, Any], read: int | None
) -> None:
    assert service(decode=given).decode.replicas == read


def test_divisor_is_written_as_the_operator_writes_it() -> None:
    made = service(
        engine={
            "env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}]
        }
    )
    assert made.engine.env[0]["valueFrom"] == {
        "resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}
    }


def test_repeated_pull_secret_is_kept_once() -> None:
    made = service(
        model={"name": "a", "image": "b", "imagePullSecrets": [{"name": "x"}, {"name": "x"}]}
    )
    assert made.model.image_pull_secrets == ("x",)


def test_annotations_belong_to_the_later_release() -> None:
    given = document(decode={"annotations": {"a": "b"}})
    assert not [p for p in problems(given, settings("1.0.1")) if p.severity == "error"]


def test_exported_object_is_read_as_its_author_wrote_it() -> None:
    given = document()
    given["metadata"] |= {
        "uid": "1",
        "resourceVersion": "2",
        "generation": 3,
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "managedFields": [],
        "finalizers": ["model.otterscale.io/epp-cluster-rbac"],
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "mine": "yes"},
    }
    given["status"] = {"phase": "Ready"}
    loaded = load(given, settings())
    assert loaded.service is not None
    applied = loaded.service.document
    assert applied["metadata"] == {
        "name": "chat",
        "namespace": "team-a",
        "annotations": {"mine": "yes"},
    }
    assert set(applied) == {"apiVersion", "kind", "metadata", "spec"}
