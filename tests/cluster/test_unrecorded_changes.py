# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that no record of ownership shows are seen and put right: order, defaults, whatever admission does, items without their key."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.lab.client import Client

from .support.engine import Engine
from .support.replaced import (
    DEPLOYMENT,
    ROUTE,
    live,
    ours,
    pods,
    replace,
    replace_without_trace,
    route,
)


def test_other_order_is_put_right_though_nobody_is_recorded_for_it(
    client: Client, made: Engine
) -> None:
    variables = [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)"}]
    wanted = made.child(*DEPLOYMENT, pods({"env": variables}))
    made.run(wanted)
    changed = live(client, made, DEPLOYMENT)
    record = ours(changed)["fieldsV1"]
    changed["spec"]["template"]["spec"]["containers"][0]["env"].reverse()
    replace(client, changed)
    assert ours(live(client, made, DEPLOYMENT))["fieldsV1"] == record, "the hole exists"
    ran = made.run(wanted)
    assert ran.changed
    assert "env was put in another order" in ran.reasons
    env = live(client, made, DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0]["env"]
    assert env == variables
    assert made.run(wanted).writes == 0


def test_default_in_an_atomic_list_comes_back(client: Client, made: Engine) -> None:
    """`weight: 5` is left out, so that it is 1 again."""
    made.run(made.child(*ROUTE, route()))
    record = ours(live(client, made, ROUTE))["fieldsV1"]["f:spec"]
    dropped = made.child(*ROUTE, route(rules=[{"backendRefs": [{"name": "a", "port": 80}]}]))
    ran = made.run(dropped)
    assert ran.changed
    stored = live(client, made, ROUTE)
    assert stored["spec"]["rules"][0]["backendRefs"][0]["weight"] == 1
    assert ours(stored)["fieldsV1"]["f:spec"] == record, "the hole exists"
    assert made.run(dropped).writes == 0


def add_in_an_atomic_list(found: Json) -> None:
    """Add what no server adds by itself."""
    found["spec"]["rules"][0]["backendRefs"][0]["filters"] = [
        {
            "type": "RequestHeaderModifier",
            "requestHeaderModifier": {"add": [{"name": "a", "value": "b"}]},
        }
    ]


#: What admission changes: kind, body, change, and how the reason names it.
UNRECORDED: dict[str, tuple[tuple[str, str], Json, Callable[[Json], object], str]] = {
    "value": (
        DEPLOYMENT,
        pods(),
        lambda found: found["spec"]["template"]["spec"]["containers"][0].update(image="other:2"),
        "image was changed",
    ),
    "addition in an atomic list": (ROUTE, route(), add_in_an_atomic_list, "rules was changed"),
    "removal": (
        DEPLOYMENT,
        pods({"args": ["a"]}),
        lambda found: found["spec"]["template"]["spec"]["containers"][0].pop("args"),
        "args was removed",
    ),
}


@pytest.mark.parametrize("name", UNRECORDED)
def test_change_that_nobody_is_recorded_for_is_put_right(
    client: Client, made: Engine, name: str
) -> None:
    kind, body, change, reason = UNRECORDED[name]
    wanted = made.child(*kind, body)
    made.run(wanted)
    before = live(client, made, kind)
    changed = json.loads(json.dumps(before))
    change(changed)
    replace_without_trace(client, changed)
    found = live(client, made, kind)
    assert found["spec"] != before["spec"]
    assert ours(found)["fieldsV1"] == ours(before)["fieldsV1"], "the hole exists"
    ran = made.run(wanted)
    assert ran.changed
    assert reason in ran.reasons
    assert live(client, made, kind)["spec"] == before["spec"]
    assert made.run(wanted).writes == 0


def test_item_that_stands_twice_is_no_error(client: Client, made: Engine) -> None:
    """The server takes a second variable of a name in an update; which of them is ours cannot be told."""
    wanted = made.child(*DEPLOYMENT, pods({"env": [{"name": "A", "value": "1"}]}))
    made.run(wanted)
    changed = live(client, made, DEPLOYMENT)
    env = changed["spec"]["template"]["spec"]["containers"][0]["env"]
    env.append({"name": "A", "value": "2"})
    replace(client, changed)
    ran = made.run(wanted)
    assert ran.changed, ran.reasons
    env = live(client, made, DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0]["env"]
    assert env == [{"name": "A", "value": "1"}]
    assert made.run(wanted).writes == 0


def test_item_that_lost_its_key_is_sent_again(client: Client, made: Engine) -> None:
    wanted = made.child(*DEPLOYMENT, pods({"ports": [{"containerPort": 8000}]}))
    made.run(wanted)
    changed = live(client, made, DEPLOYMENT)
    changed["spec"]["template"]["spec"]["containers"][0]["ports"][0]["protocol"] = "UDP"
    replace(client, changed)
    assert made.run(wanted).changed
    ports = live(client, made, DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0]["ports"]
    assert {"containerPort": 8000, "protocol": "TCP"} in ports
    assert made.run(wanted).writes == 0


@pytest.mark.parametrize("value", ["80", 80])
def test_number_and_text_are_two_values(client: Client, made: Engine, value: Any) -> None:
    def body(port: Any) -> Json:
        return {"spec": {"selector": {"app": "x"}, "ports": [{"port": 1, "targetPort": port}]}}

    kind = ("v1", "Service")
    wanted = made.child(*kind, body("http"))
    made.run(wanted)
    wanted = made.child(*kind, body(80))
    assert made.run(wanted).changed
    assert made.run(wanted).writes == 0
    if value != "80":
        return
    changed = live(client, made, kind)
    changed["spec"]["ports"][0]["targetPort"] = "x80"
    replace_without_trace(client, changed)
    assert made.run(wanted).changed
    assert live(client, made, kind)["spec"]["ports"][0]["targetPort"] == 80
