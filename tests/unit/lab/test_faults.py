# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a client sees of each fault: one that does nothing would let every test that uses it pass."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
import urllib3
from urllib3.exceptions import ProtocolError, ReadTimeoutError, SSLError

from tests.lab import faults, line
from tests.lab.cluster import Reachable
from tests.lab.faults import AFTER, BEFORE, Effect, Fault, Moment
from tests.lab.kubeconfig import Access
from tests.lab.proxy import Proxy

PODS = "/api/v1/namespaces/a/pods"


@dataclass(frozen=True)
class Nowhere:
    """A cluster that is not there."""

    access: Access


def fine() -> Fault:
    """Stands for an API server that answers everything."""
    return Fault(faults.anything, faults.refuse(200), times=faults.ALWAYS)


@pytest.fixture(scope="module")
def server() -> Iterator[Proxy]:
    nowhere = Nowhere(Access("https://127.0.0.1:9", "", token="t"))
    with Proxy(nowhere, hooks=[fine()]) as server:
        yield server


@contextmanager
def client(server: Reachable) -> Iterator[urllib3.HTTPSConnectionPool]:
    context = ssl.create_default_context(cadata=server.access.authority)
    host, dummy, port = server.access.server.removeprefix("https://").partition(":")
    pool = urllib3.HTTPSConnectionPool(
        host, int(port), ssl_context=context, retries=False, timeout=30.0
    )
    yield pool
    pool.close()


@pytest.mark.parametrize("moment", [BEFORE, AFTER])
def test_only_what_matches_is_struck_and_only_so_often(server: Proxy, moment: Moment) -> None:
    fault = Fault(
        faults.seen("list", "pods"), faults.refuse(503), faults.page(502), moment=moment, skip=1
    )
    server.reset()
    with Proxy(server, hooks=[fault]) as proxy, client(proxy) as pool:
        answers = [pool.request("GET", path).status for path in ("/api/v1/nodes", *[PODS] * 4)]
        assert answers == [200, 200, 503, 502, 200]
        assert [each.resource.plural for each in fault.struck] == ["pods", "pods"]
        assert server.requests == (3 if moment == BEFORE else 5)


@pytest.mark.parametrize(
    ("effect", "error"),
    [
        (faults.hang_up, ProtocolError),
        (faults.cut, ProtocolError),
        (faults.silence, ReadTimeoutError),
        (faults.stall, ReadTimeoutError),
    ],
)
def test_answers_that_do_not_come_or_are_not_whole(
    server: Proxy, effect: Effect, error: type[Exception]
) -> None:
    with (
        Proxy(server, hooks=[Fault(faults.anything, effect)]) as proxy,
        client(proxy) as pool,
    ):
        with pytest.raises(error):
            pool.request("GET", PODS, timeout=urllib3.Timeout(connect=30, read=0.5))
        assert pool.request("GET", PODS).status == 200


def test_a_body_drips_on_and_on(server: Proxy) -> None:
    with (
        Proxy(server, hooks=[Fault(faults.anything, faults.drip)]) as proxy,
        client(proxy) as pool,
    ):
        answer = pool.request("GET", PODS, preload_content=False)
        assert len(b"".join(next(answer.stream(1)) for dummy in range(40))) == 40
        answer.close()


def test_refusals_are_those_of_the_api(server: Proxy) -> None:
    refusal = faults.refuse(429, "TooManyRequests", retry_after=1.5, name="x")
    with (
        Proxy(server, hooks=[Fault(faults.anything, refusal)]) as proxy,
        client(proxy) as pool,
    ):
        answer = pool.request("GET", PODS)
        assert (answer.status, answer.headers["Retry-After"]) == (429, "1.5")
        assert answer.json()["reason"] == "TooManyRequests"
        assert answer.json()["details"] == {"name": "x"}


def test_something_else_can_happen_while_a_request_waits(server: Proxy) -> None:
    done: list[str] = []
    fault = Fault(faults.every(2), faults.do(lambda: done.append("it")))
    with Proxy(server, hooks=[fault]) as proxy, client(proxy) as pool:
        assert [pool.request("GET", PODS).status for dummy in range(2)] == [200, 200]
    assert done == ["it"]


@pytest.mark.parametrize(
    ("treatment", "error"),
    [
        (line.end_in_handshake, SSLError),
        (line.reset_in_handshake, ProtocolError),
        (line.alert_in_handshake, SSLError),
        (line.silent, ReadTimeoutError),
    ],
)
def test_connections_that_never_come_about(
    server: Proxy, treatment: line.Treatment, error: type[Exception]
) -> None:
    with line.Line(server, {1: treatment}) as wire, client(wire) as pool:
        with pytest.raises(error):
            pool.request("GET", PODS, timeout=0.5)
        assert pool.request("GET", PODS).status == 200
        assert wire.connections == 2


def test_a_line_goes_dead_without_a_word(server: Proxy) -> None:
    with line.Line(server) as wire, client(wire) as pool:
        assert pool.request("GET", PODS).status == 200
        wire.go_dead()
        with pytest.raises(ReadTimeoutError):
            pool.request("GET", PODS, timeout=0.5)
        assert pool.request("GET", PODS).status == 200
        assert wire.connections == 2
