# SPDX-License-Identifier: GPL-3.0-or-later
"""A wait that ends with a real answer: a server of this test stands where the address of a Gateway leads, or behind its Service."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.filter.rights import least_privilege
from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.cluster import Cluster, grant
from tests.lab.proxy import Proxy

from .support.entries import Entries
from .support.services import reference, small

API = "gateway.networking.k8s.io/v1"
HEADER = "OtterScale-Model-Name"


class Upstream:
    """A gateway with one service behind it, `chat`. wrong: what it does in place of an answer: a status, and what it says."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []
        self.wrong: tuple[int, bytes] | None = None
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                named = self.headers.get(HEADER, "")
                upstream.seen.append((self.path, named))
                status, body = upstream.answer(named)
                self.send_response(status)
                self.send_header("X-Served-By", "chat-decode-0")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_args: Any) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("", 0), Handler)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def answer(self, named: str) -> tuple[int, bytes]:
        if self.wrong is not None:
            return self.wrong
        return (200, b'{"data": [{"id": "acme/chat"}]}') if named == "chat" else (404, b"")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    made = Upstream()
    yield made
    made.close()


def gateway(upstream: Upstream, namespace: str) -> Json:
    listener = {
        "name": "http",
        "port": upstream.port,
        "protocol": "HTTP",
        "allowedRoutes": {"namespaces": {"from": "All"}},
    }
    spec = {"gatewayClassName": "example", "listeners": [listener]}
    metadata = {"name": "gw", "namespace": namespace}
    return {"apiVersion": API, "kind": "Gateway", "metadata": metadata, "spec": spec}


@pytest.fixture
def routed(client: Client, upstream: Upstream, namespace: str, bare_namespace: str) -> Json:
    """A service whose Gateway, in a namespace where nothing is played, has the address of the server."""
    client.apply(gateway(upstream, bare_namespace))
    place = reference(API, "Gateway", "gw", bare_namespace)
    client.patch_status(place, {"addresses": [{"type": "IPAddress", "value": "127.0.0.1"}]})
    route = {"gatewayRef": {"name": "gw", "namespace": bare_namespace}}
    return small("chat", namespace, httpRoute=route)


ASKING: Json = {"wait": True, "wait_timeout": 90.0, "wait_for": "answer"}


def test_wait_ends_with_what_came_back(entries: Entries, routed: Json, upstream: Upstream) -> None:
    lines: list[str] = []
    (found,) = entries.reconcile(routed, **ASKING, progress=lines)["services"]
    answer = found["answer"]
    assert (answer["status"], answer["model"]) == (200, "acme/chat")
    assert (answer["served_by"], answer["through"]) == ("chat-decode-0", "gateway")
    assert found["request"]["url"] == f"http://127.0.0.1:{upstream.port}" == found["url"]
    assert found["request"]["headers"] == {HEADER: "chat"}
    assert upstream.seen == [("/v1/models", "chat")]
    assert "answered with 200" in lines[-1]


def test_settled_service_is_asked_all_the_same(entries: Entries, routed: Json) -> None:
    entries.reconcile(routed, **ASKING)
    again = entries.reconcile(routed, **ASKING)
    assert not again["changed"]
    assert again["services"][0]["answer"]["status"] == 200


def test_failure_is_told_with_everything_else_done(
    entries: Entries, routed: Json, upstream: Upstream
) -> None:
    upstream.wrong = (503, b"no pod is ready")
    result = entries.run(routed, **ASKING, answer={"timeout": 2.0})
    assert result["failed"]
    assert "is ready, but does not answer" in result["msg"]
    assert "503, no endpoint is ready behind it: no pod is ready" in result["msg"]
    assert result["services"][0]["ready"]


def test_404_says_what_was_wanted(entries: Entries, routed: Json, upstream: Upstream) -> None:
    upstream.wrong = (404, b"")
    began = time.monotonic()
    result = entries.run(routed, **ASKING, answer={"timeout": 2.0})
    assert f"header {HEADER}: chat" in result["msg"]
    assert time.monotonic() - began < 100


def test_service_without_a_gateway_is_refused_before_anything_is_written(
    entries: Entries, namespace: str
) -> None:
    route = {"gatewayRef": {"name": "nowhere", "namespace": namespace}}
    message = entries.refused(small("chat", namespace, httpRoute=route), **ASKING)
    assert f"it cannot be asked: Gateway {namespace}/nowhere does not exist" in message


def test_whole_fleet_is_asked_at_once(
    entries: Entries, routed: Json, upstream: Upstream, namespace: str
) -> None:
    entries.reconcile(routed)
    upstream.seen.clear()
    found = entries.info(namespace=namespace, answer=True)["services"]
    assert [(one["name"], one["answer"]["status"]) for one in found] == [("chat", 200)]
    assert len(upstream.seen) == 1


