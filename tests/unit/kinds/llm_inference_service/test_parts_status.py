# SPDX-License-Identifier: GPL-3.0-or-later
"""What a status says a service consists of, from KServe 0.19 on."""

from __future__ import annotations

import dataclasses

import pytest

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.crd import crd
from module_utils.kinds.llm_inference_service.observe import observe
from module_utils.kinds.llm_inference_service.resolved import Resolved
from module_utils.kube.manifest import Json
from tests.objects import Cluster

from . import preset_world
from .build import document
from .preset_world import preset
from .release_pairs import CLAIM, settings
from .test_observe import NAMED, ROUTED, WORLD, deployment, parent
from .world import resolved, stopped, thing

NEW = ("appliedConfigs", "router", "workloads")
GATEWAY: Json = {
    "group": "gateway.networking.k8s.io",
    "kind": "Gateway",
    "name": "gw",
    "namespace": "team-a",
}
SERVICE = {"kind": "Service", "name": "chat-kserve-workload-svc"}
MAIN = {"apiGroup": "apps", "kind": "Deployment", "name": "chat-kserve"}
GROUPS = "leaderworkerset.x-k8s.io"


def at(found: Resolved, release: str = "0.19") -> Resolved:
    return dataclasses.replace(found, settings=settings(release))


def status_of(spec: Json, *objects: Json, release: str = "0.19") -> Json:
    return observe(at(resolved(spec), release), Cluster([*WORLD, *objects])).status


@pytest.mark.parametrize("release", ["0.17", "0.18"])
def test_earlier_releases_do_not_say_it(release: str) -> None:
    status = status_of(ROUTED, deployment(), release=release)
    assert not set(NEW) & status.keys()
    assert all("origin" not in each for each in status["addresses"])


def test_a_routed_service_names_its_gateway_its_route_and_its_workload() -> None:
    status = status_of(ROUTED, deployment())
    route = {
        "group": "gateway.networking.k8s.io",
        "kind": "HTTPRoute",
        "name": "chat-kserve-route",
        "namespace": "team-a",
    }
    assert status["router"] == {"gateways": [{**GATEWAY, "httpRoutes": [route]}]}
    assert status["workloads"] == {"primary": MAIN, "service": SERVICE}
    assert [each["origin"] for each in status["addresses"]] == [GATEWAY]


def test_a_listener_that_is_named_is_told() -> None:
    parents = [{"name": "gw", "sectionName": "http"}]
    spec = {"router": {"route": {"http": {"spec": {"parentRefs": parents}}}}}
    (found,) = status_of(spec)["router"]["gateways"]
    assert found["listeners"] == ["http"]


@pytest.mark.parametrize(
    ("spec", "workloads"),
    [
        (
            {"worker": {}, "prefill": {}},
            {
                "primary": {
                    "apiGroup": GROUPS,
                    "kind": "LeaderWorkerSet",
                    "name": "chat-kserve-mn",
                },
                "prefill": {**MAIN, "name": "chat-kserve-prefill"},
                "service": SERVICE,
            },
        ),
        (
            {"router": {"scheduler": {"template": {}}}},
            {
                "primary": MAIN,
                "service": SERVICE,
                "scheduler": {**MAIN, "name": "chat-kserve-router-scheduler"},
            },
        ),
    ],
)
def test_all_workloads_are_named(spec: Json, workloads: Json) -> None:
    assert status_of(spec)["workloads"] == workloads


def test_a_pool_is_told_beside_a_route_with_who_asks_for_it() -> None:
    spec = {"router": {**ROUTED["router"], "scheduler": {"template": {}}}}
    assert status_of(spec)["router"]["scheduler"] == {
        "inferencePool": {
            "group": "inference.networking.k8s.io",
            "kind": "InferencePool",
            "name": "chat-inference-pool",
        },
        "service": {"group": "", "kind": "Service", "name": "chat-epp-service"},
    }
    alone = status_of({"router": {"scheduler": {"template": {}}}})
    assert "router" not in alone


def test_a_pool_that_is_not_there_is_not_told_and_ends_what_is_told() -> None:
    pool = {"ref": {"name": "theirs"}}
    spec = {"router": {**ROUTED["router"], "scheduler": {"pool": pool}}}
    missing = status_of(spec)
    assert "scheduler" not in missing["router"]
    assert "workloads" not in missing
    there = thing("inference.networking.k8s.io/v1", "InferencePool", "theirs")
    found = status_of(spec, there)
    assert found["router"]["scheduler"]["inferencePool"]["name"] == "theirs"
    assert found["workloads"]["service"] == SERVICE


def test_a_stopped_service_consists_of_nothing() -> None:
    found = observe(at(stopped(ROUTED)), Cluster([*WORLD[:-1], parent(router={"gateways": []})]))
    assert not {"router", "workloads"} & found.status.keys()


def test_what_was_said_stays_where_a_reference_leads_nowhere() -> None:
    before = {"router": {"gateways": [GATEWAY]}, "workloads": {"service": SERVICE}}
    found = observe(at(resolved(NAMED)), Cluster([parent(**before), thing("v1", "Gateway", "no")]))
    assert {key: found.status.get(key) for key in before} == before


def test_configs_of_the_cluster_are_named_with_who_chose_them() -> None:
    mine = preset("mine", {"labels": {"a": "b"}}, "team-a")
    given = document(**CLAIM, baseRefs=[{"name": "mine"}])
    found = preset_world.resolved(given, mine, settings=settings("0.19"))
    assert list(found.applied) == [
        {"name": "kserve-config-llm-template", "namespace": "kserve", "source": "Preset"},
        {"name": "mine", "namespace": "team-a", "source": "UserRef"},
    ]
    assert observe(found, Cluster([])).status["appliedConfigs"] == list(found.applied)


@pytest.mark.parametrize(("release", "declared"), [(KServe.V0_18, False), (KServe.V0_19, True)])
def test_the_definition_of_a_release_declares_what_its_status_says(
    release: KServe, declared: bool
) -> None:
    (version,) = crd(release)["spec"]["versions"]
    status = version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    assert all((name in status) is declared for name in NEW)
    assert ("origin" in status["addresses"]["items"]["properties"]) is declared
