# SPDX-License-Identifier: GPL-3.0-or-later
"""A watch goes on where it broke off, ends when it should, and says when it cannot go on."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from module_utils.cluster.connection import Cluster, connect
from module_utils.cluster.errors import Forbidden, Gone, Unreachable
from module_utils.cluster.timing import Timing
from module_utils.cluster.watch import MOST_DROPS, Watch
from module_utils.kube.reference import Reference
from tests.unit.cluster import faulty
from tests.unit.cluster.faulty import events, reset, serving, stall, status

#: Everything real but the dice, so that no test waits for a backoff.
QUICK = Timing(random=lambda: 0.0)


def event(kind: str, name: str, version: int) -> dict[str, Any]:
    return {"type": kind, "object": {"metadata": {"name": name, "resourceVersion": str(version)}}}


GONE = {"type": "ERROR", "object": faulty.status_object(410, "Expired", "too old")}
BOOKMARK = {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "9"}}}


def to(script: faulty.Script, request_timeout: float = 20.0, timing: Timing = QUICK) -> Cluster:
    auth = {"host": script.url, "environment": {}}
    return connect(auth, timing=timing, request_timeout=request_timeout)


def pods(cluster: Cluster, timeout: float = 20) -> Watch:
    return cluster.watch("v1", "Pod", resource_version="1", timeout=timeout)


def test_events_carry_their_kind_and_bookmarks_move_the_place_on() -> None:
    with serving(events(event("ADDED", "a", 2), BOOKMARK, then=stall)) as script, to(script) as cl:
        with pods(cl) as watch:
            first, second = next(watch), next(watch)
            assert (first.type, first.object["kind"]) == ("ADDED", "Pod")
            assert second.type == "BOOKMARK"
            assert watch.resource_version == "9"
        query = script.seen[0].path
        for part in (
            "watch=1",
            "allowWatchBookmarks=true",
            "timeoutSeconds=20",
            "resourceVersion=1",
        ):
            assert part in query


def test_ends_at_its_timeout_although_the_server_does_not_end_it() -> None:
    with serving(always=events(then=stall)) as script, to(script) as cluster:
        started = time.monotonic()
        assert list(pods(cluster, timeout=0.3)) == []
        assert time.monotonic() - started < 3.5


def test_goes_on_after_a_dropped_connection_from_where_it_was() -> None:
    with (
        serving(
            events(event("ADDED", "a", 2), then=reset),
            status(503, "ServiceUnavailable"),
            events(event("ADDED", "b", 3), then=stall),
        ) as script,
        to(script) as cluster,
        pods(cluster, timeout=5) as watch,
    ):
        assert [next(watch).object["metadata"]["name"] for dummy in "ab"] == ["a", "b"]
        assert "resourceVersion=2" in script.seen[2].path


def test_a_connection_that_does_not_end_in_time_is_opened_again() -> None:
    with (
        serving(events(then=stall), events(event("ADDED", "b", 3), then=stall)) as script,
        to(script, request_timeout=0.2) as cluster,
        pods(cluster, timeout=10) as watch,
    ):
        assert next(watch).object["metadata"]["name"] == "b"


def test_a_long_watch_is_asked_for_in_spells_however_many() -> None:
    """A connection that ends when it was asked to is no drop."""
    passed = [0.0]

    def end_in_time(handler: faulty.Handler) -> None:
        passed[0] += 1.0
        handler.wfile.write(b"0\r\n\r\n")

    def no_pause(_wake: threading.Event, seconds: float) -> bool:
        raise AssertionError(f"pauses for {seconds} s")

    timing = Timing(lambda: time.monotonic() + passed[0], no_pause, lambda: 0.5)
    spells = [events(then=end_in_time)] * (MOST_DROPS + 3)
    with (
        serving(*spells, events(event("ADDED", "b", 10), then=stall)) as script,
        to(script, request_timeout=1.0, timing=timing) as cluster,
        pods(cluster, timeout=60) as watch,
    ):
        assert next(watch).object["metadata"]["name"] == "b"
        assert all("timeoutSeconds=1" in each.path for each in script.seen)


@pytest.mark.parametrize("first", [events(GONE), status(410, "Expired")])
def test_gone_is_raised(first: faulty.Behaviour) -> None:
    with serving(first) as script, to(script) as cluster:
        with pytest.raises(Gone):
            list(pods(cluster))
        assert len(script.seen) == 1


def test_no_permission_is_raised() -> None:
    with (
        serving(status(403, "Forbidden", 'User "x" cannot watch')) as script,
        to(script) as cluster,
        pytest.raises(Forbidden, match="watch Pods in all namespaces"),
    ):
        list(pods(cluster))


def test_a_connection_that_breaks_each_time_is_given_up() -> None:
    with (
        serving(always=events(then=reset)) as script,
        to(script) as cluster,
        pytest.raises(Unreachable, match="the watch breaks off"),
    ):
        list(pods(cluster, timeout=20))


@pytest.mark.parametrize("headers", [{}, {"Connection": "close"}])
def test_close_from_another_thread_ends_it_at_once(headers: dict[str, str]) -> None:
    """Also where the server stops, which tells so in its last answers."""
    with serving(always=events(then=stall, **headers)) as script, to(script) as cluster:
        watch = pods(cluster, timeout=60)
        threading.Timer(0.3, watch.close).start()
        started = time.monotonic()
        assert list(watch) == []
        assert time.monotonic() - started < 3


def test_watches_do_not_take_the_connections_of_requests() -> None:
    with (
        serving(*[events(event("ADDED", "a", 2), then=stall)] * 3) as script,
        connect({"host": script.url, "environment": {}}, concurrency=1) as cluster,
    ):
        watches = [pods(cluster, timeout=20) for dummy in range(3)]
        assert [next(watch).type for watch in watches] == ["ADDED"] * 3
        assert cluster.get(Reference("v1", "Pod", "team-a", "one"))
        for watch in watches:
            watch.close()
