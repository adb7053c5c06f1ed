# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests survive what networks and busy servers do, keep to deadlines, and are counted."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from module_utils.cluster.connection import Cluster, connect
from module_utils.cluster.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    DeadlineExceeded,
    Forbidden,
    Gone,
    NotFound,
    ServerError,
    Stopped,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)
from module_utils.cluster.stats import Stats
from module_utils.cluster.timing import Timing
from module_utils.kube.reference import Reference
from tests.objects import thing
from tests.unit.cluster import faulty
from tests.unit.cluster.faulty import FakeTime, answer, reset, serving, stall, status

POD = Reference("v1", "Pod", "team-a", "one")
MAP: dict[str, Any] = thing("v1", "ConfigMap", "one", "team-a")
MAP_REFERENCE = Reference.of(MAP)


def to(script: faulty.Script, timing: Timing | None = None, **options: Any) -> Cluster:
    options.setdefault("request_timeout", 5.0)
    auth = {"host": script.url, "api_key": "secret-token-1", "environment": {}}
    return connect(auth, timing=timing or FakeTime().timing(), **options)


@pytest.mark.parametrize(
    "trouble",
    [
        reset,
        answer(b"busy", 502),
        status(503, "ServiceUnavailable"),
        status(500, "InternalError", "etcdserver: leader changed"),
        status(504, "Timeout"),
        status(429, "TooManyRequests"),
        answer(b"{}", 429, Retry_After="1"),
        status(409, "Conflict", "the object has been modified"),
    ],
)
def test_apply_survives_one_fault(trouble: faulty.Behaviour) -> None:
    with serving(trouble, answer(MAP)) as script, to(script) as cluster:
        assert cluster.apply(MAP, manager="m").object == MAP
        assert len(script.seen) == 2
        assert cluster.stats == Stats(requests=2, writes=2, retries=1)


def test_refused_connection_says_which_server_and_what_to_check() -> None:
    auth = {"host": "http://127.0.0.1:1", "api_key": "t0ken-t0ken", "environment": {}}
    with connect(auth, timing=FakeTime().timing()) as cluster:
        with pytest.raises(Unreachable) as caught:
            cluster.get(POD)
        assert cluster.stats.requests == 3
    assert str(caught.value) == (
        "read Pod team-a/one: http://127.0.0.1:1 cannot be reached: connection refused;"
        " is the API server running, and is this its address?"
    )


def test_no_request_before_retry_after_is_over() -> None:
    """Also none of the other threads sends one: the server means all that we send."""
    clock = FakeTime(dice=0.0)
    with (
        serving(answer({}, 429, Retry_After="3"), always=answer(MAP)) as script,
        to(script, clock.timing()) as cluster,
    ):
        assert cluster.get(MAP_REFERENCE)
        assert clock.now == pytest.approx(1003.0)
        assert len(script.seen) == 2


def test_other_threads_wait_too_when_the_server_asks_for_it() -> None:
    """Not one request comes early, whoever sends it: the clock stands still until it is moved."""
    clock = faulty.HeldTime()
    first = answer({}, 429, Retry_After="3")
    with serving(first, always=answer(MAP)) as script, to(script, clock.timing()) as cluster:
        threads = [threading.Thread(target=cluster.get, args=[MAP_REFERENCE]) for dummy in range(4)]
        threads[0].start()
        clock.await_pauses(1)
        for thread in threads[1:]:
            thread.start()
        clock.await_pauses(4)
        clock.move(2.99)
        clock.await_pauses(4)
        assert len(script.seen) == 1
        clock.move(1.0)
        for thread in threads:
            thread.join()
        assert len(script.seen) == 5


def test_retry_after_beyond_the_deadline_fails_at_once() -> None:
    clock = FakeTime()
    with (
        serving(answer({}, 429, Retry_After="60")) as script,
        to(script, clock.timing(), deadline=10.0) as cluster,
    ):
        with pytest.raises(TooManyRequests, match="next attempt would be in 60 s"):
            cluster.get(POD)
        assert clock.pauses == []


def test_a_server_that_stays_busy_is_given_up() -> None:
    busy = status(503, "ServiceUnavailable", "apiserver is shutting down")
    clock = FakeTime()
    with serving(always=busy) as script, to(script, clock.timing()) as cluster:
        with pytest.raises(ServerError, match="apiserver is shutting down"):
            cluster.get(POD)
        assert clock.now - 1000.0 >= 60
        assert len(script.seen) >= 8


