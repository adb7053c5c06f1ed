# SPDX-License-Identifier: GPL-3.0-or-later
"""From KServe 0.19 on requests may name their model in a header: whether routes take them, and where a service is reached."""

from __future__ import annotations

import pytest

from module_utils.kinds.llm_inference_service.router.addresses import service_addresses
from module_utils.kube.manifest import Json
from tests.objects import Cluster

from .build import document
from .preset_world import preset, resolved, system_config
from .release_pairs import CLAIM, settings
from .world import CLASS, gateway, service

HEADER = "X-Gateway-Model-Name"

#: A route as 0.19's preset has it: one rule by path, one by the model's name in a header.
BY_MODEL: Json = {
    "router": {
        "route": {
            "http": {
                "spec": {
                    "parentRefs": [{"name": "gw", "namespace": "team-a"}],
                    "rules": [
                        {
                            "matches": [{"path": {"value": "/team-a/chat"}}],
                            "backendRefs": [{"name": "chat-kserve-workload-svc", "port": 8000}],
                        },
                        {
                            "matches": [
                                {
                                    "headers": [
                                        {
                                            "name": "{{ .GlobalConfig.ModelBasedRoutingHeaderName }}",
                                            "value": "publishers/{{ .Namespace }}/models/{{ .Spec.Model.Name }}",
                                        }
                                    ]
                                }
                            ],
                            "backendRefs": [{"name": "chat-kserve-workload-svc", "port": 8000}],
                        },
                    ],
                }
            }
        }
    }
}


def _declining(name: str = "gw") -> Json:
    made = gateway(name)
    made["metadata"]["annotations"] = {"serving.kserve.io/model-based-routing-enabled": "false"}
    return made


REF: Json = {"route": {}, "gateway": {"refs": [{"name": "gw"}]}}
MODES: dict[str, tuple[Json, list[Json], int]] = {
    "by default": ({"route": {}}, [], 2),
    "switched off": (
        {"route": {}},
        [system_config(ingress={"modelBasedRoutingMode": "Disabled"})],
        1,
    ),
    "what nobody knows is the default": (
        {"route": {}},
        [system_config(ingress={"modelBasedRoutingMode": "maybe"})],
        2,
    ),
    "a gateway of the author declines": (REF, [_declining()], 1),
    "a gateway that the preset names has no say": ({"route": {}}, [_declining()], 2),
    "a gateway takes it": (REF, [gateway()], 2),
    "a gateway is not there": (REF, [], 2),
    "a gateway that declines is not asked": (
        REF,
        [_declining(), system_config(ingress={"modelBasedRoutingMode": "forced"})],
        2,
    ),
}


@pytest.mark.parametrize("name", MODES)
def test_requests_may_name_their_model_in_a_header(name: str) -> None:
    router, manifests, rules = MODES[name]
    asking = preset("kserve-config-llm-router-route", BY_MODEL)
    found = resolved(
        document(**CLAIM, router=router), asking, *manifests, settings=settings("0.19")
    )
    made = found.at("router", "route", "http", "spec", "rules")
    assert len(made) == rules
    if rules > 1:
        (header,) = made[1]["matches"][0]["headers"]
        assert (header["name"], header["value"]) == (HEADER, "publishers/team-a/models/chat")


def _route(*rules: Json) -> Json:
    return {
        "metadata": {"name": "r", "namespace": "team-a"},
        "spec": {"parentRefs": [{"name": "gw"}], "rules": list(rules)},
    }


PLAIN: Json = {"matches": [{"path": {"value": "/team-a/chat"}}], "backendRefs": [{"name": "s"}]}
NAMED: Json = {"matches": [{"headers": [{"name": HEADER}]}], "backendRefs": [{"name": "s"}]}
OTHER: Json = {"matches": [{"headers": [{"name": "x"}]}], "backendRefs": [{"name": "s"}]}
OUT, IN = "http://203.0.113.1", "http://gw.team-a.svc.cluster.local"

#: Gateway's addresses and rules → url and addresses under 0.17, 0.18 and 0.19.
REACHED: dict[str, tuple[list[str], list[Json], list[tuple[str, list[tuple[str, str]]]]]] = {
    "from outside": (
        ["203.0.113.1"],
        [PLAIN],
        [
            (f"{OUT}/team-a/chat", [("gateway-external", f"{OUT}/team-a/chat")]),
            (f"{OUT}/team-a/chat", [("gateway-external", f"{OUT}/team-a/chat")]),
            (f"{OUT}/team-a/chat", [("gateway-external", f"{OUT}/team-a/chat")]),
        ],
    ),
    "from inside alone": (
        ["10.0.0.1"],
        [PLAIN],
        [
            ("", [("internal", "http://10.0.0.1/team-a/chat")]),
            ("http://10.0.0.1/team-a/chat", [("internal", "http://10.0.0.1/team-a/chat")]),
            ("http://10.0.0.1/team-a/chat", [("internal", "http://10.0.0.1/team-a/chat")]),
        ],
    ),
    "by the model's name, too": (
        ["203.0.113.1"],
        [PLAIN, NAMED, OTHER],
        [
            (f"{OUT}/team-a/chat", [("gateway-external", f"{OUT}/team-a/chat")]),
            (f"{OUT}/team-a/chat", [("gateway-external", f"{OUT}/team-a/chat")]),
            (
                f"{OUT}/team-a/chat",
                [
                    ("gateway-external-model-routing", f"{OUT}/"),
                    ("gateway-external", f"{OUT}/team-a/chat"),
                ],
            ),
        ],
    ),
}


@pytest.mark.parametrize("name", REACHED)
def test_a_service_is_reached(name: str) -> None:
    addresses, rules, told = REACHED[name]
    reader = Cluster([gateway(addresses=addresses), CLASS])
    for release, (url, named) in zip(("0.17", "0.18", "0.19"), told, strict=True):
        given = resolved(document(**CLAIM, router={"route": {}}), settings=settings(release))
        found = service_addresses(given, [_route(*rules)], reader)
        assert found.url == url, release
        assert [(each["name"], each["url"]) for each in found.addresses] == named, release


def test_the_service_behind_a_gateway_is_named_once() -> None:
    """0.19 leaves it out where an address of the Gateway says the same, and for all paths but the first."""
    reader = Cluster([gateway(addresses=["gw.team-a.svc.cluster.local"]), CLASS, service("gw")])
    found = {}
    for release in ("0.18", "0.19"):
        given = resolved(document(**CLAIM, router={"route": {}}), settings=settings(release))
        made = service_addresses(given, [_route(PLAIN)], reader)
        found[release] = [each["url"] for each in made.addresses]
    assert found == {"0.18": [f"{IN}/team-a/chat"] * 2, "0.19": [f"{IN}/team-a/chat"]}
