# SPDX-License-Identifier: GPL-3.0-or-later
"""The container that serves the model: arguments, environment, ports, devices."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from module_utils.kinds.model_service.children.accelerator import with_devices
from module_utils.kinds.model_service.children.decode_deployment import decode_deployment
from module_utils.kinds.model_service.children.prefill_deployment import prefill_deployment
from module_utils.kinds.model_service.children.vllm import last_of_each_name
from module_utils.kinds.model_service.spec import Role
from module_utils.kube.manifest import Json
from module_utils.kube.quantity import parse_quantity

from .rendered import ALPHA2, V1, container


def vllm(**given: Any) -> Json:
    return container(decode_deployment, "vllm", **given)


def test_arguments_follow_the_fields_and_the_authors_come_last() -> None:
    found = vllm(
        decode={"parallelism": {"tensor": 2, "data": 4, "dataLocal": 3}},
        engine={"args": ["--port", "1"], "port": 9000},
        model={"name": "acme/chat", "image": "x", "mountPath": "/srv/weights"},
    )
    assert found["args"] == [
        "/srv/weights",
        *("--port", "9000"),
        *("--served-model-name", "acme/chat"),
        *("--tensor-parallel-size", "2"),
        *("--data-parallel-size", "4"),
        *("--data-parallel-size-local", "3"),
        *("--port", "1"),
    ]


def test_sizes_of_one_are_left_out_of_the_arguments_but_not_of_the_environment() -> None:
    found = vllm()
    assert found["args"] == ["/models", "--port", "8000", "--served-model-name", "acme/chat-8b"]
    assert [(each["name"], each["value"]) for each in found["env"]] == [
        ("TP_SIZE", "1"),
        ("DP_SIZE", "1"),
        ("DP_SIZE_LOCAL", "1"),
    ]


def test_behind_the_proxy_decode_moves_and_prefill_stays() -> None:
    spec: Json = {"routingProxy": {"targetPort": 8201}, "prefill": {}}
    assert vllm(**spec)["ports"] == [{"name": "http", "containerPort": 8201, "protocol": "TCP"}]
    prefill = container(prefill_deployment, "vllm", **spec)
    assert prefill["ports"] == [{"name": "http", "containerPort": 8000, "protocol": "TCP"}]


@pytest.mark.parametrize("image", ["own:1", ""])
def test_image_is_the_authors_else_the_settings(image: str) -> None:
    found = vllm(engine={"image": image}, options={"images": {"engine": "default:2"}})
    assert found["image"] == (image or "default:2")


def test_pull_policy_is_left_out_where_it_is_not_given() -> None:
    assert "imagePullPolicy" not in vllm()
    assert vllm(engine={"imagePullPolicy": "Always"})["imagePullPolicy"] == "Always"


def test_variable_without_a_value_has_only_its_name() -> None:
    assert vllm(engine={"env": [{"name": "A", "value": ""}]})["env"][-1] == {"name": "A"}


names = st.sampled_from("ABC")
variables = st.lists(
    st.builds(lambda name, value: {"name": name, "value": value}, names, st.text())
)


@given(variables)
def test_what_a_container_sees_is_kept_where_names_stand_twice(given_variables: list[Json]) -> None:
    def seen(entries: list[Json]) -> Json:
        return {entry["name"]: entry["value"] for entry in entries}

    kept = last_of_each_name(given_variables)
    assert seen(kept) == seen(given_variables)
    assert len(seen(kept)) == len(kept)


def test_authors_value_takes_the_place_of_a_computed_one() -> None:
    found = vllm(engine={"env": [{"name": "TP_SIZE", "value": "9"}]})
    assert [each["name"] for each in found["env"]] == ["DP_SIZE", "DP_SIZE_LOCAL", "TP_SIZE"]
    assert found["env"][-1]["value"] == "9"


NIXL = {
    "a port": ("5600", 5600),
    "with a sign": ("+5600", 5600),
    "leading zero": ("05600", 5600),
    "the port of vLLM": ("8000", None),
    "no number": ("55a", None),
    "other digits": ("５６００", None),
    "zero": ("0", None),
    "too large": ("65536", None),
    "empty": ("", None),
}


@pytest.mark.parametrize(("value", "port"), NIXL.values(), ids=NIXL)
def test_side_channel_is_a_port_in_later_releases(value: str, port: int | None) -> None:
    engine = {"env": [{"name": "VLLM_NIXL_SIDE_CHANNEL_PORT", "value": value}]}
    found = {
        each["name"]: each["containerPort"] for each in vllm(release=V1, engine=engine)["ports"]
    }
    assert found.get("nixl-side") == port
    assert len(vllm(release=ALPHA2, engine=engine)["ports"]) == 1


def test_side_channel_port_that_is_not_literal_opens_nothing() -> None:
    source = {"fieldRef": {"fieldPath": "metadata.name"}}
    engine = {"env": [{"name": "VLLM_NIXL_SIDE_CHANNEL_PORT", "valueFrom": source}]}
    assert len(vllm(release=V1, engine=engine)["ports"]) == 1


@pytest.mark.parametrize(
    ("accelerator", "resource"),
    [
        ("nvidia", "nvidia.com/gpu"),
        ("amd", "amd.com/gpu"),
        ("intel-gaudi", "habana.ai/gaudi"),
        ("google", "google.com/tpu"),
    ],
)
def test_devices_are_request_and_limit(accelerator: str, resource: str) -> None:
    decode = {
        "parallelism": {"tensor": 2, "data": 8, "dataLocal": 4},
        "resources": {"limits": {resource: "1", "memory": "1Gi"}},
    }
    found = vllm(accelerator={"type": accelerator}, decode=decode)["resources"]
    assert found == {"limits": {resource: "8", "memory": "1Gi"}, "requests": {resource: "8"}}


def test_cpu_asks_for_no_devices() -> None:
    assert "resources" not in vllm(accelerator={"type": "cpu"})


@given(st.integers(1, 2**31 - 1), st.integers(1, 64))
def test_count_of_devices_is_exact_and_in_canonical_form(tensor: int, local: int) -> None:
    text = with_devices(Role(1, tensor=tensor, data_local=local), "nvidia")["limits"][
        "nvidia.com/gpu"
    ]
    assert parse_quantity(text) == tensor * local
    assert not text.endswith("000")


def test_authors_resources_are_not_changed() -> None:
    role = Role(1, resources={"limits": {"memory": "1Gi"}})
    with_devices(role, "nvidia")
    assert role.resources == {"limits": {"memory": "1Gi"}}
