# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of pools, of both API groups.

Source: KServe pkg/controller/v1alpha2/llmisvc/{router_gateway_conditions_test,router_pool_readiness_test}.go@v0.17.0.
"""

from __future__ import annotations

import pytest

from module_utils.kinds.llm_inference_service.conditions.pools import pool_condition, pool_state
from module_utils.kube.manifest import Json
from tests.objects import Cluster

from .world import resolved, said, thing

POOL_API = "inference.networking.k8s.io/v1"
OLD_POOL_API = "inference.networking.x-k8s.io/v1alpha2"


def pool(
    *parents: Json, api: str = POOL_API, generation: int = 1, name: str = "chat-inference-pool"
) -> Json:
    key = "parent" if api == OLD_POOL_API else "parents"
    made = thing(api, "InferencePool", name, status={key: list(parents)})
    made["metadata"]["generation"] = generation
    return made


def taken(*conditions: Json) -> Json:
    return {"conditions": list(conditions)}


WAITING = (
    "Inference Pool team-a/chat-inference-pool exists but no Gateway controller has accepted it yet"
)
PLACE = "team-a/chat-inference-pool"
POOLS: list[tuple[str, list[Json], int, str, str]] = [
    ("a pool that nobody took waits for a gateway", [], 1, "WaitingForGateway", WAITING),
    ("an accepted pool is ready", [taken(said("Accepted"))], 1, "", ""),
    (
        "a refused pool is not ready",
        [taken(said("Accepted", "False"))],
        1,
        "InferencePoolNotReady",
        f'{PLACE}: Accepted="False" (reason "R", message "m")',
    ),
    (
        "a pool without word of acceptance is not ready",
        [taken(said("Other"))],
        1,
        "InferencePoolNotReady",
        f"The inference pool {PLACE} is not ready",
    ),
    (
        "word of an older generation does not count",
        [taken(said("Accepted", seen=1))],
        2,
        "InferencePoolNotReady",
        f'{PLACE}: Accepted="True" (reason "R", message "m")',
    ),
    ("a pool that all parents accept is ready", [taken(said("Accepted"))] * 3, 1, "", ""),
    (
        "one parent that refuses a pool decides",
        [taken(said("Accepted")), taken(said("Accepted", "False"))],
        1,
        "InferencePoolNotReady",
        f'{PLACE}: Accepted="False" (reason "R", message "m")',
    ),
]


BOTH_GROUPS = [
    pytest.param(api, *row[1:], id=f"{row[0]} in the {age} group")
    for age, api in (("new", POOL_API), ("old", OLD_POOL_API))
    for row in POOLS
]


@pytest.mark.parametrize(("api", "parents", "generation", "reason", "message"), BOTH_GROUPS)
def test_a_pool_is_ready_when_every_parent_takes_it(
    api: str, parents: list[Json], generation: int, reason: str, message: str
) -> None:
    found = pool_condition(pool(*parents, api=api, generation=generation), None)
    assert (found.reason, found.message) == (reason, message)
    assert found.status == ("False" if reason else "True")


SCHEDULED: Json = {"router": {"scheduler": {"template": {}}}}
TAKEN = taken(said("Accepted"))


#: What there is of the pool, and what is said.
GROUPS: dict[str, tuple[list[Json], str, str]] = {
    "the old group that is taken is enough": (
        [pool(), pool(TAKEN, api=OLD_POOL_API)],
        "True",
        "",
    ),
    "the new group that is taken is enough": (
        [pool(TAKEN), pool(api=OLD_POOL_API)],
        "True",
        "",
    ),
    "of two that are not taken the new one is told of": (
        [pool(), pool(taken(said("Accepted", "False")), api=OLD_POOL_API)],
        "False",
        "WaitingForGateway",
    ),
    "without the new pool the old one is told of": (
        [pool(api=OLD_POOL_API)],
        "False",
        "WaitingForGateway",
    ),
    "without any pool that is told": ([], "False", "InferencePoolFetchError"),
}


@pytest.mark.parametrize("row", GROUPS)
def test_one_group_that_is_taken_is_enough(row: str) -> None:
    objects, status, reason = GROUPS[row]
    state = pool_state(resolved(SCHEDULED), [], Cluster(objects))
    assert state.condition is not None
    assert (state.condition.status, state.condition.reason, state.ends) == (status, reason, False)


def test_a_pool_of_somebody_else_has_to_be_there() -> None:
    spec = {"router": {"scheduler": {"pool": {"ref": {"name": "theirs"}}}}}
    missing = pool_state(resolved(spec), [], Cluster())
    assert missing.ends
    assert missing.condition is not None
    assert missing.condition.message == (
        "failed to fetch referenced Inference Pool team-a/theirs: "
        'InferencePool.inference.networking.k8s.io "theirs" not found'
    )


def test_a_pool_of_somebody_else_is_ready_as_soon_as_it_is_taken() -> None:
    spec = {"router": {"scheduler": {"pool": {"ref": {"name": "theirs"}}}}}
    found = []
    for parent in (taken(said("Accepted", "False")), TAKEN):
        state = pool_state(resolved(spec), [], Cluster([pool(parent, name="theirs")]))
        assert state.condition is not None
        found.append(state.condition.status)
    assert found == ["False", "True"]
