# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers that are refusals: one run converges all the same, wherever it meets them. R<n>: rows of the fault matrix."""

from __future__ import annotations

import json
import stat
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from tests.lab import kubeconfig
from tests.lab.client import Client
from tests.lab.faults import (
    Effect,
    Fault,
    cut,
    do,
    event,
    every,
    hang_up,
    page,
    refuse,
    seen,
)
from tests.lab.proxy import Proxy

from .support.cluster import read
from .support.disturbed import MAIN_PLACES, PLACES, Swing
from .support.entries import Entries
from .support.services import custom_resource, small

pytestmark = pytest.mark.usefixtures("hasty")
MAIN = pytest.mark.parametrize("place", MAIN_PLACES)
#: Where one request follows the other, so that none is under way while another is refused.
ONE_BY_ONE = [name for name in MAIN_PLACES if not PLACES[name].options]
#: What two clocks may differ by that read the same one, in seconds.
PRECISION = 0.001
EXPIRED = refuse(410, "Expired", "the place to go on from is too old")
RACE = refuse(409, "Conflict", "the object has been modified; please apply your changes")


@pytest.mark.parametrize("place", ONE_BY_ONE)
def test_r1_nothing_is_sent_before_retry_after_is_over(swing: Swing, place: str) -> None:
    where = PLACES[place]
    busy = Fault(where.match, refuse(429, retry_after=0.3), skip=where.skip)
    swing.converges(where, busy, concurrency=1)
    refused = busy.struck[0].moment
    later = [each.moment for each in swing.records if each.moment > refused]
    assert min(later) - refused >= 0.3 - PRECISION


def test_re_of_throttled_answers_each_costs_one_repeat_and_none_comes_early(swing: Swing) -> None:
    """A fifth of the answers is 429."""
    delays = (0.1, 0.2, 0.3)
    busy = Fault(every(5), *(refuse(429, retry_after=each) for each in delays), times=1000)
    swing.converges(PLACES["first-list"], busy, concurrency=1)
    assert len(busy.struck) >= len(swing.records) // 5
    delay_of = {each.number: delays[place % 3] for place, each in enumerate(busy.struck)}
    for refused, following in pairwise(swing.records):
        if refused.number in delay_of:
            assert (following.method, following.path) == (refused.method, refused.path)
            waited = following.moment - refused.moment
            assert waited >= delay_of[refused.number] - PRECISION


@MAIN
def test_r2_server_or_load_balancer_in_trouble(swing: Swing, place: str) -> None:
    where = PLACES[place]
    trouble = Fault(
        where.match,
        refuse(500, "InternalError", "etcdserver: leader changed"),
        refuse(429, "TooManyRequests"),
        page(502),
        refuse(503, "ServiceUnavailable"),
        page(504),
        skip=where.skip,
    )
    swing.converges(where, trouble)
    assert len(trouble.struck) == 5


@pytest.mark.parametrize("place", ["first-write", "middle-write", "last-write", "status-write"])
def test_r6_an_apply_that_lost_a_race_is_sent_again(swing: Swing, place: str) -> None:
    where = PLACES[place]
    swing.converges(where, Fault(where.match, RACE, RACE))


def test_r6_what_changed_since_it_was_listed_is_still_deleted(swing: Swing, client: Client) -> None:
    where = PLACES["prune-delete"]

    def touch() -> None:
        path = fault.struck[0].path
        body = {"metadata": {"annotations": {"touched": "yes"}}}
        client.request("PATCH", path, body=body, content_type="application/merge-patch+json")

    fault = Fault(where.match, do(touch))
    swing.converges(where, fault)
    assert next(each.status for each in swing.records if each.path == fault.struck[0].path) == 409


def test_r6_a_finalizer_is_taken_away_although_the_object_changes(
    counted: Entries, proxy: Proxy, client: Client, namespace: str
) -> None:
    service = small("chat", namespace)
    resource = custom_resource(service)
    counted.reconcile(service)
    client.patch(resource, {"metadata": {"finalizers": ["model.otterscale.io/epp-cluster-rbac"]}})

    def touch() -> None:
        client.patch(resource, {"metadata": {"annotations": {"touched": str(len(race.struck))}}})

    race = Fault(seen("patch", "modelservices"), do(touch), times=3)
    proxy.hooks.append(race)
    counted.reconcile(service, state="absent")
    assert len(race.struck) == 3
    client.wait_for(resource, lambda found: found is None)


