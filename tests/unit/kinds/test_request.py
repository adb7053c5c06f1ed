# SPDX-License-Identifier: GPL-3.0-or-later
"""How a service is called: where a request goes, what it says, and the line for a shell that does it."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from module_utils.kinds.entrance import Entrance, engine_protocol, served_name
from module_utils.kinds.protocols import EMBEDDINGS, OPENAI, V1, V2, Protocol
from module_utils.kinds.request import Request, request_of
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects, NotLookedAt
from module_utils.kube.reference import Reference

API = "gateway.networking.k8s.io/v1"
SERVICE = Reference("model.otterscale.io/v1alpha1", "ModelService", "team-a", "chat")
HTTP: Json = {
    "name": "http",
    "port": 80,
    "protocol": "HTTP",
    "allowedRoutes": {"namespaces": {"from": "All"}},
}
HTTPS = {**HTTP, "name": "https", "port": 8443, "protocol": "HTTPS"}
BY_HEADER = {"headers": [{"name": "X-Service", "value": "chat"}]}


def gateway(*listeners: Json, addresses: tuple[str, ...] = ("192.0.2.1",)) -> Json:
    return {
        "apiVersion": API,
        "kind": "Gateway",
        "metadata": {"name": "gw", "namespace": "gateways"},
        "spec": {"listeners": list(listeners)},
        "status": {"addresses": [{"value": one} for one in addresses]},
    }


def route(*matches: Json, hostnames: tuple[str, ...] = (), **parent: Any) -> Json:
    return {
        "apiVersion": API,
        "kind": "HTTPRoute",
        "metadata": {"name": "chat", "namespace": "team-a"},
        "spec": {
            "parentRefs": [{"name": "gw", "namespace": "gateways", **parent}],
            "hostnames": list(hostnames),
            "rules": [{"matches": list(matches), "backendRefs": [{"name": "chat"}]}],
        },
    }


def called(
    one: Json, *objects: Json, protocol: Protocol = OPENAI, model: str = "acme/chat", url: str = ""
) -> Request:
    entrance = Entrance(protocol, model, routes=(one,), targets=frozenset({"chat"}))
    return request_of(entrance, SERVICE, GivenObjects(objects), url)


def path(value: str, kind: str = "PathPrefix") -> Json:
    return {"path": {"type": kind, "value": value}}


@pytest.mark.parametrize(
    ("matches", "base", "headers"),
    [
        ([], "", {}),
        ([path("/")], "", {}),
        ([path("/team-a/chat")], "/team-a/chat", {}),
        ([path("/team-a/chat/v1/completions"), path("/team-a/chat")], "/team-a/chat", {}),
        ([path("/team-a/chat/v1/chat/completions", "Exact")], "/team-a/chat", {}),
        ([path("/v1")], "", {}),
        ([path("^/.*$", "RegularExpression")], "", {}),
        ([path("/serving/team-a/chat/", "RegularExpression")], "/serving/team-a/chat", {}),
        ([path("(", "RegularExpression")], "", {}),
        ([BY_HEADER], "", {"X-Service": "chat"}),
        # A path that needs no header is plainer than the root that does.
        ([BY_HEADER, path("/team-a/chat")], "/team-a/chat", {}),
        ([{**path("/debug"), "queryParams": [{"name": "a", "value": "b"}]}, BY_HEADER], "", {"X-Service": "chat"}),
    ],
)  # fmt: skip
def test_plainest_match_is_taken(matches: list[Json], base: str, headers: Json) -> None:
    found = called(route(*matches), gateway(HTTP))
    assert (found.url, dict(found.headers)) == (f"http://192.0.2.1{base}", headers)


def test_rules_of_another_backend_are_no_way_to_the_service() -> None:
    shared = route(path("/team-a/chat"))
    other = {"matches": [path("/")], "backendRefs": [{"name": "portal"}]}
    shared["spec"]["rules"].insert(0, other)
    assert called(shared, gateway(HTTP)).url == "http://192.0.2.1/team-a/chat"


@pytest.mark.parametrize(
    ("listeners", "hostnames", "parent", "url", "host"),
    [
        ([HTTP], (), {}, "http://192.0.2.1", ""),
        ([HTTPS, HTTP], (), {}, "http://192.0.2.1", ""),
        ([HTTP, HTTPS], ("chat.example.com",), {}, "https://192.0.2.1:8443", "chat.example.com"),
        ([HTTP, HTTPS], (), {"sectionName": "https"}, "https://192.0.2.1:8443", ""),
        ([HTTP, HTTPS], (), {"port": 8443}, "https://192.0.2.1:8443", ""),
        ([{**HTTP, "port": 8080}], (), {}, "http://192.0.2.1:8080", ""),
        ([{**HTTP, "hostname": "*.example.com"}], (), {}, "http://192.0.2.1", "chat.example.com"),
        ([{**HTTP, "hostname": "*.example.com"}], ("a.example.org", "b.example.com"), {}, "http://192.0.2.1", "b.example.com"),
        ([{**HTTP, "hostname": "c.example.com"}], ("*.example.com",), {}, "http://192.0.2.1", "c.example.com"),
    ],
)  # fmt: skip
def test_listener_and_host_name_are_those_that_take_the_route(
    listeners: list[Json], hostnames: tuple[str, ...], parent: Json, url: str, host: str
) -> None:
    found = called(route(hostnames=hostnames, **parent), gateway(*listeners))
    assert (found.url, found.host) == (url, host)


@pytest.mark.parametrize(
    ("one", "objects", "note"),
    [
        (route(), (), "Gateway gateways/gw was not given, so its address is not known"),
        (route(), (gateway(HTTP, addresses=()),), "Gateway gateways/gw has no address yet"),
        (route(sectionName="grpc"), (gateway(HTTP),), "no listener of Gateway gateways/gw takes HTTPRoute team-a/chat"),
        (route(hostnames=("a.org",)), (gateway({**HTTP, "hostname": "b.org"}),), "no listener of Gateway gateways/gw takes HTTPRoute team-a/chat"),
        (route(), (gateway({**HTTP, "allowedRoutes": {}}),), "no listener of Gateway gateways/gw takes HTTPRoute team-a/chat"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_said(one: Json, objects: tuple[Json, ...], note: str) -> None:
    found = called(one, *objects)
    assert (found.url, found.curl, found.note) == ("", "", note)


def test_name_inside_the_cluster_is_said_to_be_one() -> None:
    found = called(route(), gateway(HTTP, addresses=("gw.gateways.svc.cluster.local",)))
    assert found.url == "http://gw.gateways.svc.cluster.local"
    assert found.note == "gw.gateways.svc.cluster.local is a name inside the cluster"


def test_refused_route_is_said() -> None:
    refused = {"type": "Accepted", "status": "False", "reason": "NotAllowed", "message": "no"}
    parent = {"parentRef": {"name": "gw", "namespace": "gateways"}, "conditions": [refused]}
    live = {**route(), "status": {"parents": [parent]}}
    found = called(route(), gateway(HTTP), live)
    assert "NotAllowed: no" in found.note
    assert found.curl


def test_second_gateway_with_an_address_is_better_than_a_first_without() -> None:
    two = route()
    two["spec"]["parentRefs"].insert(0, {"name": "other"})
    assert called(two, gateway(HTTP)).url == "http://192.0.2.1"


@pytest.mark.parametrize(
    ("protocol", "address", "hostnames", "line"),
    [
        (OPENAI, "192.0.2.1", (), ["http://192.0.2.1/v1/chat/completions"]),
        (EMBEDDINGS, "192.0.2.1", (), ["http://192.0.2.1/v1/embeddings"]),
        (OPENAI, "2001:db8::1", (), ["http://[2001:db8::1]/v1/chat/completions"]),
        (V1, "192.0.2.1", ("chat.example.com",), ["--connect-to", "chat.example.com:80:192.0.2.1:80",
                                                  "http://chat.example.com/v1/models/acme/chat:predict"]),
        (V2, "2001:db8::1", ("chat.example.com",), ["--connect-to", "chat.example.com:80:[2001:db8::1]:80",
                                                    "http://chat.example.com/v2/models/acme/chat/infer"]),
    ],
)  # fmt: skip
def test_line_for_a_shell(
    protocol: Protocol, address: str, hostnames: tuple[str, ...], line: list[str]
) -> None:
    one = route(hostnames=hostnames)
    found = called(one, gateway(HTTP, addresses=(address,)), protocol=protocol)
    assert shlex.split(found.curl)[: len(line) + 2] == ["curl", "-sS", *line]


@pytest.mark.parametrize("value", ["it's", 'a"b', "$(reboot)", "a;b", "`x`", "a b", "ü"])
def test_shell_reads_every_value_as_it_is(value: str) -> None:
    match = {"headers": [{"name": "X-Service", "value": value}]}
    words = shlex.split(called(route(match), gateway(HTTP), model=value).curl)
    assert f"X-Service: {value}" in words
    assert called(route(match), gateway(HTTP), model=value).model == value
    body = words[words.index("-d") + 1]
    assert json.loads(body)["model"] == value


def test_secret_that_a_route_asks_for_is_not_shown() -> None:
    match = {"headers": [{"name": "Authorization", "value": "Bearer letmein"}]}
    found = called(route(match), gateway(HTTP))
    assert "letmein" not in str([found.to_dict(), list(found.problems())])
    assert found.headers["Authorization"] == "Bearer letmein"


def test_header_that_nobody_would_guess_is_told() -> None:
    (told,) = called(route(BY_HEADER), gateway(HTTP)).problems()
    assert (told.severity, told.rule) == ("info", "request-header")
    assert "X-Service: chat" in told.message


def test_reported_address_stands_where_no_route_of_ours_leads() -> None:
    entrance = Entrance(V1, "iris")
    found = request_of(entrance, SERVICE, GivenObjects(), "http://iris.team-a.example.com")
    assert found.url == "http://iris.team-a.example.com"
    assert (
        request_of(entrance, SERVICE, GivenObjects()).note
        == "no address of the service is known yet"
    )


class Unread(GivenObjects):
    """A settled run: nobody has looked at gateways."""

    def get(self, reference: Reference) -> Json | None:
        if reference.kind == "Gateway":
            raise NotLookedAt(str(reference))
        return super().get(reference)


@pytest.mark.parametrize(
    ("reported", "url", "note"),
    [
        ("", "", "nothing changed, so Gateway gateways/gw was not looked at: wait: true"),
        ("http://gw.example.com/team-a/chat", "http://gw.example.com/team-a/chat", ""),
    ],
    ids=["nothing is known", "the service reports it"],
)
def test_gateway_that_nobody_looked_at_keeps_no_header_back(
    reported: str, url: str, note: str
) -> None:
    entrance = Entrance(
        OPENAI, "acme/chat", routes=(route(BY_HEADER),), targets=frozenset({"chat"})
    )
    found = request_of(entrance, SERVICE, Unread(), reported)
    assert found.headers == {"X-Service": "chat"}
    assert found.url == url
    assert found.note.startswith(note)
    assert bool(found.note) == bool(note)


def test_address_of_an_ingress_is_what_its_controller_reports() -> None:
    ingress = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "iris", "namespace": "team-a"},
        "spec": {"rules": [{"host": "iris.example.com"}]},
    }
    waiting = called(ingress, ingress, protocol=V1)
    assert (waiting.url, waiting.note) == ("", "Ingress team-a/iris has no address yet")
    live = {**ingress, "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}}
    found = called(ingress, live, protocol=V1)
    assert (found.url, found.host) == ("http://192.0.2.7", "iris.example.com")


@pytest.mark.parametrize(
    ("container", "name"),
    [
        ({"args": ["--served-model-name", "a", "b"]}, "a"),
        ({"args": ["--served-model-name=a"]}, "a"),
        ({"args": ["--served_model_name=a", "--served-model-name=b"]}, "b"),
        ({"command": ["sh", "-c", "exec vllm serve /m --served-model-name 'a' \"$@\""]}, "a"),
        ({"args": ["--served-model-name=$(N)"], "env": [{"name": "N", "value": "a"}]}, "a"),
        ({"args": ["--model", "a"]}, ""),
    ],
)  # fmt: skip
def test_served_name_is_what_the_engine_is_told(container: Json, name: str) -> None:
    assert served_name([{}, container]) == name


def test_model_that_makes_vectors_does_not_chat() -> None:
    assert engine_protocol([{"args": ["--task=embed"]}]) is EMBEDDINGS
    assert engine_protocol([{"args": ["--runner", "pooling"]}]) is EMBEDDINGS
    assert engine_protocol([{"args": ["--task=generate"]}]) is OPENAI
