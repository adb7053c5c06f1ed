# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that share requests by weights: what each of them sees of the others, and where its route leads."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.llm_inference_service.compile import compile as compile_service
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.observe import observe
from module_utils.kinds.llm_inference_service.router.routing_group import standing
from module_utils.kinds.llm_inference_service.spec import LlmInferenceService
from module_utils.kinds.peers import Peers
from module_utils.kube.intent import Intent
from module_utils.kube.problem import InputError
from module_utils.kube.reader import GivenObjects, Reader

from .build import document, messages_of
from .preset_world import ROUTER, preset, world
from .release_pairs import CLAIM, settings
from .world import CLASS, gateway

Json = dict[str, Any]
POOLS, OLD_POOLS = "inference.networking.k8s.io", "inference.networking.x-k8s.io"
LABEL = "serving.kserve.io/routing-group"
STOP = {"serving.kserve.io/stop": "true"}
#: What a service says of itself that works.
WORKS: Json = {
    "conditions": [{"type": "RouterReady", "status": "True"}],
    "workloads": {part: {"readyReplicas": 1} for part in ("primary", "scheduler")},
}
SECOND = settings("0.20")


def member(name: str, weight: int = 1, group: str = "blue", **spec: Any) -> Json:
    """Return a service of a group whose model has the name of the group."""
    router = {**ROUTER, "route": {"group": group, "weight": weight}}
    model = {**CLAIM["model"], "name": "m"}
    return document(name, **{"model": model, "router": router, **spec})


def live(given: Json, status: Json | None = None, **metadata: Any) -> Json:
    """Return a service as it is in the cluster."""
    service = typed(given)
    found = {**service.document["metadata"], **metadata}
    return {**service.document, "metadata": found, "status": WORKS if status is None else status}


def typed(given: Json) -> LlmInferenceService:
    loaded = load(given, SECOND)
    assert loaded.service is not None, loaded.problems
    return loaded.service


def compiled(given: list[Json], reader: Reader, peers: Peers | None = None) -> dict[str, Intent]:
    """Return the services of a task, compiled together."""
    services = [typed(one) for one in given]
    seen = peers or Peers(services)
    return {each.name: compile_service(each, SECOND, reader, seen) for each in services}


def backends(intent: Intent, rule: int = 0) -> list[tuple[str, str, int]]:
    """Return kind, name and weight of each backend of a rule of the managed route."""
    (route,) = [child.manifest for child in intent.children if child.manifest.kind == "HTTPRoute"]
    named = route.body["spec"]["rules"][rule]["backendRefs"]
    return [(each["kind"], each["name"], each.get("weight", 1)) for each in named]


def pool(name: str, weight: int) -> tuple[str, str, int]:
    return ("InferencePool", f"{name}-inference-pool", weight)


A, B = member("a", 3), member("b", 1)


def test_the_route_of_each_member_leads_to_all_that_work() -> None:
    found = compiled([B, A], world(live(A), live(B)))
    for name in ("a", "b"):
        assert backends(found[name]) == [pool("a", 3), pool("b", 1)]
        labels = [each.manifest.labels for each in found[name].children]
        assert sum(LABEL in each for each in labels) == 1
        assert found[name].parent["metadata"]["labels"] == {LABEL: "blue"}


def test_pools_of_a_group_are_of_the_new_api_group() -> None:
    (route,) = [
        each.manifest
        for each in compiled([A], world())["a"].children
        if each.manifest.kind == "HTTPRoute"
    ]
    (backend,) = route.body["spec"]["rules"][0]["backendRefs"]
    assert (backend["group"], backend["port"]) == (POOLS, 8000)


def test_a_member_that_does_not_work_yet_gets_nothing_of_the_others() -> None:
    found = compiled([A, B], world(live(A)))
    assert backends(found["a"]) == [pool("a", 3)]
    assert backends(found["b"]) == [pool("a", 3), pool("b", 1)]
    assert [each.name for each in found["a"].peers] == ["b"]


NOT_WORKING: dict[str, Json] = {
    "nothing is said of it": {},
    "its router does not work": {
        **WORKS,
        "conditions": [{"type": "RouterReady", "status": "False"}],
    },
    "no pod serves": {**WORKS, "workloads": {"primary": {"readyReplicas": 0}}},
    "no prefill pod": {
        **WORKS,
        "workloads": {**WORKS["workloads"], "prefill": {"readyReplicas": 0}},
    },
    "no picker": {**WORKS, "workloads": {"primary": {"readyReplicas": 1}, "scheduler": {}}},
}
#: A part without a count stands for none that is asked for.
NOT_WORKING["no picker"]["workloads"]["scheduler"] = {"name": "p"}


