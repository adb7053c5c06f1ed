# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections that break, stall or go dead, and a server that restarts. R<n>: rows of the fault matrix."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import wait_until
from tests.lab.cluster import Cluster
from tests.lab.control_plane import ControlPlane
from tests.lab.faults import (
    AFTER,
    BEFORE,
    Effect,
    Fault,
    Moment,
    cut,
    do,
    drip,
    hang_up,
    silence,
    stall,
)
from tests.lab.fixtures import fresh_namespace
from tests.lab.line import (
    Line,
    Treatment,
    alert_in_handshake,
    end_in_handshake,
    reset_in_handshake,
    silent,
)
from tests.lab.proxy import Proxy
from tests.lab.proxy_record import Record

from .support.cluster import owned, read
from .support.disturbed import MAIN_PLACES, PLACES, Swing
from .support.entries import Entries, actions
from .support.services import children, custom_resource, full

pytestmark = pytest.mark.usefixtures("hasty")
#: What nobody waits for: a run that does wait for it takes longer than any of these tests may.
ENDLESS = 300.0


@pytest.mark.parametrize("place", MAIN_PLACES)
def test_r3_broken_before_the_server_saw_it_or_in_the_answer(swing: Swing, place: str) -> None:
    where = PLACES[place]
    trouble = Fault(where.match, hang_up, cut, skip=where.skip)
    swing.converges(where, trouble)
    assert len(trouble.struck) == 2


@pytest.mark.parametrize("place", PLACES)
def test_r3_executed_and_the_answer_is_lost(swing: Swing, place: str) -> None:
    where = PLACES[place]
    swing.converges(where, Fault(where.match, hang_up, moment=AFTER, skip=where.skip))


def test_r3_a_new_service_of_which_every_answer_is_lost_once(
    lab: Cluster, bare_namespace: str
) -> None:
    """Its objects are ours although nobody said so, and although controllers complete them at once."""
    service = full("chat", bare_namespace)
    lost: set[tuple[str, str]] = set()

    def first_time(request: Record) -> bool:
        known = (request.method, request.path)
        new = request.is_write and known not in lost
        lost.add(known)
        return new

    trouble = Fault(first_time, hang_up, moment=AFTER, times=1000)
    with Proxy(lab, hooks=[trouble]) as proxy:
        result = Entries(proxy.kubeconfig).reconcile(service)
    assert len(trouble.struck) > len(children("chat", bare_namespace))
    assert set(actions(result).values()) == {"created"}
    assert not Entries(lab.kubeconfig).reconcile(service)["changed"]


@pytest.mark.parametrize(
    "treatment",
    [end_in_handshake, reset_in_handshake, alert_in_handshake],
    ids=lambda t: t.__name__,
)
def test_r3_handshakes_that_break_off(swing: Swing, treatment: Treatment) -> None:
    with Line(swing.proxy, dict.fromkeys((1, 2), treatment)) as line:
        swing.converges(PLACES["first-list"], kubeconfig=line.kubeconfig)
        assert line.connections > 2


@pytest.mark.parametrize("place", ["later-page", "lease-create", "first-write", "prune-delete"])
def test_r4_all_open_connections_go_dead(swing: Swing, place: str) -> None:
    where = PLACES[place]
    with Line(swing.proxy) as line:
        dead = Fault(where.match, do(line.go_dead), skip=where.skip)
        swing.converges(where, dead, kubeconfig=line.kubeconfig, request_timeout=4.0)


def test_r4_a_server_that_takes_connections_and_is_silent(swing: Swing) -> None:
    with Line(swing.proxy, {1: silent}) as line:
        swing.converges(PLACES["first-list"], kubeconfig=line.kubeconfig, request_timeout=4.0)


