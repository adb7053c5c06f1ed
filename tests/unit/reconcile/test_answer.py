# SPDX-License-Identifier: GPL-3.0-or-later
"""A service that is asked: what is sent, by which way, what counts as an answer, and which hop failed where there is none."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.cluster.connection import (
    Cluster,
    connect,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.answered import Answered
from ansible_collections.modelops.inference.plugins.module_utils.kinds.entrance import Backend
from ansible_collections.modelops.inference.plugins.module_utils.kinds.protocols import (
    OPENAI,
    V1,
    V2,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.request import Request
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from ansible_collections.modelops.inference.plugins.module_utils.reconcile.answer import (
    Inquiry,
    ask,
    ask_all,
)
from ansible_collections.modelops.inference.plugins.module_utils.reconcile.answer_options import (
    API_SERVER,
    AnswerOptions,
)
from ansible_collections.modelops.inference.plugins.module_utils.reconcile.verdict import LIMIT
from tests.unit.cluster.faulty import (
    Behaviour,
    FakeTime,
    Script,
    answer,
    drip,
    reset,
    serving,
    stall,
    status,
)
from tests.unit.cluster.pki import Authority

Json = dict[str, Any]
#: Where nobody listens.
NOBODY = "http://127.0.0.1:9"
MODELS = {"object": "list", "data": [{"id": "acme/other"}, {"id": "acme/chat"}]}
SERVES = answer(MODELS, x_served_by="chat-decode-0")
ROUTE = Reference("gateway.networking.k8s.io/v1", "HTTPRoute", "team-a", "chat")
GATEWAY = Reference("gateway.networking.k8s.io/v1", "Gateway", "gateways", "gw")


def request(url: str, **fields: Any) -> Request:
    parts = urlsplit(url)
    made = Request(
        OPENAI,
        "acme/chat",
        parts.scheme,
        parts.hostname or "",
        parts.port or 80,
        route=ROUTE,
        gateway=GATEWAY,
    )
    return replace(made, **fields)


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def cluster(time: FakeTime) -> Iterator[Cluster]:
    """A connection over which nothing goes, and whose clock jumps ahead when somebody waits."""
    with connect({"host": NOBODY, "environment": {}}, timing=time.timing()) as made:
        yield made


def asked(cluster: Cluster, found: Request, **options: Any) -> Answered:
    return ask(cluster, Inquiry(found, lambda: found), AnswerOptions(**options))


def test_answer_names_the_model_and_who_served_it(cluster: Cluster) -> None:
    with serving(always=SERVES) as script:
        found = asked(cluster, request(script.url, headers={"X-Service": "chat"}))
    assert (found.status, found.model, found.served_by) == (200, "acme/chat", "chat-decode-0")
    assert (found.through, found.fault) == ("gateway", "")
    (seen,) = script.seen
    assert (seen.method, seen.path, seen.headers["X-Service"]) == ("GET", "/v1/models", "chat")
    assert cluster.stats.requests == 0


def test_host_name_path_and_own_headers_are_sent(cluster: Cluster) -> None:
    with serving(always=SERVES) as script:
        asked(
            cluster,
            request(script.url, host="chat.example.com", path="/team-a/chat"),
            headers={"Authorization": "Bearer letmein"},
        )
    (seen,) = script.seen
    assert seen.path == "/team-a/chat/v1/models"
    assert seen.headers["Host"] == "chat.example.com"
    assert seen.headers["Authorization"] == "Bearer letmein"


def test_own_path_and_body_are_posted(cluster: Cluster) -> None:
    with serving(always=answer({"choices": []})) as script:
        found = asked(
            cluster, request(script.url), path="/v1/chat/completions", body=b'{"model": "x"}'
        )
    (seen,) = script.seen
    assert (found.status, found.fault) == (200, "")
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert (seen.body, seen.headers["Content-Type"]) == (b'{"model": "x"}', "application/json")


@pytest.mark.parametrize(
    ("protocol", "path", "said", "fault"),
    [
        (V1, "/v1/models/acme/chat", {"name": "acme/chat", "ready": "True"}, ""),
        (V1, "/v1/models/acme/chat", {"name": "acme/chat", "ready": "False"}, "is not ready"),
        (V2, "/v2/models/acme/chat/ready", {"ready": True}, ""),
        (V2, "/v2/models/acme/chat/ready", {"ready": False}, "is not ready"),
        (OPENAI, "/v1/models", {"data": [{"id": "other"}]}, "does not serve acme/chat; it names other"),
        (OPENAI, "/v1/models", {"data": "no list"}, "it names none"),
        (OPENAI, "/v1/models", ["no map"], "it names none"),
        (OPENAI, "/v1/models", b"<html>", "it names none"),
        (OPENAI, "/v1/models", b"[" * 100_000, "it names none"),
    ],
)  # fmt: skip
def test_protocol_says_where_the_model_is_told(
    cluster: Cluster, protocol: Any, path: str, said: Any, fault: str
) -> None:
    with serving(always=answer(said)) as script:
        found = asked(cluster, request(script.url, protocol=protocol), timeout=1.0)
    assert script.seen[0].path == path
    assert fault in found.fault
    assert bool(found.fault) == bool(fault)


@pytest.mark.parametrize(
    ("behaviour", "fault", "again"),
    [
        (answer(b"", 404), "404, no route matches the request; expected is HTTPRoute team-a/chat, with a path below /, header X-Service: chat", True),
        (answer(b"no healthy upstream", 503), "503, no endpoint is ready behind it: no healthy upstream", True),
        (answer(b"", 302, Location="https://sso.example.com/?token=abcdefgh"), "redirects to https://sso.example.com/", False),
        (answer(b"who?", 401), "401, credentials are required; set them in answer.headers: who?", False),
        (answer(b"x\n  api_key='letmein'", 400), "400: x api_key='<masked", False),
        (answer(b"x" * 5000, 500), "500: " + "x" * 200, True),
        (answer(b"slow down", 429), "429: slow down", True),
        (reset, "broke off without an answer", True),
        (answer(b"x" * (LIMIT + 1)), f"the answer is longer than {LIMIT} bytes, of which no more is read", False),
    ],
)  # fmt: skip
def test_failure_names_the_hop(
    cluster: Cluster, behaviour: Behaviour, fault: str, *, again: bool
) -> None:
    with serving(always=behaviour) as script:
        found = asked(cluster, request(script.url, headers={"X-Service": "chat"}), timeout=9.0)
    assert fault in found.fault
    assert "letmein" not in found.fault
    assert (len(script.seen) > 1) is again


def test_redirect_is_not_followed(cluster: Cluster) -> None:
    with serving() as other, serving(always=answer(b"", 307, Location=other.url)) as script:
        asked(cluster, request(script.url), headers={"Authorization": "Bearer letmein"})
        assert other.seen == []


def test_service_that_answers_late_is_asked_until_it_does(cluster: Cluster, time: FakeTime) -> None:
    busy = answer(b"", 503)
    with serving(busy, busy, always=SERVES) as script:
        assert asked(cluster, request(script.url)).fault == ""
    assert len(time.pauses) == 2
    assert len(script.seen) == 3


def test_time_is_up_when_it_is_up(cluster: Cluster, time: FakeTime) -> None:
    began = time.now
    with serving(always=answer(b"", 503)) as script:
        assert asked(cluster, request(script.url), timeout=20.0).status == 503
    assert time.now - began <= 20


def test_what_leads_to_a_service_is_looked_up_again(cluster: Cluster) -> None:
    with serving(always=SERVES) as script:
        waiting = request("", note="Gateway gateways/gw has no address yet")
        inquiry = Inquiry(waiting, lambda: request(script.url))
        assert ask(cluster, inquiry, AnswerOptions()).fault == ""
    assert inquiry.request.url == script.url


def test_missing_address_is_said(cluster: Cluster) -> None:
    waiting = request("", note="Gateway gateways/gw has no address yet")
    found = asked(cluster, waiting, timeout=3.0)
    assert found.fault == "no address: Gateway gateways/gw has no address yet"


def test_server_that_is_not_there_is_said(cluster: Cluster) -> None:
    found = asked(cluster, request(NOBODY), timeout=3.0)
    assert found.fault.startswith("no connection to http://127.0.0.1:")


@pytest.mark.parametrize("slow", [stall, drip(b"x", 0.01)])
def test_answer_that_does_not_end_is_given_up(slow: Behaviour) -> None:
    with (
        connect({"host": NOBODY, "environment": {}}, request_timeout=0.3) as cluster,
        serving(always=slow) as script,
    ):
        found = asked(cluster, request(script.url), timeout=0.5)
    assert "gave no complete answer within" in found.fault


class TestTls:
    AUTHORITY = Authority()

    @pytest.fixture
    def gateway(self, tmp_path: Path) -> Iterator[Script]:
        pair = self.AUTHORITY.issue("server", host="chat.example.com")
        (tmp_path / "server.pem").write_text(pair.certificate + pair.key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tmp_path / "server.pem")
        with serving(always=SERVES, tls=context) as script:
            yield script

    def test_certificate_of_the_host_name_is_trusted(
        self, cluster: Cluster, gateway: Script
    ) -> None:
        found = request(gateway.url, host="chat.example.com")
        assert asked(cluster, found, ca=self.AUTHORITY.pem).fault == ""

    def test_certificate_that_nobody_vouches_for_is_said(
        self, cluster: Cluster, gateway: Script
    ) -> None:
        found = asked(cluster, request(gateway.url, host="chat.example.com"))
        assert found.fault.startswith(
            f"TLS with {gateway.url} failed: its certificate is not signed"
        )
        assert "answer.tls.ca_cert" in found.fault
        assert gateway.seen == []

    def test_certificate_for_another_name_is_said(self, cluster: Cluster, gateway: Script) -> None:
        found = asked(cluster, request(gateway.url), ca=self.AUTHORITY.pem)
        assert "its certificate is for another name" in found.fault

    def test_certificate_may_be_left_unverified(self, cluster: Cluster, gateway: Script) -> None:
        assert asked(cluster, request(gateway.url), verify=False).fault == ""


SERVICES = "/api/v1/namespaces/{}/services"


class TestThroughTheApiServer:
    """The API server is played: what it passes on, and what it says by itself."""

    @staticmethod
    def served(*proxied: Behaviour, services: list[Json]) -> Behaviour:
        steps = list(proxied)

        def act(handler: Any) -> None:
            if "/proxy/" in handler.path:
                (steps.pop(0) if len(steps) > 1 else steps[0])(handler)
            elif "labelSelector" in handler.path:
                answer({"kind": "ServiceList", "metadata": {}, "items": services})(handler)
            else:
                status(404, "NotFound", name="gw", kind="services")(handler)

        return act

    @staticmethod
    def service(name: str, port: int) -> Json:
        return {
            "metadata": {"name": name, "namespace": "gateways"},
            "spec": {"ports": [{"port": port}]},
        }

    def asked(self, script: Script, found: Request, **options: Any) -> Answered:
        auth = {"host": script.url, "api_key": "ours", "environment": {}}
        with connect(auth, timing=FakeTime().timing()) as cluster:
            return asked(cluster, found, through=API_SERVER, **options)

    def test_service_of_the_gateway_gets_the_request(self) -> None:
        behaviour = self.served(SERVES, services=[self.service("gw-istio", 443)])
        found = request(
            "https://192.0.2.1:443", host="chat.example.com", headers={"X-Service": "chat"}
        )
        with serving(always=behaviour) as script:
            answered = self.asked(script, found)
        seen = script.seen[-1]
        assert (answered.status, answered.through) == (200, "apiserver")
        assert (
            seen.path == "/api/v1/namespaces/gateways/services/https:gw-istio:443/proxy/v1/models"
        )
        assert seen.headers["X-Service"] == "chat"
        assert seen.headers["Host"] == "chat.example.com"
        assert len(script.seen) <= 5

    def test_pods_are_asked_where_the_gateway_has_no_service(self) -> None:
        backend = Backend("chat-svc", "team-a", 8000, tls=True)
        found = request("http://192.0.2.1", path="/team-a/chat", backend=backend)
        with serving(always=self.served(SERVES, services=[])) as script:
            assert self.asked(script, found).fault == ""
        assert (
            script.seen[-1].path
            == "/api/v1/namespaces/team-a/services/https:chat-svc:8000/proxy/v1/models"
        )

    def test_without_any_service_there_is_no_way(self) -> None:
        with serving(always=self.served(SERVES, services=[])) as script:
            found = self.asked(script, request("http://192.0.2.1"))
        assert (
            found.fault
            == "no address: Gateway gateways/gw has no Service, and its pods have none of their own"
        )

    def test_missing_right_is_named(self) -> None:
        refused = status(403, "Forbidden", 'services "gw" is forbidden')
        behaviour = self.served(refused, services=[self.service("gw", 80)])
        with serving(always=behaviour) as script:
            found = self.asked(script, request("http://192.0.2.1"))
        assert (
            "403, the user of this task needs the verb get, or create with a body, on services/proxy"
            in found.fault
        )

    def test_service_without_endpoints_is_asked_again(self) -> None:
        none = status(503, "ServiceUnavailable", 'no endpoints available for service "gw"')
        behaviour = self.served(none, SERVES, services=[self.service("gw", 80)])
        with serving(always=behaviour) as script:
            assert self.asked(script, request("http://192.0.2.1")).fault == ""

    def test_login_stays_with_the_api_server(self) -> None:
        behaviour = self.served(SERVES, services=[self.service("gw", 80)])
        with serving(always=behaviour) as script:
            self.asked(script, request("http://192.0.2.1"))
        assert {seen.headers["Authorization"] for seen in script.seen} == {"Bearer ours"}


def test_services_of_a_fleet_are_asked_side_by_side(cluster: Cluster) -> None:
    references = [Reference("v1", "X", "team-a", str(number)) for number in range(20)]
    with serving(always=SERVES) as script:
        inquiries = {one: Inquiry(request(script.url), lambda: request("")) for one in references}
        found = ask_all(cluster, inquiries, AnswerOptions())
    assert {answered.status for answered in found.values()} == {200}
    assert list(found) == references
    assert json.dumps([answered.to_dict() for answered in found.values()])