@pytest.mark.parametrize("how", NOT_WORKING)
def test_a_status_says_whether_a_member_takes_part(how: str) -> None:
    found = compiled([A, B], world(live(A), live(B, NOT_WORKING[how])))
    assert backends(found["a"]) == [pool("a", 3)]
    assert standing(NOT_WORKING[how]) != standing(WORKS)


def test_without_a_cluster_all_services_of_the_task_take_part() -> None:
    found = compiled([A, B], GivenObjects())["a"]
    rules = [backends(found, number) for number in range(4)]
    assert [pool("a", 3), pool("b", 1)] in rules
    assert [pool("a", 1)] in rules


def test_a_cluster_without_the_kind_has_no_status_to_ask() -> None:
    services = [typed(A), typed(B)]
    kind = (services[0].reference.api_version, services[0].reference.kind)
    found = compiled([A, B], world(), Peers(services, unserved={kind}))
    assert backends(found["a"]) == [pool("a", 3), pool("b", 1)]


def test_members_of_the_cluster_that_the_task_does_not_give_take_part() -> None:
    there = [
        live(A),
        live(B),
        live(member("c", group="green")),
        live(member("d"), deletionTimestamp="2026-01-01T00:00:00Z"),
    ]
    assert backends(compiled([A], world(*there))["a"]) == [pool("a", 3), pool("b", 1)]


def test_one_that_goes_with_this_run_takes_no_part() -> None:
    peers = Peers([typed(A)], leaves=lambda found: found["metadata"]["name"] == "b")
    assert backends(compiled([A], world(live(A), live(B)), peers)["a"]) == [pool("a", 3)]


def test_what_the_task_says_of_a_member_wins_over_what_is_there() -> None:
    heavier = compiled([A, member("b", 7)], world(live(A), live(B)))
    assert backends(heavier["a"]) == [pool("a", 3), pool("b", 7)]
    elsewhere = compiled([A, member("b", group="green")], world(live(A), live(B)))
    assert backends(elsewhere["a"]) == [pool("a", 3)]
    alone = compiled([A, document("b", **CLAIM, router=ROUTER)], world(live(A), live(B)))
    assert backends(alone["a"]) == [pool("a", 3)]
    assert LABEL not in str(alone["b"].children)


def test_a_stopped_member_is_told_and_gets_nothing() -> None:
    stopped = {**B, "metadata": {**B["metadata"], "annotations": STOP}}
    found = compiled([A, stopped], world(live(A), live(B)))
    assert backends(found["a"]) == [pool("a", 3)]
    assert found["b"].children == ()
    members = found["a"].basis.group.members
    assert [(each.name, each.stopped) for each in members] == [("a", False), ("b", True)]


def test_members_without_picker_are_their_services() -> None:
    plain = member("b", router={"gateway": {}, "route": {"group": "blue", "weight": 1}})
    theirs = member(
        "c", router={**A["spec"]["router"], "scheduler": {"pool": {"ref": {"name": "x"}}}}
    )
    found = compiled([A, plain, theirs], world(*map(live, (A, plain, theirs))))
    assert backends(found["a"]) == [
        pool("a", 3),
        ("Service", "b-kserve-workload-svc", 1),
        ("InferencePool", "x", 3),
    ]
    assert backends(found["b"]) == backends(found["c"]) == backends(found["a"])


def test_a_member_whose_picker_comes_from_a_base_is_what_its_status_says() -> None:
    based = member(
        "b",
        baseRefs=[{"name": "more"}],
        router={"gateway": {}, "route": {"group": "blue", "weight": 1}},
    )
    named = {"group": POOLS, "kind": "InferencePool", "name": "b-inference-pool"}
    there = {**WORKS, "router": {"scheduler": {"inferencePool": named}}}
    base = preset("more", {"router": {"scheduler": {}}}, "team-a")
    found = compiled([A, based], world(live(A), live(based, there), base))
    assert backends(found["a"]) == backends(found["b"]) == [pool("a", 3), pool("b", 1)]


def test_rules_below_the_own_path_and_those_of_the_author_stay() -> None:
    own = {"group": POOLS, "kind": "InferencePool", "name": "a-inference-pool", "port": 8000}
    other = {"name": "elsewhere", "port": 80}
    rules = [
        {"matches": [{"path": {"value": path}}], "backendRefs": [backend]}
        for path, backend in (
            ("/v1", own),
            ("/team-a/a/v1", own),
            ("/team-a/a", own),
            ("/team-a/ab", own),
            ("/health", other),
        )
    ]
    route = {"group": "blue", "weight": 3, "http": {"spec": {"rules": rules}}}
    given = member("a", router={**ROUTER, "route": route})
    intent = compiled([given, B], world(live(given), live(B)))["a"]
    assert [len(backends(intent, number)) for number in range(5)] == [2, 1, 1, 2, 1]