@pytest.mark.parametrize("effect", [EXPIRED, refuse(404, "NotFound", "page not found")])
@pytest.mark.parametrize("place", ["first-list", "later-page", "list-under-lease"])
def test_r9_r30_a_list_that_cannot_go_on_begins_again(
    swing: Swing, place: str, effect: Effect
) -> None:
    where = PLACES[place]
    swing.converges(where, Fault(where.match, effect, skip=where.skip))


@pytest.mark.parametrize(
    "effects",
    [
        [EXPIRED],
        [event("ERROR", {"kind": "Status", "code": 410, "reason": "Expired", "message": "old"})],
        [hang_up, cut, page(502)],
        [event("BOOKMARK", {"metadata": {"resourceVersion": "1"}}), hang_up],
    ],
    ids=["gone", "gone-event", "drops", "old-bookmark"],
)
def test_r15_a_watch_that_breaks_is_resumed(swing: Swing, effects: list[Effect]) -> None:
    where = PLACES["wait-watch"]
    trouble = Fault(where.match, *effects)
    # Pods that are ready before the watch is opened again leave the rest of the trouble to the next run.
    for dummy in effects:
        if len(trouble.struck) < len(effects):
            swing.converges(where, trouble)
    assert len(trouble.struck) == len(effects)


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory, swing: Swing) -> Path:
    """A kubeconfig with a credential plugin, which counts how often it runs, in a file `count` beside it."""
    folder = tmp_path_factory.mktemp("plugin")
    token = kubeconfig.read(swing.proxy.kubeconfig).token
    program = folder / "plugin"
    program.write_text(
        f"#!{sys.executable}\n"
        f"open({str(folder / 'count')!r}, 'a').write('x')\n"
        "version = 'client.authentication.k8s.io/v1'\n"
        f"status = {{'token': {token!r}}}\n"
        "import json\n"
        "print(json.dumps({'apiVersion': version, 'kind': 'ExecCredential', 'status': status}))\n",
        encoding="utf-8",
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    content = yaml.safe_load(swing.proxy.kubeconfig.read_text(encoding="utf-8"))
    execute = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(program)}
    content["users"][0]["user"] = {"exec": execute}
    path = folder / "kubeconfig"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@MAIN
def test_r28_a_token_that_is_no_longer_taken_is_fetched_once(
    swing: Swing, plugin: Path, place: str
) -> None:
    count = plugin.with_name("count")
    count.unlink(missing_ok=True)
    where = PLACES[place]
    expired = Fault(where.match, refuse(401, "Unauthorized", "Unauthorized"), skip=where.skip)
    swing.converges(where, expired, kubeconfig=plugin)
    assert count.read_text() == "xx"


def test_r28_a_token_that_is_never_taken_is_an_error_at_once(swing: Swing, plugin: Path) -> None:
    where = PLACES["list-under-lease"]
    refused = refuse(401, "Unauthorized", "Unauthorized")
    never = Fault(where.match, refused, skip=where.skip, times=1000)
    message = swing.refused(never, kubeconfig=plugin)
    assert "list Services" in message
    assert "was fetched again once" in message
    assert len(never.struck) == 2


def test_r30_an_object_of_a_megabyte(entries: Entries, client: Client, bare_namespace: str) -> None:
    blob = "x" * 900_000
    image = "registry.example.com/serving/vllm:1"
    service = small(
        "chat",
        bare_namespace,
        engine={"image": image, "env": [{"name": "BLOB", "value": blob}]},
        decode={"replicas": 0},
    )
    entries.reconcile(service)
    stored = read(client, custom_resource(service))
    assert stored is not None
    assert stored["spec"]["engine"]["env"][0]["value"] == blob
    assert not entries.reconcile(service)["changed"]
