# SPDX-License-Identifier: GPL-3.0-or-later
"""A wait sees every change and every object that vanished, also those of the time in which it could not watch.

The lists and watches are scripted here, for what a real server does not do on demand; the rest is tested on one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.cluster.errors import (
    ClusterError,
    Gone,
    KindMissing,
)
from ansible_collections.modelops.inference.plugins.module_utils.cluster.listing import Listing
from ansible_collections.modelops.inference.plugins.module_utils.cluster.watch import WatchEvent
from ansible_collections.modelops.inference.plugins.module_utils.engine.wait import Watched, wait
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference

Json = dict[str, Any]
KIND = Watched("apps/v1", "Deployment", "team-a", "app=chat")
PATIENCE = 20.0
GONE = Gone(status=410, reason="Expired", message="too old", verb="watch", subject="Deployments")


def _item(name: str, version: int) -> Json:
    return {"metadata": {"name": name, "namespace": "team-a", "resourceVersion": str(version)}}


def _event(kind: str, name: str, version: int) -> WatchEvent:
    return WatchEvent(kind, _item(name, version))


class _Watch:
    """The events of one script; after them it stays open, until it is closed or, with `ends`, the server ends it."""

    def __init__(self, script: tuple[Any, ...], *, ends: bool) -> None:
        self._script = script
        self._closed = threading.Event()
        self._ends = ends

    def __iter__(self) -> Iterator[WatchEvent]:
        for step in self._script:
            if isinstance(step, Exception):
                raise step
            yield step
        if not self._ends:
            assert self._closed.wait(PATIENCE), "the watch was left open"

    def close(self) -> None:
        self._closed.set()


class _Server:
    """Answers LISTs and watches from a script, the last of each for good. asked: what the watches asked for."""

    def __init__(self, lists: list[Any], watches: list[tuple[Any, ...]]) -> None:
        self._lists = lists
        self._watches = watches
        self.asked: list[str] = []

    def list(self, *_kind: str, **_options: Any) -> Listing:
        answer = self._lists.pop(0)
        if isinstance(answer, Exception):
            raise answer
        items, version = answer
        return Listing(items, version)

    def watch(self, *_kind: str, resource_version: str, **_options: Any) -> _Watch:
        self.asked.append(resource_version)
        script = self._watches.pop(0) if self._watches else ()
        return _Watch(script, ends=bool(self._watches))


def _names(objects: Mapping[Reference, Json]) -> dict[str, int]:
    return {
        reference.name: int(item["metadata"]["resourceVersion"])
        for reference, item in objects.items()
    }


def _wait(server: _Server, wanted: dict[str, int], patience: float = PATIENCE) -> bool:
    return wait(
        cast("Any", server),
        [KIND],
        lambda objects: _names(objects) == wanted,
        patience,
        time.monotonic,
    )


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


class _SlowServices(_Server):
    """Answers the list of Services only once it is told to."""

    def __init__(self) -> None:
        super().__init__([([_item("a", 1)], "1"), ([_item("b", 1)], "1")], [])
        self.answers = threading.Event()

    def list(self, *kind: str, **options: Any) -> Listing:
        if "Service" in kind:
            assert self.answers.wait(PATIENCE)
        return super().list(*kind, **options)


def test_nothing_is_judged_before_every_kind_is_listed() -> None:
    """Half a view would look as if something were gone, or as if nothing failed."""
    seen: list[dict[str, int]] = []
    server = _SlowServices()
    rounds = iter(range(1000))

    def judge(objects: Mapping[Reference, Json]) -> bool:
        seen.append(_names(objects))
        return True

    def clock() -> float:
        # The deadline, then once a round: the first has taken the Deployments when the second begins.
        if next(rounds) == 2:
            server.answers.set()
        return time.monotonic()

    kinds = [KIND, Watched("v1", "Service", "team-a", "")]
    assert wait(cast("Any", server), kinds, judge, PATIENCE, clock)
    assert seen == [{"a": 1, "b": 1}]


def test_kind_that_is_not_installed_counts_as_empty() -> None:
    server = _Server([KindMissing("apps/v1", "Deployment")], [])
    assert _wait(server, {})


@pytest.mark.parametrize("failure", [ClusterError("refused"), GONE])
def test_kind_that_cannot_be_listed_ends_the_wait_with_its_error(failure: ClusterError) -> None:
    with pytest.raises(ClusterError, match=str(failure).replace("(", ".").replace(")", ".")):
        _wait(_Server([failure], []), {})


def test_time_that_is_up_ends_the_wait_without_success() -> None:
    began = time.monotonic()
    assert not _wait(_Server([([_item("a", 1)], "1")], []), {"a": 2}, patience=0.1)
    assert time.monotonic() - began < PATIENCE / 2


def test_judge_is_asked_again_though_nothing_happens() -> None:
    """What has to last, a failure for example, shows only by the clock."""
    asked: list[float] = []

    def judge(_objects: Mapping[Reference, Json]) -> bool:
        asked.append(time.monotonic())
        return len(asked) == 2

    server = _Server([([], "1")], [])
    assert wait(cast("Any", server), [KIND], judge, PATIENCE, time.monotonic)
    assert len(asked) == 2


def test_no_watch_is_left_open() -> None:
    assert _wait(_Server([([], "1")], []), {})
    left = [thread for thread in threading.enumerate() if thread.name == "watch-Deployment"]
    for thread in left:
        thread.join(PATIENCE)
    assert not [thread for thread in left if thread.is_alive()]
