# SPDX-License-Identifier: GPL-3.0-or-later
"""A wait sees every change and every object that vanished, also those of the time in which it could not watch.

The lists and watches are scripted here, for what a real server does not do on demand; the rest is tested on one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from module_utils.cluster.errors import ClusterError, Forbidden, Gone, KindMissing, Unreachable
from module_utils.cluster.listing import Listing
from module_utils.cluster.watch import WatchEvent
from module_utils.engine import informer
from module_utils.engine.informer import Watched
from module_utils.engine.watch_loop import wait
from module_utils.kube.manifest import Json
from module_utils.kube.reference import Reference

KIND = Watched("apps/v1", "Deployment", ("team-a",), "app=chat")
PATIENCE = 20.0
GONE = Gone(status=410, reason="Expired", message="too old", verb="watch", subject="Deployments")
AWAY = Unreachable("https://here", "list Deployments", "connection refused")
NOT_ALLOWED = Forbidden(
    status=403, reason="Forbidden", message="no", verb="list", subject="list Deployments"
)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What may pass is tried again at once."""
    monkeypatch.setattr(informer, "AGAIN_S", 0.01)


def _item(name: str, version: int, namespace: str = "team-a") -> Json:
    meta = {"name": name, "namespace": namespace, "resourceVersion": str(version)}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**meta, "managedFields": [{"manager": "x"}]},
    }


def _event(kind: str, name: str, version: int) -> WatchEvent:
    return WatchEvent(kind, _item(name, version))


class _Watch:
    """The events of one script; after them it stays open, until it is closed or, with `ends`, the server ends it."""

    def __init__(self, script: tuple[Any, ...], version: str, *, ends: bool) -> None:
        self.resource_version = version
        self._script = script
        self._closed = threading.Event()
        self._ends = ends

    def __iter__(self) -> Iterator[WatchEvent]:
        for step in self._script:
            if isinstance(step, Exception):
                raise step
            self.resource_version = step.object["metadata"]["resourceVersion"]
            yield step
        if not self._ends:
            assert self._closed.wait(PATIENCE), "the watch was left open"

    def __enter__(self) -> _Watch:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self._closed.set()


class _Server:
    """Answers LISTs and watches from a script, the last of each for good. asked: what the watches asked for."""

    def __init__(self, lists: list[Any], watches: list[tuple[Any, ...]]) -> None:
        self._lists = lists
        self._watches = watches
        self.asked: list[str] = []
        self.listed: list[str] = []
        self.requests = SimpleNamespace(deadline=SimpleNamespace(left=lambda: 1e9))

    def pages(self, *_kind: str, namespace: str, **_options: Any) -> Iterator[Listing]:
        self.listed.append(namespace)
        answer = self._lists.pop(0) if len(self._lists) > 1 else self._lists[0]
        if isinstance(answer, Exception):
            raise answer
        items, version = answer
        for item in items:
            if isinstance(item, Exception):
                raise item
            yield Listing([item], version)
        yield Listing([], version)

    def watch(self, *_kind: str, resource_version: str, **_options: Any) -> _Watch:
        self.asked.append(resource_version)
        script = self._watches.pop(0) if self._watches else ()
        return _Watch(script, resource_version, ends=bool(self._watches))


class _Observer:
    """Keeps what it sees, and is content where that is as wanted."""

    def __init__(self, enough: Callable[[dict[str, int]], bool]) -> None:
        self.objects: dict[Reference, Json] = {}
        self._enough = enough

    def see(self, reference: Reference, live: Json | None) -> None:
        self.objects.pop(reference, None)
        if live is not None:
            self.objects[reference] = live

    def content(self) -> bool:
        return self._enough(self.versions)

    @property
    def versions(self) -> dict[str, int]:
        return {
            reference.name: int(item["metadata"]["resourceVersion"])
            for reference, item in self.objects.items()
        }


def _wait(
    server: _Server, wanted: dict[str, int], patience: float = PATIENCE, kind: Watched = KIND
) -> bool:
    observer = _Observer(lambda versions: versions == wanted)
    return wait(cast("Any", server), [kind], observer, patience, time.monotonic)


@pytest.mark.parametrize(
    ("events", "wanted"),
    [
        ((), {"a": 1, "b": 2}),
        ((_event("MODIFIED", "a", 3),), {"a": 3, "b": 2}),
        ((_event("ADDED", "c", 3),), {"a": 1, "b": 2, "c": 3}),
        ((_event("DELETED", "a", 3),), {"b": 2}),
        ((_event("DELETED", "a", 3), _event("ADDED", "a", 4)), {"a": 4, "b": 2}),
        ((_event("MODIFIED", "a", 3), _event("MODIFIED", "a", 4)), {"a": 4, "b": 2}),
        ((WatchEvent("BOOKMARK", {"metadata": {"resourceVersion": "9"}}),), {"a": 1, "b": 2}),
    ],
)
def test_last_word_of_the_server_counts(
    events: tuple[WatchEvent, ...], wanted: dict[str, int]
) -> None:
    server = _Server([([_item("a", 1), _item("b", 2)], "2")], [events])
    assert _wait(server, wanted)
    assert server.asked == ["2"]


def test_watch_that_ends_goes_on_where_it_stopped() -> None:
    bookmark = WatchEvent("BOOKMARK", {"metadata": {"resourceVersion": "8"}})
    scripts: list[tuple[Any, ...]] = [
        (_event("MODIFIED", "a", 5),),
        (bookmark,),
        (_event("MODIFIED", "a", 9),),
    ]
    server = _Server([([_item("a", 1)], "2")], scripts)
    assert _wait(server, {"a": 9})
    assert server.asked == ["2", "5", "8"]


