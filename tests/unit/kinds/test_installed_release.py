# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster says of the release of KServe that it has, and what says nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from module_utils.kinds.kserve.installed_release import INSTALLATIONS
from module_utils.kinds.llm_inference_service.releases import BACKING
from module_utils.kube.manifest import Json
from module_utils.kube.release import nearest_reproduced, newest_proved


def deployment(*images: str, **labels: str) -> Json:
    """Return the Deployment of a controller."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "llmisvc-controller-manager", "namespace": "kserve", "labels": labels},
        "spec": {"template": {"spec": {"containers": [{"image": each} for each in images]}}},
    }


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("kserve/llmisvc-controller:v0.19.0", "0.19"),
        ("registry.example.com:5000/kserve/kserve-controller:v0.20.0-rc1", "0.20"),
        ("quay.io/vendor/odh-kserve-controller-rhel9:0.17", "0.17"),
        ("kserve/llmisvc-controller:v0.19.0@sha256:abc", "0.19"),
        ("kserve/llmisvc-controller:v1.2.3", "1.2"),
        ("kserve/llmisvc-controller:latest", None),
        ("registry.example.com:5000/kserve/llmisvc-controller", None),
        ("kserve/llmisvc-controller@sha256:0.19", None),
        ("kserve/llmisvc-controller:2024-01-01", None),
        ("", None),
    ],
)
def test_the_tag_of_the_controllers_image_says_its_release(image: str, version: str | None) -> None:
    found = INSTALLATIONS.deployment(deployment("example.com/kube-rbac-proxy:v0.18.0", image))
    assert (found.version if found else None) == version
    assert found is None or image in found.seen


@pytest.mark.parametrize(
    ("labels", "version"),
    [
        ({"app.kubernetes.io/version": "v0.19.0"}, "0.19"),
        ({"helm.sh/chart": "kserve-llmisvc-crd-v0.18.1"}, "0.18"),
        ({"helm.sh/chart": "kserve"}, None),
        ({"app.kubernetes.io/version": "main"}, None),
        ({}, None),
    ],
)
def test_labels_of_a_crd_say_its_release(labels: Json, version: str | None) -> None:
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "llminferenceservices.serving.kserve.io", "labels": labels},
    }
    found = INSTALLATIONS.crd(crd)
    assert (found.version if found else None) == version


@pytest.mark.parametrize(
    ("data", "version"),
    [
        (
            {"storageInitializer": json.dumps({"image": "kserve/storage-initializer:v0.17.0"})},
            "0.17",
        ),
        (
            {"storageInitializer": "{", "agent": json.dumps({"image": "kserve/agent:v0.18.0"})},
            "0.18",
        ),
        ({"storageInitializer": "[]"}, None),
        ({"storageInitializer": json.dumps({"image": 3})}, None),
        ({"storageInitializer": 3}, None),
        ({}, None),
        (None, None),
    ],
)
def test_images_of_the_configuration_say_the_release(
    data: Json | None, version: str | None
) -> None:
    live = {"apiVersion": "v1", "kind": "ConfigMap", "data": data}
    live["metadata"] = {"name": "inferenceservice-config", "namespace": "kserve"}
    found = INSTALLATIONS.config(live)
    assert (found.version if found else None) == version


@pytest.mark.parametrize(
    ("version", "near"), [("0.99", max), ("1.0", max), ("0.3", min), ("0.16", min)]
)
def test_a_release_that_nobody_knows_has_a_nearest_one(version: str, near: Any) -> None:
    reproduced = [release for release, how in BACKING.items() if how != "refused"]
    assert nearest_reproduced(version, BACKING) == near(reproduced)


def test_a_new_service_gets_a_release_that_was_held_against_a_real_controller() -> None:
    assert BACKING[newest_proved(BACKING)] == "proved"