def test_members_that_serve_other_models_are_told_and_get_nothing() -> None:
    other = member("b", model={**CLAIM["model"], "name": "n"})
    adapters = {"adapters": [{"name": "x", "uri": "hf://a/x"}]}
    more = member("c", model={**CLAIM["model"], "name": "m", "lora": adapters})
    reader = world(*map(live, (A, other, more)), CLASS, gateway("main", namespace="kserve"))
    found = compiled([A, other, more], reader)["a"]
    assert backends(found) == [pool("a", 3)]
    said = {one["type"]: one for one in observe(found.basis, reader).status["conditions"]}
    assert said["GroupReady"]["status"] == said["GroupDegraded"]["status"] == "True"
    assert said["GroupDegraded"]["reason"] == "MemberDivergence"
    assert said["GroupDegraded"]["message"] == "group has members with different model sets: m+x, n"


def test_names_of_models_in_a_status_have_a_namespace_and_count_all_the_same() -> None:
    models = [{"name": "publishers/team-a/models/m"}, {"name": "m"}]
    there = {**WORKS, "addresses": [{"url": "http://x", "models": models}]}
    based = member("b", model=CLAIM["model"], baseRefs=[{"name": "more"}])
    found = compiled([A], world(live(A), live(based, there)))
    assert backends(found["a"]) == [pool("a", 3), pool("b", 1)]


def test_the_status_shows_the_members() -> None:
    plain = member("c", router={"gateway": {}, "route": {"group": "blue", "weight": 0}})
    reader = world(*map(live, (A, B, plain)), CLASS, gateway("main", namespace="kserve"))
    status = observe(compiled([A, B, plain], reader)["a"].basis, reader).status
    service = {"group": "", "kind": "Service", "name": "c-kserve-workload-svc", "port": 8000}
    named = {"group": POOLS, "kind": "InferencePool", "port": 8000}
    assert status["router"]["group"] == {
        "name": "blue",
        "members": [
            {"name": "a", "weight": 3, "backendRef": {**named, "name": "a-inference-pool"}},
            {"name": "b", "weight": 1, "backendRef": {**named, "name": "b-inference-pool"}},
            {"name": "c", "weight": 0, "backendRef": service},
        ],
    }
    alone = document("a", **CLAIM, router=ROUTER)
    status = observe(compiled([alone], reader)["a"].basis, reader).status
    assert "group" not in status["router"]
    assert not [one for one in status["conditions"] if one["type"].startswith("Group")]


def test_a_group_of_a_preset_is_refused() -> None:
    base = preset("more", {"router": {"route": {"group": "blue", "weight": 1}}}, "team-a")
    given = document("a", **CLAIM, router=ROUTER, baseRefs=[{"name": "more"}])
    with pytest.raises(InputError) as refused:
        compiled([given], world(base))
    assert "write group and weight into the service" in str(refused.value)


def test_the_label_of_a_group_follows_the_group() -> None:
    given = {**B, "metadata": {**B["metadata"], "labels": {LABEL: "red", "team": "x"}}}
    assert typed(given).document["metadata"]["labels"] == {LABEL: "blue", "team": "x"}
    alone = {**document("a"), "metadata": given["metadata"]}
    assert typed(alone).document["metadata"]["labels"] == {"team": "x"}
    older = load(alone, settings("0.19")).service
    assert older is not None
    assert older.document["metadata"]["labels"] == {LABEL: "red", "team": "x"}


GROUP, WEIGHT = "spec.router.route.group", "spec.router.route.weight"
#: A router, the field that is refused, and a part of what is said.
REFUSED: dict[str, tuple[Json, str, str]] = {
    "a weight alone": ({"route": {"weight": 1}}, GROUP, "weight requires group"),
    "a group alone": ({"route": {"group": "a"}}, WEIGHT, "group requires weight"),
    "routes of the author": (
        {"route": {"group": "a", "weight": 1, "http": {"refs": [{"name": "x"}]}}},
        GROUP,
        "cannot be used with custom HTTPRoute refs",
    ),
    "an ingress": (
        {"route": {"group": "a", "weight": 1}, "ingress": {}},
        GROUP,
        "traffic splitting requires Gateway API routing",
    ),
    "no label value": ({"route": {"group": "A_", "weight": 1}}, GROUP, ""),
    "too heavy": ({"route": {"group": "a", "weight": 1000001}}, WEIGHT, "1000000"),
    "lighter than nothing": ({"route": {"group": "a", "weight": -1}}, WEIGHT, "0"),
}


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@pytest.mark.parametrize("what", REFUSED)
def test_what_the_webhook_refuses_of_a_group(what: str, version: str) -> None:
    router, field, text = REFUSED[what]
    told = messages_of(document(version=version, router=router), SECOND)
    assert list(told) == [field]
    assert text in told[field]
