# SPDX-License-Identifier: GPL-3.0-or-later
"""One writer at a time, on a real API server: waiting, stealing what is abandoned, stopping when robbed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from module_utils.cluster.connection import Cluster, connect
from module_utils.cluster.errors import LeaseBusy, LeaseLost
from module_utils.cluster.lease import Lease
from module_utils.cluster.timing import Timing
from module_utils.kube.reference import Reference
from tests.lab import cluster as lab

FLEET = "default"


class Sleeper:
    """The clock of a run that can be suspended."""

    def __init__(self) -> None:
        self._slept = 0.0

    def sleep(self, seconds: float) -> None:
        """Pretend that the run was suspended; others go on in the meantime."""
        self._slept += seconds

    def timing(self) -> Timing:
        """What a connection takes."""
        return replace(Timing(), monotonic=lambda: time.monotonic() + self._slept)


class Runs:
    """Connections as several runs have them, each with its own identity."""

    def __init__(self, kubeconfig: str) -> None:
        self._auth = {"kubeconfig": kubeconfig, "environment": {}}
        self._stack = ExitStack()

    def new(self, timing: Timing | None = None) -> Cluster:
        """One more run."""
        return self._stack.enter_context(connect(self._auth, timing=timing or Timing()))

    def close(self) -> None:
        """End all of them."""
        self._stack.close()


@pytest.fixture
def runs(control_plane: lab.Cluster) -> Iterator[Runs]:
    """A maker of runs."""
    maker = Runs(str(control_plane.kubeconfig))
    yield maker
    maker.close()


def lease(cluster: Cluster, namespace: str, **options: Any) -> Lease:
    return Lease(cluster, fleet=FLEET, namespace=namespace, **{"duration": 1.0, **options})


def config_map(namespace: str, name: str = "one") -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def test_taken_and_given_back_with_two_requests_that_are_no_writes(
    runs: Runs, namespace: str
) -> None:
    cluster = runs.new()
    with lease(cluster, namespace, duration=15) as held:
        assert cluster.stats.lease_requests == 1
    assert cluster.stats.lease_requests == 2
    assert (cluster.stats.reads, cluster.stats.writes) == (0, 0)
    assert cluster.get(held.reference) is None


def test_a_second_run_waits_for_the_first(runs: Runs, namespace: str) -> None:
    first, second = lease(runs.new(), namespace), lease(runs.new(), namespace)
    first.acquire()
    released: list[float] = []

    def release() -> None:
        released.append(time.monotonic())
        first.release()

    timer = threading.Timer(2.5, release)
    timer.start()
    with second:
        assert time.monotonic() >= released[0], "a Lease that is renewed is not taken"
    timer.join()


def test_a_second_run_that_waits_too_long_names_the_holder(runs: Runs, namespace: str) -> None:
    with lease(runs.new(), namespace) as first:
        with pytest.raises(LeaseBusy) as caught:
            lease(runs.new(), namespace, timeout=1.5).acquire()
        assert first.holder in str(caught.value)


@pytest.mark.parametrize("renewed", ["1999-01-01T00:00:00.000000Z", "2199-01-01T00:00:00.000000Z"])
def test_an_abandoned_lease_is_taken_after_its_duration_whatever_its_times_say(
    runs: Runs, namespace: str, renewed: str
) -> None:
    cluster = runs.new()
    mine = lease(cluster, namespace, timeout=20)
    spec = {"holderIdentity": "dead", "leaseDurationSeconds": 2, "renewTime": renewed}
    metadata = {"name": mine.reference.name, "namespace": namespace}
    cluster.create(
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": metadata,
            "spec": spec,
        }
    )
    began = time.monotonic()
    with mine:
        assert 2.0 <= time.monotonic() - began < 15
        live = cluster.get(mine.reference)
        assert live is not None
        assert live["spec"]["holderIdentity"] == mine.holder
        assert live["spec"]["leaseTransitions"] == 1


def test_the_robbed_run_writes_nothing_more_and_takes_nothing_away(
    runs: Runs, namespace: str
) -> None:
    clock = Sleeper()
    robbed, thief = runs.new(clock.timing()), runs.new()
    with lease(robbed, namespace, duration=30) as held:
        robbed.apply(config_map(namespace, "before"), manager="m")
        thief.patch(held.reference, {"spec": {"holderIdentity": "thief"}}, kind="merge")
        clock.sleep(25)
        with pytest.raises(LeaseLost, match="taken by thief"):
            robbed.apply(config_map(namespace, "after"), manager="m")
        with pytest.raises(LeaseLost):
            robbed.delete(Reference("v1", "ConfigMap", namespace, "before"))
        assert robbed.apply(config_map("default", "x"), manager="m", dry_run=True)
    assert thief.get(Reference("v1", "ConfigMap", namespace, "after")) is None
    assert thief.get(Reference("v1", "ConfigMap", namespace, "before")) is not None
    assert thief.get(held.reference) is not None


def test_the_renewal_notices_the_robbery_by_itself(runs: Runs, namespace: str) -> None:
    robbed, thief = runs.new(), runs.new()
    with lease(robbed, namespace) as held:
        thief.patch(held.reference, {"spec": {"holderIdentity": "thief"}}, kind="merge")
        end = time.monotonic() + 10
        with pytest.raises(LeaseLost):  # noqa: PT012  it may still be trusted for a moment
            while time.monotonic() < end:
                held.check()
                time.sleep(0.05)


def test_a_run_that_slept_but_was_not_robbed_goes_on(runs: Runs, namespace: str) -> None:
    clock = Sleeper()
    cluster = runs.new(clock.timing())
    with lease(cluster, namespace, duration=30):
        clock.sleep(3600)
        assert cluster.apply(config_map(namespace), manager="m").created


def test_a_label_that_somebody_puts_on_the_lease_is_no_robbery(runs: Runs, namespace: str) -> None:
    clock = Sleeper()
    cluster = runs.new(clock.timing())
    with lease(cluster, namespace, duration=30) as held:
        labels = {"metadata": {"labels": {"seen": "yes"}}}
        runs.new().patch(held.reference, labels, kind="merge")
        clock.sleep(25)
        assert cluster.apply(config_map(namespace), manager="m").created


def test_writes_elsewhere_are_not_held_up(runs: Runs, namespace: str) -> None:
    clock = Sleeper()
    cluster = runs.new(clock.timing())
    with lease(cluster, namespace, duration=30) as held:
        runs.new().patch(held.reference, {"spec": {"holderIdentity": "thief"}}, kind="merge")
        clock.sleep(25)
        other = Reference("v1", "ConfigMap", "default", "connection-test-not-there")
        assert cluster.delete(other) is False


def test_many_runs_never_write_side_by_side(runs: Runs, namespace: str) -> None:
    inside: list[str] = []
    overlaps: list[tuple[str, ...]] = []
    turns: list[str] = []

    def work(cluster: Cluster) -> None:
        for dummy in range(3):
            with lease(cluster, namespace, timeout=60) as held:
                inside.append(held.holder)
                overlaps.append(tuple(inside))
                cluster.apply(config_map(namespace), manager="m")
                turns.append(held.holder)
                inside.remove(held.holder)

    threads = [threading.Thread(target=work, args=[runs.new()]) for dummy in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(turns) == 15
    assert {len(together) for together in overlaps} == {1}
