# SPDX-License-Identifier: GPL-3.0-or-later
"""Which children a service has, and what is refused before any of them is made."""

from __future__ import annotations

import pytest

from module_utils.kube.manifest import Json

from .build import document
from .preset_world import ROUTER, children, pods, refusal

GROUPS: Json = {"worker": {}, "parallelism": {"data": 4, "dataLocal": 1}}
STOPPED = {"serving.kserve.io/stop": "True"}


def test_an_account_called_like_the_managed_one_is_refused() -> None:
    told = refusal(document(template={"serviceAccountName": "chat-kserve"}))
    assert "spec.template.serviceAccountName" in told
    assert "the service would manage itself: do not name it" in told


def test_the_sidecar_knows_one_pool() -> None:
    own = [{"name": "INFERENCE_POOL_NAME", "value": "mine"}]
    sidecar = {"name": "llm-d-routing-sidecar", "env": own}
    given = document(prefill={}, router=ROUTER, template={"initContainers": [sidecar]})
    decode = children(given)["Deployment", "chat-kserve"]["spec"]["template"]["spec"]
    assert decode["initContainers"][0]["env"] == [
        {"name": "INFERENCE_POOL_NAME", "value": "chat-inference-pool"}
    ]


def test_a_sidecar_of_prefill_groups_keeps_what_its_author_says() -> None:
    own = [{"name": "INFERENCE_POOL_NAME", "value": "mine"}]
    sidecar = {"name": "llm-d-routing-sidecar", "env": own}
    prefill = {**GROUPS, "template": {"initContainers": [sidecar]}}
    found = children(document(prefill=prefill, router=ROUTER))
    group = found["LeaderWorkerSet", "chat-kserve-mn-prefill"]["spec"]["leaderWorkerTemplate"]
    containers = group["leaderTemplate"]["spec"]["initContainers"]
    (kept,) = [each for each in containers if each["name"] == sidecar["name"]]
    assert kept["env"] == own


def test_a_sidecar_without_a_router_knows_no_pool() -> None:
    decode = children(document(prefill={}))["Deployment", "chat-kserve"]["spec"]["template"]["spec"]
    assert "env" not in decode["initContainers"][0]


def test_replicas_are_sent_only_where_they_are_given() -> None:
    assert "replicas" not in children(document())["Deployment", "chat-kserve"]["spec"]
    assert children(document(replicas=0))["Deployment", "chat-kserve"]["spec"]["replicas"] == 0
    group = children(document(**GROUPS))["LeaderWorkerSet", "chat-kserve-mn"]
    assert "replicas" not in group["spec"]


@pytest.mark.parametrize(
    ("spec", "kept"),
    [
        ({"router": ROUTER}, set()),
        ({"prefill": {}, "router": ROUTER}, set()),
        (GROUPS, {("ServiceAccount", "chat-kserve-mn")}),
        (
            {**GROUPS, "prefill": {}},
            {
                ("ServiceAccount", "chat-kserve-mn"),
                ("Role", "chat-kserve-mn-role"),
                ("RoleBinding", "chat-kserve-mn-rb"),
            },
        ),
    ],
)
def test_a_stopped_service_keeps_nothing_but_the_access_of_groups(
    spec: Json, kept: set[tuple[str, str]]
) -> None:
    given = document(**spec)
    given["metadata"]["annotations"] = STOPPED
    assert {key for key in children(given) if key[0] != "HTTPRoute"} == kept


@pytest.mark.parametrize("stopped", [True, False])
def test_a_service_that_cannot_be_built_can_be_stopped(stopped: bool) -> None:
    given = document(model={"uri": "ftp://acme/chat"})
    given["metadata"]["annotations"] = STOPPED if stopped else {}
    assert ("unsupported schema" in refusal(given)) is not stopped


def test_parts_that_do_not_go_together_are_told_at_once() -> None:
    own = {
        "containers": [
            {
                "name": "main",
                "readinessProbe": {"periodSeconds": 1},
                "volumeMounts": [{"name": "gone", "mountPath": "/a"}],
            },
            {"name": "logger"},
        ]
    }
    told = refusal(document(template=own))
    assert "LLMInferenceService team-a/chat: 3 problems" in told
    assert 'container "logger" has no image' in told
    assert '"gone" is none of the pod\'s volumes' in told
    assert "spec.template.containers[0].readinessProbe: one of exec" in told


def test_no_child_changes_another() -> None:
    """Builders share parts of the resolved spec; the pods of both roles stay apart."""
    first, second = (children(document(prefill={}, router=ROUTER)) for dummy in range(2))
    assert first == second
    assert len(list(pods(first))) == 2
