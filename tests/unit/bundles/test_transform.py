# SPDX-License-Identifier: GPL-3.0-or-later
"""A bundle fitted to a cluster: what was asked for is changed everywhere, and nothing else is."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.modelops.inference.plugins.module_utils.bundles.manifests import (
    read_manifests,
    without,
)
from ansible_collections.modelops.inference.plugins.module_utils.bundles.shapes import (
    shape_problems,
)
from ansible_collections.modelops.inference.plugins.module_utils.bundles.transform import (
    transformed,
)
from ansible_collections.modelops.inference.plugins.module_utils.bundles.transforms.images import (
    in_registry,
    repository_of,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError

Json = dict[str, Any]
RECORDED = Path(__file__).parents[2] / "parity" / "recordings" / "install"


def bundle() -> list[Json]:
    """Return KServe's objects."""
    text = (RECORDED / "bundle-synthetic.yaml").read_text(encoding="utf-8")
    return [each for each in yaml.safe_load_all(text) if each]


def workload(manifests: list[Json], name: str) -> Json:
    """Return a workload's pod spec and replicas."""
    found = next(
        each
        for each in manifests
        if each["metadata"]["name"] == name and "template" in each.get("spec", {})
    )
    return dict(found["spec"])


def manager(manifests: list[Json], name: str = "kserve-controller-manager") -> Json:
    """Return the container that does a workload's work."""
    containers = workload(manifests, name)["template"]["spec"]["containers"]
    return next(each for each in containers if each["name"] == "manager")


def test_nothing_asked_is_nothing_changed() -> None:
    before = bundle()
    assert transformed(before, {}) == before
    options = {"workloads": {"*": {"replicas": 2}}}
    changed = transformed(before, options)
    assert before == bundle()
    assert transformed(changed, options) == changed


def test_what_another_set_brings_is_left_out() -> None:
    given = read_manifests(("kserve.yaml", each) for each in bundle())
    crd = "CustomResourceDefinition/clusterstoragecontainers.serving.kserve.io"
    left = without(given, [crd, "Issuer/kserve/selfsigned-issuer"])
    assert len(left) == len(given) - 2
    with pytest.raises(InputError) as caught:
        without(given, [crd, "Issuer/elsewhere/selfsigned-issuer", "Secrets/x"])
    message = str(caught.value)
    assert "leave_out[1]: the bundle has no Issuer/elsewhere/selfsigned-issuer" in message
    assert "of this kind there are: Issuer/selfsigned-issuer" in message
    assert "of this kind there are: none" in message


def test_no_trace_of_the_old_namespace_is_left() -> None:
    changed = transformed(bundle(), {"namespaces": {"kserve": "serving"}})
    text = json.dumps([each for each in changed if each["kind"] != "ConfigMap"])
    assert '"namespace": "kserve"' not in text
    assert ".kserve.svc" not in text
    assert '"kserve/' not in text.replace('"kserve/localmodel', "")
    # The group of the kinds and the names of objects have nothing to do with the namespace.
    assert "serving.kserve.io" in text
    assert any(
        each["kind"] == "Namespace" and each["metadata"]["name"] == "serving" for each in changed
    )


@pytest.mark.parametrize(
    ("image", "moved"),
    [
        ("kserve/kserve-controller:v1", "m.example.com/x/kserve/kserve-controller:v1"),
        ("quay.io/brancz/proxy:v0.18.0", "m.example.com/x/brancz/proxy:v0.18.0"),
        ("localhost:5000/a/b@sha256:00", "m.example.com/x/a/b@sha256:00"),
        ("busybox", "m.example.com/x/library/busybox"),
    ],
)
def test_registry_is_replaced_and_the_path_stays(image: str, moved: str) -> None:
    assert in_registry(image, "m.example.com/x/") == moved


def test_repository_is_without_tag_and_digest() -> None:
    assert repository_of("r:5000/a/b:v1@sha256:00") == "r:5000/a/b"
    assert repository_of("r:5000/a") == "r:5000/a"


def test_images_and_pull_secrets_reach_every_pod() -> None:
    repository = repository_of(manager(bundle())["image"])
    digest = f"mirror.example.com/x@sha256:{'0' * 64}"
    options = {
        "registry": "mirror.example.com",
        "images": {repository: digest},
        "image_pull_secrets": ["mirror"],
    }
    changed = transformed(bundle(), options)
    assert manager(changed)["image"] == digest
    pods = [
        each["spec"]["template"]["spec"]
        for each in changed
        if each["kind"] in ("Deployment", "DaemonSet")
    ]
    images = [container["image"] for pod in pods for container in pod["containers"]]
    assert len(pods) == 4
    assert all(image.startswith("mirror.example.com/") for image in images)
    assert all(pod["imagePullSecrets"] == [{"name": "mirror"}] for pod in pods)


