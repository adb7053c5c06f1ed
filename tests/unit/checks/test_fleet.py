# SPDX-License-Identifier: GPL-3.0-or-later
"""Services beside each other: what they would share is refused or warned about, whatever their kinds are."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.kinds.inference_service.build import config_map
from tests.unit.kinds.inference_service.build import document as inference_service
from tests.unit.kinds.llm_inference_service.build import document as llm_inference_service
from tests.unit.kinds.model_service.build import document as model_service
from tests.unit.modules.task import run

from .services import custom, named

Json = dict[str, Any]
POOL = {"inferencePool": {"endpointPicker": {}}}
PICKER = {"router": {"scheduler": {}, "route": {}, "gateway": {}}}
BORROWED_POOL = {"pool": {"ref": {"name": "chat-inference-pool"}}}


def result(*services: Json, **options: Any) -> Json:
    return run(state="rendered", services=list(services), cluster_objects=[config_map()], **options)


def refused(*services: Json, **options: Any) -> str:
    """Return the message of a task that has to fail."""
    found = result(*services, **options)
    assert found.get("failed"), found["services"]
    return str(found["msg"])


def told(*services: Json, **options: Any) -> list[list[tuple[str, str]]]:
    """Return rule and path of what is told of each service beside the others."""
    found = result(*services, **options)
    assert not found.get("failed"), found["msg"]
    return [
        [
            (each["rule"], each["path"])
            for each in service["problems"]
            if each["rule"] in ("route-collision", "borrowed")
        ]
        for service in found["services"]
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [("qwen3-0.6b", "qwen3-0-6b"), ("llama-3.1", "llama--3.1"), ("7b", "m-7b"), ("0.6b", "m-0-6b")],
)
def test_one_picker_for_two_services_is_refused(one: str, other: str) -> None:
    text = refused(model_service(one), model_service("chat"), model_service(other))
    assert f'"{one}" and "{other}" both become' in text
    assert "services[1]" not in text


def test_same_name_in_two_namespaces_shares_no_picker() -> None:
    told(model_service("qwen.3", "a"), model_service("qwen-3", "b"))


def test_one_cluster_role_for_two_services_is_refused() -> None:
    pair = model_service("a-chat", "team", **POOL), model_service("chat", "team-a", **POOL)
    text = refused(*pair)
    assert '"team/a-chat" and "team-a/chat" both become ClusterRole team-a-chat-epp' in text
    told(*pair, settings={"metrics_endpoint_auth": False})


def test_one_cluster_role_binding_for_two_services_is_refused() -> None:
    pair = [
        named(llm_inference_service(**PICKER), "a-chat", "team"),
        named(llm_inference_service(**PICKER), "chat", "team-a"),
    ]
    assert "both become ClusterRoleBinding team-a-chat-epp-auth-rb" in refused(*pair)
    stopped = named(llm_inference_service(**PICKER), "chat", "team-a")
    stopped["metadata"]["annotations"] = {"serving.kserve.io/stop": "true"}
    told(pair[0], stopped)


def test_service_beside_one_called_like_its_picker_is_fine() -> None:
    assert told(model_service("qwen3"), model_service("qwen3-epp")) == [[], []]


def test_two_default_routes_with_one_header_are_warned_about() -> None:
    pair = model_service("chat", "demo"), model_service("chat", "prod")
    assert told(*pair) == [[("route-collision", "spec.httpRoute")]] * 2
    messages = str(result(*pair)["warnings"])
    assert "ModelService prod/chat" in messages
    assert "OtterScale-Model-Name chat" in messages
    assert told(*pair, settings={"gateway_name": ""}) == [[], []]


@pytest.mark.parametrize(
    ("hosts", "warned"),
    [
        (["a.example.org"], True),
        (["b.example.org"], False),
        (["*.example.org"], True),
        (["*.example.com"], False),
        ([], True),
    ],
)
def test_routes_collide_where_they_share_a_host(hosts: list[str], warned: bool) -> None:
    gateway = {"name": "edge", "namespace": "infra"}

    def service(namespace: str, names: list[str]) -> Json:
        return model_service(
            "chat", namespace, httpRoute={"gatewayRef": gateway, "hostnames": names}
        )

    found = told(service("demo", ["a.example.org"]), service("prod", hosts))
    assert all(bool(each) is warned for each in found)


@pytest.mark.parametrize(
    ("first", "second"),
    [(("a-b", "c"), ("a", "b-c")), (("iris", "team"), ("iris-predictor", "team"))],
)
def test_what_two_services_would_share_is_told(
    first: tuple[str, str], second: tuple[str, str]
) -> None:
    found = result(
        named(custom(), *first), named(custom(), "other", "team"), named(custom(), *second)
    )
    if found.get("failed"):
        assert "both become" in found["msg"]
        return
    rules = [{each["rule"] for each in service["problems"]} for service in found["services"]]
    assert ["route-collision" in each for each in rules] == [True, False, True]


@pytest.mark.parametrize("second", [("iris", "team-b"), ("iris-transformer", "team")])
def test_others_live_side_by_side(second: tuple[str, str]) -> None:
    iris = named(inference_service(predictor=custom()["spec"]["predictor"]), "iris", "team")
    assert told(iris, named(custom(), *second)) == [[], []]


@pytest.mark.parametrize(
    ("router", "path", "what"),
    [
        ({"scheduler": BORROWED_POOL}, "spec.router.scheduler.pool.ref.name", "InferencePool"),
        (
            {"route": {"http": {"refs": [{"name": "own"}, {"name": "chat-kserve-route"}]}}},
            "spec.router.route.http.refs[1].name",
            "HTTPRoute",
        ),
    ],
)
def test_a_pool_or_route_of_another_service_is_warned_about(
    router: Json, path: str, what: str
) -> None:
    guest = named(llm_inference_service(router=router), "guest", "team-a")
    pair = named(llm_inference_service(**PICKER), "chat", "team-a"), guest
    assert told(*pair) == [[], [("borrowed", path)]]
    assert f"{what} chat-" in str(result(*pair)["warnings"])
    elsewhere = named(llm_inference_service(**PICKER), "chat", "team-b")
    assert told(elsewhere, guest) == [[], []]
