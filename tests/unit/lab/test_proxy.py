# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The proxy in front of a tiny server of the standard library."""

from __future__ import annotations

import gc
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import urllib3
from aiohttp import web

from tests.lab import kubeconfig
from tests.lab.kubeconfig import Access
from tests.lab.pki import Authority
from tests.lab.proxy import ConnectionAbort, Proxy
from tests.lab.proxy_record import Record

#: Set when the slow half of a watch may follow.
_GO_ON = threading.Event()


class _Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if "watch=true" in self.path:
            self._watch()
        else:
            self._answer(200, f"{self.path} {self.headers['Authorization']}".encode())

    def do_PATCH(self) -> None:
        self._answer(201, self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Retry-After", "7")
        self.end_headers()
        self.wfile.write(body)

    def _watch(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"5\r\nfirst\r\n")
        _GO_ON.wait(10)
        self.wfile.write(b"6\r\nsecond\r\n0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        pass


@dataclass
class _Cluster:
    """As much of a cluster as the proxy asks for."""

    access: Access


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Cluster]:
    folder = tmp_path_factory.mktemp("tls")
    authority = Authority.new("upstream")
    pair = authority.server("upstream", ["127.0.0.1"])
    (folder / "crt").write_text(pair.certificate)
    (folder / "key").write_text(pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "crt", folder / "key")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Api) as server:
        server.daemon_threads = True
        server.block_on_close = False
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield _Cluster(
            Access(
                f"https://127.0.0.1:{server.server_port}", authority.pair.certificate, token="t0"
            )
        )
        server.shutdown()
        thread.join()


@pytest.fixture
def proxy(upstream: _Cluster) -> Iterator[Proxy]:
    with Proxy(upstream) as made:
        yield made


@pytest.fixture
def pool(proxy: Proxy) -> Iterator[urllib3.PoolManager]:
    made = _pool(proxy)
    yield made
    made.clear()


def _pool(proxy: Proxy) -> urllib3.PoolManager:
    access = kubeconfig.read(proxy.kubeconfig)
    return urllib3.PoolManager(
        ca_cert_data=access.authority,
        maxsize=16,
        headers={"Authorization": f"Bearer {access.token}"},
    )


def test_requests_and_writes_are_counted(proxy: Proxy, pool: urllib3.PoolManager) -> None:
    base = proxy.access.server
    pool.request("GET", f"{base}/api/v1/pods")
    pool.request("PATCH", f"{base}/api/v1/namespaces/a/pods/p", body=b"{}")
    pool.request("PATCH", f"{base}/api/v1/namespaces/a/pods/p?dryRun=All", body=b"{}")
    assert (proxy.requests, proxy.writes) == (3, 1)
    assert [each.status for each in proxy.records] == [200, 201, 201]
    assert proxy.count(lambda each: each.dry_run) == 1
    assert proxy.records[1].json == {}
    proxy.reset()
    assert (proxy.requests, proxy.writes) == (0, 0)


def test_path_query_headers_and_token_pass_unchanged(
    proxy: Proxy, pool: urllib3.PoolManager
) -> None:
    answer = pool.request("GET", f"{proxy.access.server}/api/v1/pods?labelSelector=a%3Db%2Cc")
    assert answer.data == b"/api/v1/pods?labelSelector=a%3Db%2Cc Bearer t0"
    assert answer.headers["Retry-After"] == "7"


def test_watch_is_streamed(proxy: Proxy, pool: urllib3.PoolManager) -> None:
    _GO_ON.clear()
    answer = pool.request(
        "GET", f"{proxy.access.server}/api/v1/pods?watch=true", preload_content=False, timeout=10
    )
    stream = answer.stream(64)
    # The second event is not sent before the first was seen here.
    assert next(stream) == b"first"
    _GO_ON.set()
    assert b"".join(stream) == b"second"
    answer.release_conn()
    assert proxy.records[0].verb == "watch"


def test_sixteen_connections_at_once(proxy: Proxy, pool: urllib3.PoolManager) -> None:
    url = f"{proxy.access.server}/api/v1/namespaces/a/pods/p"
    bodies = [f'{{"n": {number}}}'.encode() for number in range(320)]

    def send(body: bytes) -> bytes:
        return pool.request("PATCH", url, body=body, retries=False).data

    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(send, bodies)) == bodies
    assert proxy.writes == len(bodies)
    assert sorted(each.number for each in proxy.records) == list(range(1, 321))


class _Refuse:
    """Answers in the server's place."""

    async def before(self, request: Record) -> web.StreamResponse | None:
        return web.Response(status=503) if request.verb == "list" else None

    async def after(self, request: Record, _status: int) -> web.StreamResponse | None:
        if request.verb == "get":
            raise ConnectionAbort
        return None


def test_hook_can_answer_or_break_the_connection(upstream: _Cluster) -> None:
    with Proxy(upstream, hooks=[_Refuse()]) as proxy:
        pool = urllib3.PoolManager(ca_cert_data=proxy.access.authority, retries=False)
        assert pool.request("GET", f"{proxy.access.server}/api/v1/pods").status == 503
        with pytest.raises(urllib3.exceptions.ProtocolError):
            pool.request("GET", f"{proxy.access.server}/api/v1/namespaces/a/pods/p")
        assert pool.request("PATCH", f"{proxy.access.server}/api/v1/pods", body=b"{}").status == 201
        pool.clear()


def test_unreachable_server_is_a_502() -> None:
    nowhere = _Cluster(Access("https://127.0.0.1:9", "", token="t"))
    with Proxy(nowhere) as proxy:
        pool = urllib3.PoolManager(ca_cert_data=proxy.access.authority, retries=False)
        assert pool.request("GET", f"{proxy.access.server}/api/v1/pods").status == 502
        assert proxy.records[0].status == 502
        pool.clear()


def test_kubeconfigs_vanish_with_the_proxy(upstream: _Cluster, tmp_path: Path) -> None:
    robot = kubeconfig.write(
        tmp_path / "robot", Access("https://x", "", token="robot"), context="x"
    )
    with Proxy(upstream) as proxy:
        other = proxy.kubeconfig_for(robot)
        assert kubeconfig.read(other).token == "robot"
        assert kubeconfig.read(other).server == proxy.access.server
    assert not other.exists()
    assert not proxy.kubeconfig.exists()


@pytest.mark.parametrize("moment", [0.0, 0.003, 0.006, 0.01, 0.02])
def test_proxy_that_ends_while_connections_are_being_opened_leaves_none_open(
    upstream: _Cluster, moment: float
) -> None:
    """Python warns of a socket that nobody closed when it is collected, and a warning fails the test."""
    with ThreadPoolExecutor(20) as callers:
        with Proxy(upstream) as proxy:
            pool = _pool(proxy)
            url = f"{proxy.access.server}/x?watch=true"
            for dummy in range(20):
                callers.submit(pool.request, "GET", url, retries=False, timeout=5)
            threading.Event().wait(moment)
        _GO_ON.set()
    pool.clear()
    gc.collect()