def test_what_is_set_on_a_manager_replaces_the_same_flag() -> None:
    options = {
        "replicas": 2,
        "resources": {"limits": {"memory": "1Gi"}},
        "node_selector": {"pool": "system"},
        "tolerations": [{"operator": "Exists"}],
        "leader_election": False,
        "log_level": "debug",
        "feature_gates": {"B": True, "A": False},
        "extra_args": ["--metrics-addr=0.0.0.0:8080"],
        "env": {"POD_NAMESPACE": "x", "MORE": 1},
    }
    name = "kserve-controller-manager"
    changed = transformed(bundle(), {"workloads": {name: options}})
    spec, container = workload(changed, name), manager(changed)
    assert spec["replicas"] == 2
    assert spec["template"]["spec"]["nodeSelector"] == {"pool": "system"}
    assert container["resources"] == {"limits": {"memory": "1Gi"}}
    assert container["args"] == [
        "--leader-elect=false",
        "--zap-log-level=debug",
        "--feature-gates=A=false,B=true",
        "--metrics-addr=0.0.0.0:8080",
    ]
    assert {each["name"]: each.get("value") for each in container["env"]}["POD_NAMESPACE"] == "x"
    assert workload(changed, "llmisvc-controller-manager") == workload(
        bundle(), "llmisvc-controller-manager"
    )


def test_a_value_is_merged_into_the_text_of_a_config_map() -> None:
    manifests: list[Json] = [
        {
            "kind": "ConfigMap",
            "metadata": {"name": "c"},
            "data": {"deploy": '{"a": {"b": 1, "c": 2}}', "t": "x"},
        }
    ]
    options = {"config": {"c": {"deploy": {"a": {"b": 3}}, "t": "y", "new": {"n": True}}}}
    (changed,) = transformed(manifests, options)
    assert json.loads(changed["data"]["deploy"]) == {"a": {"b": 3, "c": 2}}
    assert changed["data"]["t"] == "y"
    assert json.loads(changed["data"]["new"]) == {"n": True}


def test_levels_of_pod_security_are_labels_of_the_namespace() -> None:
    changed = transformed(bundle(), {"pod_security": "restricted"})
    (namespace,) = [each for each in changed if each["kind"] == "Namespace"]
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_all_mistakes_are_told_at_once() -> None:
    options = {
        "images": {"no/such": "x"},
        "namespaces": {"nowhere": "x"},
        "config": {"nothing": {"a": "b"}},
        "workloads": {"nobody": {}, "*": {"replica": 1, "tolerations": "x"}},
    }
    with pytest.raises(InputError) as caught:
        transformed(deepcopy(bundle()), options)
    message = str(caught.value)
    for text in (
        "transform.images.no/such",
        "transform.namespaces.nowhere",
        "transform.config.nothing",
        "transform.workloads.nobody: the bundle has no such workload; there are: kserve-controller-manager",
        "transform.workloads.*.replica: unknown option",
        "transform.workloads.*.tolerations: 'x' is of type str, expected a list",
    ):
        assert text in message


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"registry": "https://mirror.example.com"}, "transform.registry"),
        ({"registry": "mirror:1:2"}, "transform.registry"),
        ({"images": {"kserve/kserve-controller": "Kserve/X:1:2"}}, "transform.images.kserve/"),
        ({"images": {"kserve/kserve-controller": 1}}, "transform.images.kserve/"),
        ({"image_pull_secrets": ["My Secret"]}, "transform.image_pull_secrets[0]"),
        ({"namespaces": {"kserve": "Serving_1"}}, "transform.namespaces.kserve"),
        ({"namespaces": {"kserve": 5}}, "transform.namespaces.kserve"),
        ({"config": {"inferenceservice-config": "x"}}, "transform.config.inferenceservice-config"),
        ({"workloads": {"*": {"log_level": "loud"}}}, "transform.workloads.*.log_level"),
        ({"workloads": {"*": {"extra_args": ["x"]}}}, "transform.workloads.*.extra_args[0]"),
        ({"workloads": {"*": {"extra_args": ["--a", 5]}}}, "transform.workloads.*.extra_args[1]"),
        ({"workloads": {"*": {"resources": {"memory": "1Gi"}}}}, "*.resources.memory"),
    ],
)
def test_values_that_would_break_the_bundle_are_named(options: Json, field: str) -> None:
    with pytest.raises(InputError) as caught:
        transformed(bundle(), options)
    assert field in str(caught.value)


def test_right_values_are_no_problem() -> None:
    options = {
        "registry": "mirror.example.com:5000/kserve/",
        "image_pull_secrets": ["mirror.key"],
        "workloads": {
            "*": {
                "log_level": "DEBUG",
                "extra_args": ["--a", "b", "-c=d"],
                "resources": {"claims": []},
            }
        },
    }
    assert transformed(bundle(), options) != bundle()


@pytest.mark.parametrize(
    ("kind", "parts", "field"),
    [
        ("Deployment", {"spec": {"template": {"spec": {"containers": [None]}}}}, "containers[0]"),
        ("Deployment", {"spec": {"template": {"spec": {"containers": [{"image": 5}]}}}}, "image"),
        ("CronJob", {"spec": {"jobTemplate": 5}}, "spec.jobTemplate"),
        ("ConfigMap", {"data": {"a": {"b": 1}}}, "data.a"),
        ("ClusterRoleBinding", {"subjects": [{"namespace": []}]}, "subjects[0].namespace"),
        ("MutatingWebhookConfiguration", {"webhooks": 5}, "webhooks"),
        ("Certificate", {"spec": {"dnsNames": [5]}}, "spec.dnsNames[0]"),
    ],
)
def test_shapes_that_no_server_takes_are_named(kind: str, parts: Json, field: str) -> None:
    found = [each.path for each in shape_problems({"kind": kind, **parts})]
    assert any(path.endswith(field) for path in found), found


def test_shapes_of_a_real_bundle_are_right() -> None:
    assert [each for manifest in bundle() for each in shape_problems(manifest)] == []