def test_what_vanished_while_the_place_was_forgotten_is_gone() -> None:
    """410: the server does not tell what was deleted meanwhile; the next list shows it."""
    lists = [([_item("a", 1), _item("b", 2)], "2"), ([_item("a", 7)], "9")]
    server = _Server(lists, [(_event("ADDED", "c", 3), GONE), ()])
    assert _wait(server, {"a": 7})
    assert server.asked == ["2", "9"]


def test_what_vanished_between_two_lists_of_which_the_first_broke_off_is_gone() -> None:
    lists = [([_item("a", 1), GONE], "2"), ([_item("b", 7)], "9")]
    assert _wait(_Server(lists, []), {"b": 7})


class _SlowServices(_Server):
    """Answers the list of Services only once it is told to."""

    def __init__(self) -> None:
        super().__init__([([_item("a", 1)], "1"), ([_item("b", 1)], "1")], [])
        self.answers = threading.Event()

    def pages(self, *kind: str, namespace: str, **options: Any) -> Iterator[Listing]:
        if "Service" in kind:
            assert self.answers.wait(PATIENCE)
        return super().pages(*kind, namespace=namespace, **options)


def test_nothing_is_judged_before_every_kind_is_listed() -> None:
    """Half a view would look as if something were gone, or as if nothing failed."""
    seen: list[dict[str, int]] = []
    server = _SlowServices()
    rounds = iter(range(1000))

    def enough(versions: dict[str, int]) -> bool:
        seen.append(versions)
        return True

    def clock() -> float:
        # The deadline, then once a round: the first has taken the Deployments when the second begins.
        if next(rounds) == 2:
            server.answers.set()
        return time.monotonic()

    kinds = [KIND, Watched("v1", "Service", ("team-a",))]
    assert wait(cast("Any", server), kinds, _Observer(enough), PATIENCE, clock)
    assert seen == [{"a": 1, "b": 1}]


def test_objects_are_handed_on_without_managed_fields() -> None:
    """They are half of an object, and nobody who waits looks at them."""
    observer = _Observer(bool)
    event = _event("ADDED", "b", 3)
    event.object["metadata"]["managedFields"] = [{"manager": "x"}]
    server = _Server([([_item("a", 1)], "2")], [(event,)])
    assert wait(cast("Any", server), [KIND], observer, PATIENCE, time.monotonic)
    assert all("managedFields" not in live["metadata"] for live in observer.objects.values())


def test_kind_that_is_not_installed_counts_as_empty() -> None:
    assert _wait(_Server([KindMissing("apps/v1", "Deployment")], []), {})


@pytest.mark.parametrize("failure", [ClusterError("refused"), NOT_ALLOWED, ValueError("a bug")])
def test_kind_that_cannot_be_listed_ends_the_wait_with_its_error(failure: Exception) -> None:
    with pytest.raises(type(failure)):
        _wait(_Server([failure], []), {})


def test_optional_kind_that_may_not_be_seen_counts_as_empty() -> None:
    pods = Watched("v1", "Pod", ("team-a",), optional=True)
    assert _wait(_Server([NOT_ALLOWED], []), {}, kind=pods)


def test_several_namespaces_are_watched_one_by_one_where_all_at_once_is_forbidden() -> None:
    lists = [NOT_ALLOWED, ([_item("a", 1)], "2"), ([_item("b", 1, "team-b")], "2")]
    server = _Server(lists, [])
    both = Watched("apps/v1", "Deployment", ("team-a", "team-b"))
    assert _wait(server, {"a": 1, "b": 1}, kind=both)
    assert sorted(server.listed) == ["", "team-a", "team-b"]


@pytest.mark.parametrize("trouble", [AWAY, GONE])
def test_trouble_that_passes_is_waited_out(trouble: ClusterError) -> None:
    """A server that restarts in the middle costs no more than its absence."""
    lists = [trouble, ([_item("a", 1)], "2"), trouble, trouble, ([_item("b", 3)], "4")]
    assert _wait(_Server(lists, [(trouble,), ()]), {"b": 3})


@pytest.mark.parametrize("trouble", [AWAY, GONE])
def test_trouble_that_lasts_is_told_when_the_time_is_up(trouble: ClusterError) -> None:
    with pytest.raises(type(trouble)):
        _wait(_Server([trouble], []), {}, patience=0.3)


def test_time_that_is_up_ends_the_wait_without_success() -> None:
    began = time.monotonic()
    assert not _wait(_Server([([_item("a", 1)], "1")], []), {"a": 2}, patience=0.1)
    assert time.monotonic() - began < PATIENCE / 2


def test_deadline_of_the_task_ends_the_wait() -> None:
    server = _Server([([], "1")], [])
    server.requests.deadline.left = lambda: 0.1
    assert not _wait(server, {"a": 1})


def test_observer_is_asked_again_though_nothing_happens() -> None:
    """What has to last, a fault for example, shows only by the clock."""
    asked: list[float] = []

    def enough(_versions: dict[str, int]) -> bool:
        asked.append(time.monotonic())
        return len(asked) == 2

    server = _Server([([], "1")], [])
    assert wait(cast("Any", server), [KIND], _Observer(enough), PATIENCE, time.monotonic)
    assert len(asked) == 2


def test_no_watch_is_left_open() -> None:
    assert _wait(_Server([([], "1")], []), {})
    left = [thread for thread in threading.enumerate() if thread.name == "watch-Deployment"]
    for thread in left:
        thread.join(PATIENCE)
    assert not [thread for thread in left if thread.is_alive()]
