# SPDX-License-Identifier: GPL-3.0-or-later
"""The decode and prefill Deployments: pods, replicas, volumes, and what each setting and field changes."""

from __future__ import annotations

import hashlib

import pytest

from module_utils.kinds.model_service.children.decode_deployment import decode_deployment
from module_utils.kinds.model_service.children.model_unpack import script
from module_utils.kinds.model_service.children.prefill_deployment import prefill_deployment
from module_utils.kube.manifest import Json

from .rendered import V1, child, container, manifest, pod

MODEL = {"name": "acme/chat-8b", "image": "registry.example.com/models/chat:1.0"}


def named(items: list[Json]) -> list[str]:
    return [item["name"] for item in items]


@pytest.mark.parametrize(
    ("given", "rendered", "claimed"),
    [({}, 1, False), ({"replicas": 1}, 1, True), ({"replicas": 0}, 0, True)],
)
def test_replicas_are_claimed_only_where_they_are_given(
    given: Json, rendered: int, claimed: bool
) -> None:
    found = child(decode_deployment, decode=given)
    assert found is not None
    assert found.manifest.body["spec"]["replicas"] == rendered
    assert found.unclaimed == (() if claimed else (("spec", "replicas"),))


def test_prefill_exists_where_it_is_given_even_empty() -> None:
    assert child(prefill_deployment) is None
    assert manifest(prefill_deployment, prefill={})["metadata"]["name"] == "chat-prefill"


def test_dotted_name_stays_in_names_and_labels() -> None:
    found = manifest(decode_deployment, name="qwen3-0.6b")
    assert found["metadata"]["name"] == "qwen3-0.6b-decode"
    assert found["metadata"]["labels"]["app.kubernetes.io/name"] == "qwen3-0.6b"


@pytest.mark.parametrize(("release", "annotations"), [(V1, {"a": "b"})])
def test_role_annotations_reach_the_pods(release: str, annotations: dict[str, str]) -> None:
    found = manifest(decode_deployment, release=release, decode={"annotations": annotations})
    assert found["spec"]["template"]["metadata"]["annotations"] == annotations
    assert "annotations" not in found["metadata"]


def test_volumes_are_empty_and_named() -> None:
    volumes = pod(decode_deployment)["volumes"]
    assert volumes == [{"name": "model", "emptyDir": {}}, {"name": "model-tmp", "emptyDir": {}}]


def test_first_pull_secret_downloads_the_model_and_all_pull_images() -> None:
    model = {**MODEL, "imagePullSecrets": [{"name": "one"}, {"name": "two"}]}
    spec = pod(decode_deployment, model=model)
    assert spec["imagePullSecrets"] == [{"name": "one"}, {"name": "two"}]
    assert spec["volumes"][2]["secret"]["secretName"] == "one"
    unpack = spec["initContainers"][0]
    assert unpack["env"][-1] == {"name": "DOCKER_CONFIG", "value": "/.docker"}
    assert unpack["volumeMounts"][-1]["readOnly"] is True


SHARED_MEMORY: dict[str, tuple[Json, int, Json | None]] = {
    "not wanted": ({}, 4, None),
    "one device": ({"shared_memory": "16Gi"}, 1, None),
    "with a limit": ({"shared_memory": "16Gi"}, 4, {"medium": "Memory", "sizeLimit": "16Gi"}),
    "without a limit": ({"shared_memory": True}, 4, {"medium": "Memory"}),
}


@pytest.mark.parametrize(("options", "tensor", "volume"), SHARED_MEMORY.values(), ids=SHARED_MEMORY)
def test_shared_memory_is_given_to_tensor_parallel_roles(
    options: Json, tensor: int, volume: Json | None
) -> None:
    spec = pod(decode_deployment, options=options, decode={"parallelism": {"tensor": tensor}})
    found = {each["name"]: each.get("emptyDir") for each in spec["volumes"]}
    mounts = {each["name"]: each["mountPath"] for each in spec["containers"][0]["volumeMounts"]}
    assert found.get("shm") == volume
    assert mounts.get("shm") == ("/dev/shm" if volume else None)


@pytest.mark.parametrize("seconds", [0, 15])
def test_pod_that_ends_goes_on_answering_as_long_as_the_settings_say(seconds: int) -> None:
    spec = pod(decode_deployment, options={"drain_seconds": seconds})
    hook = {"preStop": {"sleep": {"seconds": seconds}}} if seconds else None
    assert spec["containers"][0].get("lifecycle") == hook
    assert spec.get("terminationGracePeriodSeconds") == (45 if seconds else None)


def test_placement_is_the_authors() -> None:
    toleration = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    decode = {"nodeSelector": {"pool": ""}, "tolerations": [toleration]}
    spec = pod(decode_deployment, decode=decode)
    assert spec["nodeSelector"] == {"pool": ""}
    assert spec["tolerations"] == [toleration]
    assert not {"nodeSelector", "tolerations", "imagePullSecrets"} & pod(decode_deployment).keys()


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({}, ["model-unpack"]),
        ({"routingProxy": {}}, ["model-unpack", "routing-proxy"]),
        ({"routingProxy": {}, "options": {"images": {"model_kit": ""}}}, ["routing-proxy"]),
    ],
)
def test_init_containers(given: Json, names: list[str]) -> None:
    assert named(pod(decode_deployment, **given)["initContainers"]) == names


def test_without_kit_image_nothing_is_unpacked_and_the_volumes_stay() -> None:
    spec = pod(decode_deployment, options={"images": {"model_kit": ""}})
    assert "initContainers" not in spec
    assert named(spec["volumes"]) == ["model", "model-tmp"]


def test_prefill_has_no_proxy() -> None:
    spec = pod(prefill_deployment, prefill={}, routingProxy={})
    assert named(spec["initContainers"]) == ["model-unpack"]


def test_script_is_the_operators_unless_the_registry_speaks_tls() -> None:
    digest = "b1b06b9a37853529090669b448b88b111d776076f53187e71ebfb24409a540c2"
    assert hashlib.sha256(script(plain_http=True).encode()).hexdigest() == digest
    assert script(plain_http=False) == script(plain_http=True).replace(" --plain-http", "")
    unpack = container(
        decode_deployment, "model-unpack", options={"model_registry": {"plain_http": False}}
    )
    assert unpack["args"] == [script(plain_http=False)]