def requests_of_the_check(entries: Entries, proxy: Proxy, service: Json, **asking: Any) -> int:
    """Return how many requests of the API server a settled service costs more where it is asked."""
    spent = []
    for wanted in ({"wait": True, "wait_timeout": 90.0}, {**ASKING, **asking}):
        proxy.reset()
        assert not entries.reconcile(service, **wanted)["changed"]
        spent.append(proxy.requests)
    return spent[1] - spent[0]


def test_check_by_the_gateway_costs_five_requests_at_most(
    counted: Entries, proxy: Proxy, routed: Json, upstream: Upstream
) -> None:
    counted.reconcile(routed, **ASKING)
    upstream.seen.clear()
    reads = requests_of_the_check(counted, proxy, routed)
    assert len(upstream.seen) == 1
    assert 0 <= reads <= 4


def own_address() -> str:
    """Return an address of this machine that is not its loopback, empty where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        try:
            made.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        return str(made.getsockname()[0])


@pytest.fixture
def behind(client: Client, upstream: Upstream, bare_namespace: str) -> None:
    """A Service for the Gateway, whose only pod has the address of the server."""
    address = own_address()
    if not address or address.startswith("127."):
        pytest.skip(
            "the machine has no address but its loopback, and the API server proxies to none of these"
        )
    metadata = {"name": "gw-example", "namespace": bare_namespace}
    labels = {"gateway.networking.k8s.io/gateway-name": "gw"}
    port = {"name": "http", "port": upstream.port, "protocol": "TCP"}
    client.apply(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {**metadata, "labels": labels},
            "spec": {"ports": [port]},
        }
    )
    container = {"name": "gateway", "image": "registry.example.com/gateway:1"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}
    # Nobody schedules it; the API server proxies to addresses of pods alone.
    client.apply({**pod, "spec": {"schedulerName": "nobody", "containers": [container]}})
    client.patch_status(pod, {"podIP": address, "podIPs": [{"ip": address}]})
    target = {"kind": "Pod", "name": "gw-example", "namespace": bare_namespace}
    subset = {"addresses": [{"ip": address, "targetRef": target}], "ports": [port]}
    client.apply(
        {"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata, "subsets": [subset]}
    )


@pytest.mark.usefixtures("behind")
def test_api_server_passes_the_request_on(
    entries: Entries, routed: Json, upstream: Upstream
) -> None:
    result = entries.reconcile(routed, **ASKING, answer={"through": "apiserver"})
    answer = result["services"][0]["answer"]
    assert (answer["status"], answer["served_by"]) == (200, "chat-decode-0")
    assert upstream.seen == [("/v1/models", "chat")]


@pytest.mark.usefixtures("behind")
def test_check_by_the_api_server_costs_five_requests_at_most(
    counted: Entries, proxy: Proxy, routed: Json, upstream: Upstream
) -> None:
    by_proxy = {"answer": {"through": "apiserver"}}
    counted.reconcile(routed, **ASKING, **by_proxy)
    upstream.seen.clear()
    # The request to the service is one of these: the API server passes it on.
    assert 1 <= requests_of_the_check(counted, proxy, routed, **by_proxy) <= 5
    assert len(upstream.seen) == 1


@pytest.mark.usefixtures("behind")
def test_missing_right_to_the_proxy_is_named(
    lab: Cluster,
    routed: Json,
    entries: Entries,
    namespace: str,
    bare_namespace: str,
) -> None:
    entries.reconcile(routed)
    # To get all resources would be to get services/proxy, too.
    named = ["services", "gateways", "configmaps", "namespaces"]
    rules = [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["list"]},
        {"apiGroups": ["*"], "resources": named, "verbs": ["get"]},
    ]
    grant(lab, f"{namespace}/looks", rules, namespace)
    grant(lab, f"{namespace}/looks", rules, bare_namespace)
    robot = Entries(lab.service_account_kubeconfig("looks", namespace))
    options = {"through": "apiserver", "timeout": 2.0}
    found = robot.info(namespace=namespace, answer=True, answer_options=options)["services"]
    assert "on services/proxy" in found[0]["answer"]["fault"]


@pytest.mark.usefixtures("behind")
def test_generated_rights_are_enough_to_ask_by_the_proxy(
    lab: Cluster, routed: Json, namespace: str
) -> None:
    rendered = Entries(None).reconcile(routed, state="rendered")
    robot = {"kind": "ServiceAccount", "name": "robot", "namespace": namespace}
    found = least_privilege(rendered, robot, name=f"{namespace}-robot", through="apiserver")
    entries = Entries(lab.service_account_kubeconfig("robot", namespace))
    for manifest in found["manifests"]:
        lab.client.apply(manifest)
    result = entries.reconcile(routed, **ASKING, answer={"through": "apiserver"})
    assert result["services"][0]["answer"]["status"] == 200
