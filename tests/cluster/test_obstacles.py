# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the way of one object is named with it, nothing is forced, and the others go on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from module_utils.cluster.retry import INTERNAL_ERROR_ATTEMPTS
from module_utils.engine import deletion_wait
from module_utils.kube.manifest import Json
from tests.lab.client import Client
from tests.lab.cluster import Cluster
from tests.lab.faults import Fault, do, seen, writes
from tests.lab.proxy import Proxy

from .support.cluster import config_map, owned, read, there
from .support.entries import Entries, actions
from .support.services import children, custom_resource, deployment, full, small
from .support.webhook import deny, webhook

HOLD = "example.com/hold"


def config_of(namespace: str) -> Json:
    return config_map("chat-epp-config", namespace)


def test_r7_change_that_the_server_refuses_is_explained_and_may_be_made_anew(
    entries: Entries, client: Client, namespace: str
) -> None:
    """Somebody empties a ConfigMap and makes it immutable: the API server takes no change of it any more."""
    service = small("chat", namespace)
    entries.reconcile(service)
    client.patch(config_of(namespace), {"data": None, "immutable": True})
    before = there(client, config_of(namespace))["metadata"]["uid"]
    result = entries.run(service)
    assert result["failed"]
    for text in ("chat-epp-config", "immutable", "recreate: [ConfigMap]", "pods that start"):
        assert text in result["msg"]
    assert there(client, config_of(namespace))["metadata"]["uid"] == before
    result = entries.reconcile(service, recreate=["ConfigMap"])
    assert actions(result)["ConfigMap/chat-epp-config"] == "recreated"
    made = there(client, config_of(namespace))
    assert made["metadata"]["uid"] != before
    assert made["data"]
    assert not entries.reconcile(service)["changed"]


def test_r7_no_object_is_deleted_because_of_the_words_of_an_error(
    entries: Entries, client: Client, namespace: str, tmp_path: Path
) -> None:
    service = small("chat", namespace)
    entries.reconcile(service)
    before = there(client, deployment("chat-decode", namespace))["metadata"]["uid"]
    words = deny("spec.selector: field is immutable", code=422)
    changed = small("chat", namespace, engine={"image": "registry.example.com/e:2"})
    with webhook(client, namespace, tmp_path, lambda dummy: words, ["deployments"]):
        result = entries.run(changed, recreate=["Deployment"])
    assert result["failed"]
    assert "field is immutable" in result["msg"]
    assert there(client, deployment("chat-decode", namespace))["metadata"]["uid"] == before
    entries.reconcile(changed)


def test_r10_webhook_that_denies_one_object_is_named_and_is_not_asked_again(
    counted: Entries, client: Client, namespace: str, proxy: Proxy, tmp_path: Path
) -> None:
    def judge(request: Json) -> Json:
        return deny("no pickers here") if request["name"] == "bad-epp" else {"allowed": True}

    bad, good = small("bad", namespace), small("good", namespace)
    with webhook(client, namespace, tmp_path, judge, ["deployments"]) as name:
        result = counted.run(bad, good)
    assert result["failed"]
    for text in (f"Deployment {namespace}/bad-epp", f'webhook "{name}"', "no pickers here"):
        assert text in result["msg"]
    assert actions(result)["Deployment/bad-decode"] == "created"
    assert actions(result)["HTTPRoute/bad"] == "skipped"
    assert "Deployment/good-epp" in owned(client, good)
    sent = proxy.count(lambda each: writes("deployments")(each) and each.resource.name == "bad-epp")
    assert sent == 1, "a denial is final"
    counted.reconcile(bad, good)


@pytest.mark.parametrize("calls", [2, 1000])
def test_r11_webhook_that_does_not_answer_is_waited_for_and_then_named(
    calls: int,
    counted: Entries,
    client: Client,
    namespace: str,
    proxy: Proxy,
    tmp_path: Path,
) -> None:
    unanswered = iter(range(calls))

    def judge(request: Json) -> Json:
        if request["name"] == "away-epp" and next(unanswered, None) is not None:
            raise ConnectionError("the webhook breaks off")
        return {"allowed": True}

    away, good = small("away", namespace), small("good", namespace)
    with webhook(client, namespace, tmp_path, judge, ["deployments"]) as name:
        result = counted.run(away, good)
    sent = proxy.count(
        lambda each: writes("deployments")(each) and each.resource.name == "away-epp"
    )
    assert "Deployment/good-epp" in owned(client, good)
    if calls == 2:
        assert not result.get("failed"), result["msg"]
        assert sent == 3
    else:
        assert result["failed"]
        assert f"Deployment {namespace}/away-epp" in result["msg"]
        assert f'failed calling webhook "{name}"' in result["msg"]
        assert sent == INTERNAL_ERROR_ATTEMPTS
    counted.reconcile(away, good)