@pytest.mark.parametrize(
    "behaviour", [stall, faulty.drip(b" ", 0.05), faulty.drip_head], ids=["stall", "body", "head"]
)
def test_stalled_server_ends_with_the_request_timeout(behaviour: faulty.Behaviour) -> None:
    with serving(always=behaviour) as script, to(script, request_timeout=0.5) as cluster:
        started = time.monotonic()
        with pytest.raises(DeadlineExceeded, match=r"read Pod team-a/one at .* after 0\.\d s"):
            cluster.get(POD)
        assert time.monotonic() - started > 2 * 0.4
        assert len(script.seen) == 2


@pytest.mark.parametrize("before", [[], [answer(MAP)]], ids=["first contact", "later"])
def test_a_server_gets_a_second_chance_after_a_stall(before: list[faulty.Behaviour]) -> None:
    with (
        serving(*before, stall, answer(MAP)) as script,
        to(script, request_timeout=0.4) as cluster,
    ):
        for dummy in (*before, stall):
            assert cluster.get(MAP_REFERENCE)
        assert len(script.seen) == len(before) + 2


def test_connections_beside_a_dead_one_are_not_tried() -> None:
    """A firewall that forgot one of them forgot them all, and each would cost a whole timeout."""
    ports: list[int] = []
    meet = threading.Barrier(3)

    def together(handler: Any) -> None:
        ports.append(handler.client_address[1])
        meet.wait(10)
        answer(MAP)(handler)

    def dead_if_old(handler: Any) -> None:
        (stall if handler.client_address[1] in ports else answer(MAP))(handler)

    with (
        serving(*[together] * 3, always=dead_if_old) as script,
        to(script, request_timeout=0.5) as cluster,
    ):
        cluster.parallel([lambda: cluster.get(MAP_REFERENCE)] * 3)
        assert len(set(ports)) == 3
        assert cluster.get(MAP_REFERENCE)
        assert len(script.seen) == 5


def test_task_deadline_ends_a_stall() -> None:
    with (
        serving(always=stall) as script,
        to(script, Timing(), request_timeout=20.0, deadline=0.5) as cluster,
    ):
        started = time.monotonic()
        with pytest.raises(DeadlineExceeded, match="the deadline of the whole task has passed"):
            cluster.get(POD)
        assert time.monotonic() - started < 1.5


def test_connections_are_kept_and_bounded() -> None:
    ports: set[int] = set()

    def noted(handler: Any) -> None:
        ports.add(handler.client_address[1])
        answer(MAP)(handler)

    with serving(always=noted) as script, to(script, concurrency=3) as cluster:
        answers = cluster.parallel([lambda: cluster.get(MAP_REFERENCE)] * 60)
        assert all(answers)
        assert len(ports) <= 3


@pytest.mark.parametrize(("trouble", "uncertain"), [([reset], True), ([], False)])
def test_create_is_sent_again_and_says_where_it_may_have_been_executed(
    trouble: list[faulty.Behaviour], uncertain: bool
) -> None:
    there = status(409, "AlreadyExists", 'configmaps "one" already exists', name="one")
    with serving(*trouble, there) as script, to(script) as cluster:
        with pytest.raises(AlreadyExists) as caught:
            cluster.create(MAP)
        assert caught.value.uncertain is uncertain
        assert len(script.seen) == len(trouble) + 1


def test_a_json_patch_is_not_sent_again_where_it_may_have_been_executed() -> None:
    with serving(reset) as script, to(script) as cluster:
        with pytest.raises(Unreachable):
            cluster.patch(MAP_REFERENCE, [], kind="json")
        assert len(script.seen) == 1


def test_delete_whose_answer_was_lost_still_counts_as_deleted() -> None:
    gone = status(404, "NotFound", 'configmaps "one" not found', name="one", kind="configmaps")
    with serving(reset, gone, gone) as script, to(script) as cluster:
        assert cluster.delete(MAP_REFERENCE, uid="u") is True
        assert cluster.delete(MAP_REFERENCE, uid="u") is False
        assert b'"preconditions":{"uid":"u"}' in script.seen[0].body