@pytest.fixture(scope="module")
def swings(lab: Cluster) -> Iterator[dict[str, Swing]]:
    """A service for each place, so that they wait for their deadlines side by side."""
    with fresh_namespace(lab.client, "bare") as namespace, ExitStack() as stack:
        made = {name: Swing(lab, namespace, name) for name in MAIN_PLACES}
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(stack.enter_context, made.values()))
        yield made


@pytest.mark.parametrize(
    ("effect", "moment"),
    [(silence, BEFORE), (silence, AFTER), (stall, AFTER), (drip, AFTER)],
    ids=["never-seen", "executed", "in-the-body", "drip"],
)
def test_r4_stalled(swings: dict[str, Swing], effect: Effect, moment: Moment) -> None:
    def converges(name: str) -> None:
        where = PLACES[name]
        trouble = Fault(where.match, effect, moment=moment, skip=where.skip)
        swings[name].converges(where, trouble, request_timeout=4.0)

    with ThreadPoolExecutor(len(swings)) as pool:
        runs = [pool.submit(converges, name) for name in swings]
    for run in runs:
        run.result()


@pytest.mark.parametrize(
    ("place", "named"),
    [
        ("first-list", "list "),
        ("lease-create", "create Lease"),
        ("middle-write", "apply Deployment"),
        ("wait-watch", "is not DecodeReady after 5 s"),
        ("status-write", "apply the status of ModelService"),
    ],
)
def test_rd_the_deadline_of_the_task_is_kept(swing: Swing, place: str, named: str) -> None:
    where = PLACES[place]
    mute = Fault(where.match, silence, skip=where.skip, times=1000)
    began = time.monotonic()
    options: dict[str, Any] = {**where.options, "request_timeout": ENDLESS, "deadline": 5.0}
    result = swing.swing(mute, **options)
    assert time.monotonic() - began < ENDLESS / 5
    assert result["failed"]
    assert named in result["msg"]
    assert "the deadline of the whole task has passed after 5.0 s" in result["msg"]
    swing.recovers()


def test_rd_the_deadline_of_the_task_ends_a_wait(swing: Swing) -> None:
    where = PLACES["wait-watch"]
    began = time.monotonic()
    options = {
        **where.options,
        "wait_for": "PoolAccepted",
        "wait_timeout": ENDLESS,
        "deadline": 5.0,
    }
    result = swing.swing(**options)
    assert time.monotonic() - began < ENDLESS / 5
    assert result["failed"]
    assert "the deadline of the whole task has passed after 5.0 s" in result["msg"]
    swing.recovers()


def test_r29_the_api_server_restarts_in_the_middle_of_a_run(own_lab: ControlPlane) -> None:
    client = own_lab.client
    with fresh_namespace(client, "bare") as namespace:
        # So many that the run is not over before the restart is under way.
        fleet = [full(f"chat-{number}", namespace) for number in range(20)]

        def begun() -> tuple[bool, Json | None]:
            found = read(client, custom_resource(fleet[0]))
            return found is not None, found

        with ThreadPoolExecutor(1) as pool:
            run = pool.submit(Entries(own_lab.kubeconfig).run, *fleet)
            wait_until(begun, "the run to have begun")
            assert not run.done()
            own_lab.restart_api_server()
            result = run.result()
        assert not result.get("failed"), result["msg"]
        assert result["changed"]
        for service in fleet:
            name = service["metadata"]["name"]
            assert len(owned(client, service)) == len(children(name, namespace))
        again = Entries(own_lab.kubeconfig).reconcile(*fleet)
        assert not again["changed"]


@pytest.mark.parametrize("wait", [False, True])
def test_connections_are_as_many_as_requests_at_a_time(swing: Swing, wait: bool) -> None:
    """And one for the Lease, on which the first watch goes on."""
    place = PLACES["wait-watch" if wait else "first-list"]
    swing.converges(place, concurrency=3)
    watches = sum(each.verb == "watch" for each in swing.records)
    assert len(swing.records) > 30
    assert len({each.port for each in swing.records}) <= 3 + max(1, watches)
