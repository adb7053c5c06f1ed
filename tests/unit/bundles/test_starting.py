# SPDX-License-Identifier: GPL-3.0-or-later
"""What a controller looks at only when it starts is written into its pods, and nothing else of the bundle changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from module_utils.bundles.components import COMPONENTS
from module_utils.bundles.starting import (
    CONFIG_ANNOTATION,
    KINDS_ANNOTATION,
    marked_starts,
    missed_kinds,
)
from module_utils.kube.applyset import GroupKind
from module_utils.kube.manifest import Json
from tests.cluster.support.bundles import config, crd, deployment

STARTS = COMPONENTS["kserve"].starts
NAME = "kserve-controller-manager"


def bundle(**settings: Any) -> list[Json]:
    """Return a manager, another workload, and the settings."""
    texts = {key: json.dumps(value) for key, value in settings.items()}
    settings_map = config("inferenceservice-config", "kserve", **texts)
    return [settings_map, deployment(NAME, "kserve"), deployment("other", "kserve")]


def marks(manifests: list[Json], *served: str) -> dict[str, str]:
    """Return the annotations of the manager's pods."""
    found = marked_starts(manifests, STARTS, lambda kind: str(kind) in served)
    assert [each for each in found if each["metadata"]["name"] != NAME] == [
        each for each in manifests if each["metadata"]["name"] != NAME
    ]
    manager = next(each for each in found if each["metadata"]["name"] == NAME)
    annotations: dict[str, str] = manager["spec"]["template"]["metadata"]["annotations"]
    return annotations


def test_kinds_are_those_that_are_served_or_brought() -> None:
    assert marks(bundle())[KINDS_ANNOTATION] == ""
    assert marks(bundle(), "ScaledObject.keda.sh")[KINDS_ANNOTATION] == "ScaledObject.keda.sh"
    brought = [*bundle(), crd("gateway.networking.k8s.io", "HTTPRoute")]
    assert marks(brought)[KINDS_ANNOTATION] == "HTTPRoute.gateway.networking.k8s.io"


@pytest.mark.parametrize(
    ("settings", "restarts"),
    [
        ({"deploy": {"defaultDeploymentMode": "Standard"}}, True),
        ({"ingress": {"enableGatewayApi": True}}, True),
        ({"multiNode": {"customGPUResourceTypeList": ["a"]}}, True),
        ({"ingress": {"ingressDomain": "example.com"}}, False),
        ({"logger": {"image": "a"}}, False),
    ],
)
def test_only_what_is_read_at_the_start_counts(settings: Json, restarts: bool) -> None:
    changed = marks(bundle(**settings))[CONFIG_ANNOTATION] != marks(bundle())[CONFIG_ANNOTATION]
    assert changed is restarts


def test_what_came_later_is_missed() -> None:
    live = marked_starts(bundle(), STARTS, lambda kind: kind.group == "keda.sh")[1]

    def served(kind: GroupKind) -> bool:
        return kind.group in ("keda.sh", "serving.knative.dev")

    assert missed_kinds(live, STARTS, served) == ["Service.serving.knative.dev"]
    assert missed_kinds(live, STARTS, lambda kind: kind.group == "keda.sh") == []
    # What somebody else installed says nothing.
    assert missed_kinds(deployment(NAME, "kserve"), STARTS, served) == []