@pytest.mark.parametrize(
    ("entries", "created"),
    [
        ([("m", "Apply", "", 0)], True),
        ([("m", "Apply", "", 0), ("kubelet", "Update", "status", 1)], True),
        ([("m", "Apply", "", 0), ("kubectl", "Update", "", 60)], True),
        ([("m", "Apply", "", 0), ("kube-controller-manager", "Update", "", 0)], True),
        ([("m", "Apply", "", 0), ("kubectl", "Update", "", 0)], False),
        ([("m", "Apply", "", 60), ("kubectl", "Update", "", 0)], False),
        ([("m", "Apply", "", 60)], False),
        ([], False),
    ],
)
def test_apply_whose_answer_was_lost_knows_whether_it_created(
    entries: list[tuple[str, str, str, int]], created: bool
) -> None:
    fields = [
        {
            "manager": manager,
            "operation": operation,
            "subresource": part,
            "time": f"2026-11-27T10:0{seconds // 60}:{seconds % 60:02}Z",
        }
        for manager, operation, part, seconds in entries
    ]
    meta = {**MAP["metadata"], "creationTimestamp": "2026-11-27T10:00:00Z", "managedFields": fields}
    stored = answer({**MAP, "metadata": meta})
    with serving(reset, stored, stored) as script, to(script) as cluster:
        assert cluster.apply(MAP, manager="m").created is created
        assert cluster.apply(MAP, manager="m").created is False


@pytest.mark.parametrize(
    ("fields", "created"), [({"f:metadata": {}}, True), ({"f:metadata": {}, "f:data": {}}, False)]
)
def test_a_finalizer_that_a_controller_adds_at_once_makes_it_no_stranger(
    fields: dict[str, Any], created: bool
) -> None:
    born = "2026-11-27T10:00:00Z"
    entries = [
        {"manager": "m", "operation": "Apply", "time": born, "fieldsV1": {"f:metadata": {}}},
        {"manager": "keda", "operation": "Update", "time": born, "fieldsV1": fields},
    ]
    meta = {**MAP["metadata"], "creationTimestamp": born, "managedFields": entries}
    with serving(reset, answer({**MAP, "metadata": meta})) as script, to(script) as cluster:
        assert cluster.apply(MAP, manager="m").created is created


def test_created_is_what_the_server_says() -> None:
    with serving(answer(MAP, 201), answer(MAP, 200)) as script, to(script) as cluster:
        assert cluster.apply(MAP, manager="m").created is True
        assert cluster.apply(MAP, manager="m").created is False


@pytest.mark.parametrize(
    ("code", "reason", "error"),
    [
        (403, "Forbidden", Forbidden),
        (409, "AlreadyExists", AlreadyExists),
        (410, "Expired", Gone),
        (401, "Unauthorized", Unauthorized),
    ],
)
def test_refusals_are_told_apart(code: int, reason: str, error: type[ApiError]) -> None:
    with serving(always=status(code, reason)) as script, to(script) as cluster:
        with pytest.raises(error) as caught:
            cluster.get(POD)
        assert caught.value.status == code
        assert len(script.seen) == 1


def test_missing_object_is_none_and_missing_namespace_is_an_error() -> None:
    pod = status(404, "NotFound", 'pods "one" not found', name="one", kind="pods")
    space = status(404, "NotFound", 'namespaces "a" not found', name="a", kind="namespaces")
    with serving(pod, space) as script, to(script) as cluster:
        assert cluster.get(POD) is None
        with pytest.raises(NotFound, match='apply ConfigMap team-a/one: namespaces "a" not found'):
            cluster.apply(MAP, manager="m")


def test_delete_preconditions_are_a_conflict() -> None:
    with serving(status(409, "Conflict", "UID differs")) as script, to(script) as cluster:
        with pytest.raises(Conflict) as caught:
            cluster.delete(POD, uid="other")
        assert caught.value.conflicts == ()


def test_apply_that_is_bound_to_a_version_is_not_sent_again_after_a_conflict() -> None:
    """It would lose each time, also against itself: here the first attempt was executed and its answer lost."""
    bound = {**MAP, "metadata": {**MAP["metadata"], "resourceVersion": "7"}}
    conflict = status(409, "Conflict", "the object has been modified")
    with serving(reset, conflict) as script, to(script) as cluster:
        with pytest.raises(Conflict):
            cluster.apply(bound, manager="m")
        assert len(script.seen) == 2


