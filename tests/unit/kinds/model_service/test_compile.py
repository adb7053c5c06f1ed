# SPDX-License-Identifier: GPL-3.0-or-later
"""A service as a whole: which children it has, in which stage, and that no two of them hang together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from module_utils.kinds.model_service import labels, names
from module_utils.kinds.model_service.compile import CHILDREN
from module_utils.kinds.model_service.compile import compile as compile_service
from module_utils.kinds.model_service.kind import MODEL_SERVICE
from module_utils.kube.intent import Intent, Stage
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects

from .build import service, settings

EVERYTHING: Json = {
    "prefill": {"resources": {"limits": {"memory": "8Gi"}}},
    "decode": {"resources": {"limits": {"memory": "8Gi"}}},
    "engine": {
        "env": [{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
        "args": ["--enable-prefix-caching"],
    },
    "routingProxy": {"secureProxy": False},
    "inferencePool": {"endpointPicker": {"resources": {"limits": {"memory": "1Gi"}}}},
    "httpRoute": {"gatewayRef": {"name": "edge"}, "hostnames": ["chat.example.org"]},
    "monitoring": {"podMonitor": {"enabled": True}},
}


def compiled(**spec: Any) -> Intent:
    return compile_service(service(**spec), settings(), GivenObjects())


def test_smallest_service_has_ten_children_and_the_largest_seventeen() -> None:
    assert len(compiled().children) == 10
    assert len(compiled(**EVERYTHING).children) == len(CHILDREN.made) == 17


def test_names_and_labels_of_every_child_are_those_that_the_filters_tell() -> None:
    found = compiled(**EVERYTHING).children
    called = names.all_names("chat", "team-a")
    sets = labels.all_labels("chat", "v0.9.0-alpha.2", serving_label=True)
    for made, child in zip(CHILDREN.made, found, strict=True):
        assert child.manifest.name == called[made.build.__name__]
        assert child.manifest.labels == sets[made.build.__name__]["object"]
        assert (child.manifest.api_version, child.manifest.kind) == made.of.pair


def test_kind_lists_every_child_kind() -> None:
    kinds = {
        (child.manifest.api_version, child.manifest.kind)
        for child in compiled(**EVERYTHING).children
    }
    assert kinds == set(MODEL_SERVICE.child_kinds)


STAGES = {
    "ServiceAccount": Stage.ACCESS,
    "Role": Stage.ACCESS,
    "ClusterRole": Stage.ACCESS,
    "Secret": Stage.CONFIG,
    "ConfigMap": Stage.CONFIG,
    "RoleBinding": Stage.CONFIG,
    "ClusterRoleBinding": Stage.CONFIG,
    "Service": Stage.SERVICE,
    "Deployment": Stage.WORKLOAD,
    "InferencePool": Stage.ROUTING,
    "HTTPRoute": Stage.ROUTING,
    "DestinationRule": Stage.ROUTING,
    "PodMonitor": Stage.ROUTING,
    "ServiceMonitor": Stage.ROUTING,
}


def test_children_wait_for_what_they_stand_on() -> None:
    found = {child.manifest.kind: child.stage for child in compiled(**EVERYTHING).children}
    assert found == STAGES


def _containers(value: Any) -> Iterator[dict[Any, Any] | list[Any]]:
    if isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from _containers(item)


def test_no_part_is_shared() -> None:
    """YAML would show a shared part as an anchor, and a change to one child would reach another."""
    wanted = service(**EVERYTHING)
    intent = compile_service(wanted, settings(), GivenObjects())
    manifests = [child.manifest.to_dict() for child in intent.children]
    given = [wanted.document, list(wanted.engine.env), wanted.decode.resources]
    parts = [id(part) for part in _containers([*manifests, *given])]
    assert len(parts) == len(set(parts))


def test_compiling_twice_gives_the_same() -> None:
    wanted = service(**EVERYTHING)
    assert compile_service(wanted, settings(), GivenObjects()) == compile_service(
        wanted, settings(), GivenObjects()
    )


def test_manifests_have_no_owner_and_nothing_empty_but_what_means_something() -> None:
    for child in compiled(**EVERYTHING).children:
        manifest = child.manifest.to_dict()
        assert "ownerReferences" not in manifest["metadata"]
        empty = {
            key
            for part in _containers(manifest)
            if isinstance(part, dict)
            for key, v in part.items()
            if v in ({}, [], "", None)
        }
        assert empty <= {"emptyDir", "group"}


@pytest.mark.parametrize("version", ["", "v9"])
def test_version_label_is_left_out_where_it_is_empty(version: str) -> None:
    intent = compile_service(service(), settings(operator_version=version), GivenObjects())
    for child in intent.children:
        assert child.manifest.labels.get("app.kubernetes.io/version", "") == version
