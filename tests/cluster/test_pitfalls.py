# SPDX-License-Identifier: GPL-3.0-or-later
"""Where tools that decide by themselves whether an apply is needed went wrong: one test for each report, with real objects.

What they have in common: an apply that the server would act on is sent, and what an apply cannot change is not sent for ever.
Not here, since it cannot happen to us:

| reported elsewhere | why not here |
|---|---|
| `stringData` is owned but stored as `data` | no child of ours sends the content of a Secret |
| the server sorts a list (topology variables) | none of our kinds does; the order of what is keyed is a test |
| an annotation grows beyond 256 KiB | ours hold hashes and a name, whatever the size of the object |
| entries of client-side applies | they are of other managers; taking over such objects is `adopt` |
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.client import ApiError, Client, wait_until
from tests.lab.cluster import Cluster

from .support.cluster import there
from .support.engine import Engine, engine
from .support.entries import Entries
from .support.services import deployment, full
from .support.webhook import patched, webhook

Json = dict[str, Any]
OURS = "modelops.inference"
SETTLED = "inference.modelops.io/settled"
CONTAINER: Json = {"name": "main", "image": "registry.example.com/main:1.0"}


@pytest.fixture
def made(lab: Cluster, namespace: str) -> Iterator[Engine]:
    """The engine in a namespace of this test alone."""
    with engine(lab.kubeconfig, namespace) as running:
        yield running


def pods(container: Json | None = None, **spec: Any) -> Json:
    """Return what is in a Deployment of no pods. container: what its container has beside name and image."""
    template = {
        "metadata": {"labels": {"app": "x"}},
        "spec": {"containers": [{**CONTAINER, **(container or {})}]},
    }
    selector = {"matchLabels": {"app": "x"}}
    return {
        "spec": {"replicas": 0, "paused": True, "selector": selector, "template": template, **spec}
    }


def route(**spec: Any) -> Json:
    """Return what is in an HTTPRoute."""
    rules = [{"backendRefs": [{"name": "a", "port": 80, "weight": 5}]}]
    return {"spec": {"parentRefs": [{"name": "edge"}], "rules": rules, **spec}}


DEPLOYMENT = ("apps/v1", "Deployment")
ROUTE = ("gateway.networking.k8s.io/v1", "HTTPRoute")


def live(client: Client, made: Engine, kind: tuple[str, str]) -> Json:
    """Return the object as it is."""
    return there(
        client,
        {
            "apiVersion": kind[0],
            "kind": kind[1],
            "metadata": {"name": "x", "namespace": made.namespace},
        },
    )


def replace(client: Client, changed: Json, manager: str = "kubectl-replace") -> Json:
    """Replace an object as somebody else, whatever a controller writes meanwhile."""
    meta = changed["metadata"]
    path = client.path(changed["apiVersion"], changed["kind"], meta["namespace"], meta["name"])

    def put() -> tuple[bool, Json]:
        meta["resourceVersion"] = there(client, changed)["metadata"]["resourceVersion"]
        answer: Json = client.request(
            "PUT", path, query={"fieldManager": manager}, body=changed, accept=(409,)
        )
        return answer["kind"] != "Status", answer

    replaced: Json = wait_until(put, f"{path} to be replaced")
    return replaced


def replace_without_trace(client: Client, changed: Json) -> None:
    """Replace an object as admission does: nobody is recorded for the change."""
    records = changed["metadata"]["managedFields"]
    stored = replace(client, changed)
    stored["metadata"]["managedFields"] = records
    replace(client, stored)


def ours(found: Json) -> Json:
    """Return our record of what we own."""
    entry: Json = next(
        each for each in found["metadata"]["managedFields"] if each["manager"] == OURS
    )
    return entry


def settles(
    client: Client, made: Engine, kind: tuple[str, str], body: Json, warning: str = ""
) -> Json:
    """Apply an object and see that no later run writes; return it. warning: what each run says."""
    wanted = made.child(*kind, body)
    first = made.run(wanted)
    assert first.actions["x"] == "created"
    for ran in (first, made.run(wanted), made.run(wanted)):
        assert warning in ran.warnings
        assert bool(warning) == bool(ran.warnings)
        assert ran is first or (ran.writes, ran.reasons) == (0, "")
    return live(client, made, kind)


# What the server stores in another form than it is sent: one more write at first, none in later runs.

#: By name: kind, content, whether the object needs a mark, and what is warned about.
CHANGED_FORM: dict[str, tuple[tuple[str, str], Json, bool, str]] = {
    "quantities": (
        DEPLOYMENT,
        pods({"resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}}}),
        True,
        "",
    ),
    "empty text": (DEPLOYMENT, pods({"env": [{"name": "EMPTY", "value": ""}]}), True, ""),
    "empty list": (DEPLOYMENT, pods({"args": []}), True, ""),
    "empty list of rules": (("rbac.authorization.k8s.io/v1", "Role"), {"rules": []}, True, ""),
    "feature behind a gate": (
        ("v1", "PersistentVolumeClaim"),
        {
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
                "dataSourceRef": {"kind": "PersistentVolumeClaim", "name": "y", "namespace": "z"},
            }
        },
        True,
        "dataSourceRef was removed",
    ),
    "defaults of a claim template": (
        ("apps/v1", "StatefulSet"),
        {
            "spec": {
                "replicas": 0,
                "serviceName": "x",
                "selector": {"matchLabels": {"app": "x"}},
                "template": pods()["spec"]["template"],
                "volumeClaimTemplates": [
                    {
                        "metadata": {"name": "data"},
                        "spec": {
                            "accessModes": ["ReadWriteOnce"],
                            "resources": {"requests": {"storage": "1Gi"}},
                        },
                    }
                ],
            }
        },
        False,
        "",
    ),
    "default of a field reference": (
        DEPLOYMENT,
        pods({"env": [{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]}),
        False,
        "",
    ),
    "defaults of a route": (ROUTE, route(), False, ""),
    "key completed by a default": (
        DEPLOYMENT,
        pods({"ports": [{"containerPort": 8000}]}),
        False,
        "",
    ),
    "integer written as a float": (DEPLOYMENT, pods(minReadySeconds=5.0), False, ""),
    "number or text": (
        ("policy/v1", "PodDisruptionBudget"),
        {"spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "x"}}}},
        False,
        "",
    ),
    "duration of a custom resource": (
        ROUTE,
        route(rules=[{"backendRefs": [{"name": "a", "port": 80}], "timeouts": {"request": "60s"}}]),
        False,
        "",
    ),
}


@pytest.mark.parametrize("name", CHANGED_FORM)
def test_other_form_costs_no_write_in_later_runs(client: Client, made: Engine, name: str) -> None:
    kind, body, marked, warning = CHANGED_FORM[name]
    stored = settles(client, made, kind, body, warning)
    assert (SETTLED in stored["metadata"]["annotations"]) is marked


def test_mark_proves_nothing_once_somebody_touched_the_object(client: Client, made: Engine) -> None:
    body = pods({"args": []})
    settles(client, made, DEPLOYMENT, body)
    changed = live(client, made, DEPLOYMENT)
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = "other:2"
    replace_without_trace(client, changed)
    wanted = made.child(*DEPLOYMENT, body)
    assert made.run(wanted).changed
    assert (
        live(client, made, DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0]["image"]
        == (CONTAINER["image"])
    )
    assert made.run(wanted).writes == 0


def test_mark_goes_with_what_made_it_necessary(client: Client, made: Engine) -> None:
    settles(client, made, DEPLOYMENT, pods({"args": []}))
    wanted = made.child(*DEPLOYMENT, pods())
    assert made.run(wanted).writes == 1
    assert SETTLED not in live(client, made, DEPLOYMENT)["metadata"]["annotations"]
    assert made.run(wanted).writes == 0


# The three holes of field ownership, and the witness that closes each.


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


# Lists with items that are not as we know them.


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


# Records of ownership that are old, wiped, or lost with a restored copy.


def test_record_of_an_older_version_is_renewed(client: Client, made: Engine) -> None:
    wanted = made.child(*ROUTE, route())
    made.run(wanted)
    changed = live(client, made, ROUTE)
    ours(changed)["apiVersion"] = "gateway.networking.k8s.io/v1beta1"
    replace(client, changed)
    ran = made.run(wanted)
    assert not ran.changed
    assert "it was applied as gateway.networking.k8s.io/v1beta1" in ran.reasons
    assert ours(live(client, made, ROUTE))["apiVersion"] == ROUTE[0]
    assert made.run(wanted).writes == 0


def test_wiped_record_is_made_again(client: Client, made: Engine) -> None:
    wanted = made.child(*DEPLOYMENT, pods())
    made.run(wanted)
    client.patch(live(client, made, DEPLOYMENT), {"metadata": {"managedFields": [{}]}})
    ran = made.run(wanted)
    assert (ran.changed, ran.writes) == (False, 1)
    assert "no apply of ours" in ran.reasons
    assert made.run(wanted).writes == 0


def test_field_that_may_be_left_from_before_the_wipe_is_named(client: Client, made: Engine) -> None:
    """Server-side apply cannot take away what nobody is recorded for, nor can anybody tell whose it was."""
    made.run(made.child(*DEPLOYMENT, pods(minReadySeconds=5)))
    client.patch(live(client, made, DEPLOYMENT), {"metadata": {"managedFields": [{}]}})
    wanted = made.child(*DEPLOYMENT, pods())
    (outcome,) = made.run(wanted).outcomes
    assert "spec.minReadySeconds" in outcome.warning
    assert "spec.template" not in outcome.warning
    assert live(client, made, DEPLOYMENT)["spec"]["minReadySeconds"] == 5
    assert made.run(wanted).writes == 0


def test_record_without_a_form_of_fields_cannot_be_stored(client: Client, made: Engine) -> None:
    """The API server refuses it, or keeps the record that it had."""
    wanted = made.child(*DEPLOYMENT, pods())
    made.run(wanted)
    changed = live(client, made, DEPLOYMENT)
    ours(changed).pop("fieldsType")
    with contextlib.suppress(ApiError):
        replace(client, changed)
    assert made.run(wanted).writes <= 1
    assert made.run(wanted).writes == 0
    assert ours(live(client, made, DEPLOYMENT))["fieldsType"] == "FieldsV1"


def test_restored_copy_is_owned_again(client: Client, made: Engine) -> None:
    """The annotation with the hash survives a backup, the ownership does not."""
    wanted = made.child(*DEPLOYMENT, pods())
    made.run(wanted)
    copied = live(client, made, DEPLOYMENT)
    client.delete(copied)
    client.wait_for(copied, lambda found: found is None)
    kept = {
        name: copied["metadata"][name]
        for name in ("name", "namespace", "labels", "annotations", "ownerReferences")
    }
    restored = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": kept}
    client.create({**restored, "spec": copied["spec"], "metadata": {**kept, "managedFields": []}})
    client.patch(live(client, made, DEPLOYMENT), {"metadata": {"managedFields": [{}]}})
    ran = made.run(wanted)
    assert "no apply of ours" in ran.reasons
    assert ours(live(client, made, DEPLOYMENT))["operation"] == "Apply"
    assert made.run(wanted).writes == 0


def test_replaced_object_is_ours_again(client: Client, made: Engine) -> None:
    """`kubectl replace` from a file takes no record away, but each field that it changes."""
    wanted = made.child(*DEPLOYMENT, pods())
    made.run(wanted)
    changed = live(client, made, DEPLOYMENT)
    changed["metadata"].pop("managedFields")
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = "other:2"
    replace(client, changed)
    ran = made.run(wanted)
    assert ran.changed
    assert "image is not ours any more" in ran.reasons
    assert made.run(wanted).writes == 0


def test_field_that_others_hold_too_is_named_where_the_server_refuses_the_rest(
    client: Client, made: Engine
) -> None:
    """Server-side apply leaves what another manager owns, and what is left may be invalid."""
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    wanted = made.child(*DEPLOYMENT, pods(strategy=rolling))
    made.run(wanted)
    theirs = {**pods(strategy=rolling), **deployment("x", made.namespace)}
    client.apply(theirs, manager="autopilot")
    ran = made.run(made.child(*DEPLOYMENT, pods(strategy={"type": "Recreate"})))
    assert ran.actions == {"x": "failed"}
    assert "spec.strategy.rollingUpdate.maxSurge" in ran.reasons
    assert "since autopilot holds it too" in ran.reasons


# A webhook that has its own mind.


def test_webhook_that_changes_our_field_each_time_is_named_and_costs_no_further_write(
    client: Client, entries: Entries, namespace: str, tmp_path: Path
) -> None:
    """One apply and its mark, then nothing for ten runs but a warning; never `changed`."""
    mirrored = "mirror.example.com/vllm:0.11.0"
    path = "/spec/template/spec/containers/0/image"
    asked: list[str] = []

    def mirror(request: Json) -> Json:
        asked.append(request["name"])
        return patched({"op": "replace", "path": path, "value": mirrored})

    entries.reconcile(full("chat", namespace))
    changed = full("chat", namespace, decode={"replicas": 3})
    with webhook(client, namespace, tmp_path, mirror, ["deployments"], kind="Mutating"):
        first = entries.reconcile(changed)
        assert first["changed"]
        assert "containers[vllm].image was changed" in str(first["services"][0]["problems"])
        # The API server asks again by itself where the object's controller writes at the same moment.
        sent = asked.count("chat-decode")
        assert sent >= 2
        for dummy in range(10):
            result = entries.reconcile(changed)
            assert not result["changed"]
            problems = str(result["services"][0]["problems"])
            assert "containers[vllm].image was changed" in problems
            assert "webhook" in problems
        assert asked.count("chat-decode") == sent
    pod = there(client, deployment("chat-decode", namespace))["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == mirrored


def test_webhook_that_adds_beside_us_is_no_doubt(
    client: Client, made: Engine, namespace: str, tmp_path: Path
) -> None:
    """An injector's container is its own affair."""
    sidecar = {"name": "sidecar", "image": "sidecar:1"}
    path = "/spec/template/spec/containers/-"
    asked: list[str] = []

    def inject(request: Json) -> Json:
        if request["name"] != "x":
            return patched()
        asked.append(request["name"])
        return patched({"op": "add", "path": path, "value": sidecar})

    with webhook(client, namespace, tmp_path, inject, ["deployments"], kind="Mutating"):
        wanted = made.child(*DEPLOYMENT, pods())
        assert made.run(wanted).writes == 2, "the record of the parent, and the object"
        ran = made.run(wanted)
    assert (ran.writes, ran.warnings, asked) == (0, "", ["x"])
