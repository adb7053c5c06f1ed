# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that would share an object are found before anything is written, and both are named."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.conflicts import (
    conflicts,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.spec import (
    LlmInferenceService,
)

from .build import document

PICKER = {"router": {"scheduler": {}, "route": {}}}
BORROWED_POOL = {"pool": {"ref": {"name": "chat-inference-pool"}}}


def service(
    name: str, namespace: str = "team-a", *, stop: bool = False, **spec: Any
) -> LlmInferenceService:
    given = document(name, **spec)
    given["metadata"]["namespace"] = namespace
    if stop:
        given["metadata"]["annotations"] = {"serving.kserve.io/stop": "true"}
    found = load(given, Settings()).service
    assert found is not None
    return found


def test_one_cluster_role_binding_for_two_services_is_refused() -> None:
    pair = [service("a-chat", "team", **PICKER), service("x"), service("chat", "team-a", **PICKER)]
    found = conflicts(pair, Settings())
    assert set(found) == {0, 2}
    for number in (0, 2):
        (problem,) = found[number]
        assert (problem.severity, problem.rule) == ("error", "cluster-role-collision")
        for part in ("team/a-chat", "team-a/chat", "team-a-chat-epp-auth-rb"):
            assert part in problem.message


@pytest.mark.parametrize(
    "other",
    [
        service("chat", "team-a"),
        service("chat", "team-a", stop=True, **PICKER),
        service("chat", "team-a", router={"scheduler": {"pool": {"ref": {"name": "mine"}}}}),
        service("chat", "team-b", **PICKER),
    ],
)
def test_without_two_pickers_there_is_no_collision(other: LlmInferenceService) -> None:
    assert not conflicts([service("a-chat", "team", **PICKER), other], Settings())


def test_service_given_twice_is_refused() -> None:
    found = conflicts([service("chat", **PICKER), service("chat", **PICKER)], Settings())
    assert {number: [each.rule for each in problems] for number, problems in found.items()} == {
        1: ["service-twice"]
    }


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
    router: dict[str, Any], path: str, what: str
) -> None:
    pair = [service("chat", **PICKER), service("guest", router=router)]
    (problem,) = conflicts(pair, Settings())[1]
    assert (problem.severity, problem.rule, problem.path) == ("warning", "borrowed", path)
    assert what in problem.message
    assert "service chat" in problem.message
    elsewhere = [service("chat", "team-b", **PICKER), service("guest", router=router)]
    assert not conflicts(elsewhere, Settings())