def test_list_goes_on_page_by_page_and_begins_again_when_a_page_is_too_late() -> None:
    def page(name: str, token: str) -> faulty.Behaviour:
        meta = {"resourceVersion": "5", "continue": token}
        return answer({"items": [{"metadata": {"name": name}}], "metadata": meta})

    late = status(410, "Expired")
    with (
        serving(page("a", "t"), late, page("a", "t"), page("b", "")) as script,
        to(script) as cluster,
    ):
        listing = cluster.list("v1", "Pod", namespace="x", selector="a=b")
        assert [item["metadata"]["name"] for item in listing.items] == ["a", "b"]
        assert listing.items[0]["kind"] == "Pod"
        assert listing.resource_version == "5"
        assert "limit=500" in script.seen[0].path
        assert "labelSelector=a%3Db" in script.seen[3].path
        assert "continue=t" in script.seen[3].path


def test_list_that_expires_twice_is_gone() -> None:
    with serving(always=status(410, "Expired")) as script, to(script) as cluster:
        with pytest.raises(Gone):
            cluster.list("v1", "Pod")
        assert len(script.seen) == 2


def test_nothing_is_sent_after_stop() -> None:
    with serving() as script, to(script) as cluster:
        cluster.stop()
        with pytest.raises(Stopped):
            cluster.get(POD)
        assert script.seen == []


def test_stop_ends_a_wait_between_attempts() -> None:
    with (
        serving(always=answer({}, 429, Retry_After="30")) as script,
        to(script, Timing()) as cluster,
    ):
        threading.Timer(0.3, cluster.stop).start()
        started = time.monotonic()
        with pytest.raises(Stopped):
            cluster.get(POD)
        assert time.monotonic() - started < 5


def test_parallel_keeps_order_and_hands_over_only_expected_errors_as_values() -> None:
    missing = status(404, "NotFound", name="one")
    with serving(always=missing) as script, to(script) as cluster:

        def fails() -> str:
            raise ValueError("no")

        answers = cluster.parallel([lambda: "a", fails, lambda: "c"], ValueError)
        assert answers[0] == "a"
        assert isinstance(answers[1], ValueError)
        assert answers[2] == "c"
        with pytest.raises(ValueError, match="no"):
            cluster.parallel([lambda: "a", fails], KeyError)


def test_parallel_inside_parallel_ends() -> None:
    with serving() as script, to(script, concurrency=2) as cluster:

        def inner() -> int:
            return sum(x for x in cluster.parallel([lambda: 1] * 3) if isinstance(x, int))

        assert cluster.parallel([inner] * 4) == [3, 3, 3, 3]


def test_fences_see_writes_and_nothing_else() -> None:
    with serving(always=answer(MAP)) as script, to(script) as cluster:
        calls: list[str] = []
        cluster.add_fence(lambda call: calls.append(call.subject))
        cluster.get(MAP_REFERENCE)
        cluster.apply(MAP, manager="m", dry_run=True)
        cluster.apply(MAP, manager="m")
        assert calls == ["apply ConfigMap team-a/one"]
        assert cluster.stats.writes == 1
        assert cluster.stats.reads == 2


def test_a_fence_stops_a_repeat() -> None:
    with serving(reset, always=answer(MAP)) as script, to(script) as cluster:
        passed = iter([None])

        def fence(_call: object) -> None:
            if next(passed, "lost") == "lost":
                raise RuntimeError("lost")

        cluster.add_fence(fence)
        with pytest.raises(RuntimeError, match="lost"):
            cluster.apply(MAP, manager="m")
        assert len(script.seen) == 1


def test_warnings_of_the_server_are_collected_once() -> None:
    text = '299 - "unknown field \\"spec.x\\"", 299 - "v1beta1 is deprecated"'
    with serving(always=answer(MAP, Warning=text)) as script, to(script) as cluster:
        cluster.get(MAP_REFERENCE)
        cluster.get(MAP_REFERENCE)
        assert cluster.warnings == ('unknown field "spec.x"', "v1beta1 is deprecated")


def test_answers_are_not_compressed() -> None:
    with serving(always=answer(MAP)) as script, to(script) as cluster:
        cluster.get(MAP_REFERENCE)
        assert script.seen[0].headers["Accept-Encoding"] == "identity"


def test_a_path_before_the_api_is_kept() -> None:
    with serving(always=answer(MAP)) as script:
        auth = {"host": f"{script.url}/k8s/clusters/c-1/", "environment": {}}
        with connect(auth, timing=FakeTime().timing()) as cluster:
            cluster.get(MAP_REFERENCE)
        assert script.seen[0].path == "/k8s/clusters/c-1/api/v1/namespaces/team-a/configmaps/one"