def test_r13_namespace_that_ends_is_named_before_any_write(
    counted: Entries, client: Client, namespace: str, proxy: Proxy
) -> None:
    holder = config_map("holder", namespace)
    holder["metadata"]["finalizers"] = [HOLD]
    client.create(holder)
    client.delete({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    try:
        message = counted.refused(small("chat", namespace))
        assert f'"{namespace}" is being deleted' in message
        assert "wait until it is gone" in message
        assert proxy.writes == 0
        assert "is being deleted" in counted.refused(small("chat", namespace), check_mode=True)
    finally:
        client.patch(holder, {"metadata": {"finalizers": None}})


@contextmanager
def held(client: Client, target: Json) -> Iterator[None]:
    """Delete an object that a finalizer holds."""
    client.patch(target, {"metadata": {"finalizers": [HOLD]}})
    client.delete(target)
    assert there(client, target)["metadata"]["deletionTimestamp"]
    try:
        yield
    finally:
        if read(client, target) is not None:
            client.patch(target, {"metadata": {"finalizers": None}})


@pytest.mark.parametrize("which", ["child", "parent"])
def test_r14_object_that_a_finalizer_holds_is_waited_for_and_the_finalizer_named(
    entries: Entries,
    client: Client,
    namespace: str,
    monkeypatch: pytest.MonkeyPatch,
    which: str,
) -> None:
    monkeypatch.setattr(deletion_wait, "GONE_WITHIN_S", 1.0)
    service = full("chat", namespace)
    target = config_of(namespace) if which == "child" else custom_resource(service)
    entries.reconcile(service)
    with held(client, target):
        message = entries.refused(service)
        assert f'held by finalizer "{HOLD}"' in message
        assert target["metadata"]["name"] in message
        assert there(client, target)["metadata"]["finalizers"] == [HOLD], "it was taken away"
    client.wait_for(target, lambda found: found is None)
    entries.reconcile(service)
    assert len(owned(client, service)) == len(children("chat", namespace))


@pytest.mark.parametrize("which", ["child", "parent"])
def test_r14_object_that_goes_in_time_is_made_anew_in_the_same_run(
    lab: Cluster, entries: Entries, client: Client, namespace: str, which: str
) -> None:
    service = full("chat", namespace)
    target = config_of(namespace) if which == "child" else custom_resource(service)
    entries.reconcile(service)
    before = there(client, target)["metadata"]["uid"]
    plural = "configmaps" if which == "child" else "modelservices"
    name = target["metadata"]["name"]

    def let_go() -> None:
        client.patch(target, {"metadata": {"finalizers": None}})

    waiting = Fault(
        lambda each: seen("get", plural)(each) and each.resource.name == name, do(let_go), skip=1
    )
    with held(client, target), Proxy(lab, hooks=[waiting]) as proxy:
        result = Entries(proxy.kubeconfig).reconcile(service)
    assert waiting.struck
    kind = f"{target['kind']}/{name}"
    assert actions(result)[kind] == "created"
    made = there(client, target)["metadata"]
    assert made["uid"] != before
    assert "deletionTimestamp" not in made
    # What the garbage collector may have taken after a new parent was there comes back with the next run at the latest.
    entries.reconcile(service)
    assert len(owned(client, service)) == len(children("chat", namespace))
    assert not entries.reconcile(service)["changed"]


def test_r23_object_made_anew_between_list_and_delete_is_left_alone(
    lab: Cluster, entries: Entries, client: Client, namespace: str
) -> None:
    service = full("chat", namespace)
    entries.reconcile(service)
    target = deployment("chat-prefill", namespace)
    before = there(client, target)

    def make_anew() -> None:
        client.delete(target)
        client.wait_for(target, lambda found: found is None)
        meta = {
            key: before["metadata"][key] for key in ("name", "namespace", "labels", "annotations")
        }
        client.create({**target, "metadata": meta, "spec": before["spec"]})

    race = Fault(
        lambda each: seen("delete", "deployments")(each) and each.resource.name == "chat-prefill",
        do(make_anew),
    )
    with Proxy(lab, hooks=[race]) as proxy:
        result = Entries(proxy.kubeconfig).reconcile(small("chat", namespace), max_deletions=50)
    assert race.struck
    assert actions(result)["Deployment/chat-prefill"] == "skipped"
    made = there(client, target)["metadata"]
    assert made["uid"] != before["metadata"]["uid"]
    assert "deletionTimestamp" not in made
