# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds that are not installed: a child's is refused with the way to install it, ModelService itself is not needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from module_utils.engine import crd_established
from module_utils.kinds.model_service.kind import MODEL_SERVICE
from tests.lab import crds
from tests.lab.client import ApiError, Client, wait_until
from tests.parity.replay import sequences

from .support.cluster import owned, read, there
from .support.entries import Entries, actions
from .support.places import on, own_namespace
from .support.replayed import Replay
from .support.services import custom_resource, full, reference, small
from .test_sequences import ELSEWHERE, places, settled

Json = dict[str, Any]
ISTIO = crds.load("istio")[0]
SERVICES = MODEL_SERVICE.crd()
PROMETHEUS = {each["metadata"]["name"]: each for each in crds.load("prometheus")}


def codes(client: Client, crd: Json) -> set[int]:
    """Return how the API server answers to lists of each version of a kind: 200, or 404."""
    spec = crd["spec"]
    found = set()
    for version in spec["versions"]:
        try:
            client.request(
                "GET", f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}"
            )
            found.add(200)
        except ApiError as error:
            found.add(error.code)
    return found


def answered(client: Client, crd: Json, code: int) -> None:
    def look() -> tuple[bool, list[int]]:
        found = codes(client, crd)
        return found == {code}, sorted(found)

    wait_until(look, f"{crd['metadata']['name']} to be answered with {code}")


def remove(client: Client, crd: Json) -> None:
    client.delete(crd)
    answered(client, crd, 404)


def install(client: Client, crd: Json) -> None:
    crds.install(client, [crd])
    answered(client, crd, 200)


@contextmanager
def without(client: Client, *kinds: Json) -> Iterator[None]:
    for kind in kinds:
        remove(client, kind)
    try:
        yield
    finally:
        for kind in kinds:
            install(client, kind)


client, entries = on("own_lab")


place = own_namespace()


def test_missing_kind_of_a_child_is_refused_with_the_way_to_install_it(
    entries: Entries, client: Client, place: str
) -> None:
    service = small("chat", place)
    with without(client, ISTIO):
        message = entries.refused(service)
        assert "DestinationRule" in message
        assert "networking.istio.io" in message
        assert "install" in message.lower()
        assert owned_without(client, service) == {}
        result = entries.reconcile(service, settings={"provider": "none"})
        assert result["changed"]


def test_kind_whose_crd_was_applied_a_moment_ago_is_waited_for(
    entries: Entries, client: Client, place: str
) -> None:
    """As by a play whose task before installs it: the API server serves a kind some time after it took its CRD."""
    service = small("chat", place)
    with without(client, ISTIO, SERVICES):
        for crd in (ISTIO, SERVICES):
            client.create(crd)
        result = entries.reconcile(service)
        assert actions(result)["ModelService/chat"] == "created"
        assert actions(result)["DestinationRule/chat-epp"] == "created"


def test_crd_that_never_takes_effect_is_named_with_what_keeps_it(
    entries: Entries, client: Client, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crd_established, "SERVED_WITHIN_S", 2.0)
    spec = ISTIO["spec"]
    names = {**spec["names"], "plural": "impostors", "singular": "impostor", "shortNames": []}
    impostor = {
        **ISTIO,
        "metadata": {"name": f"impostors.{spec['group']}"},
        "spec": {**spec, "names": names},
    }
    with without(client, ISTIO):
        install(client, impostor)
        try:
            client.create(ISTIO)
            message = entries.refused(small("chat", place))
        finally:
            remove(client, impostor)
        assert "its CRD is installed, but the API server does not serve it" in message
        assert "NamesAccepted is False" in message


def owned_without(client: Client, service: Json) -> dict[str, Json]:
    """Like `owned`, where the kind DestinationRule is not there to be listed."""
    meta = service["metadata"]
    found = client.list_all("apps/v1", "Deployment", meta["namespace"])
    found += client.list_all(
        "v1", "ConfigMap", meta["namespace"], labelSelector="inference.modelops.io/fleet"
    )
    return {f"{each['kind']}/{each['metadata']['name']}": each for each in found}


def test_without_the_kind_a_record_stands_for_the_service(
    entries: Entries, client: Client, place: str
) -> None:
    service = full("chat", place)
    record = reference("v1", "ConfigMap", "chat.modelservice", place)
    with without(client, SERVICES):
        entries.reconcile(service)
        uid = there(client, record)["metadata"]["uid"]
        decode = owned(client, service)["Deployment/chat-decode"]
        assert [each["uid"] for each in decode["metadata"]["ownerReferences"]] == [uid]
        assert not entries.reconcile(service)["changed"]
        assert entries.info(service)["services"][0]["drift"] == []
        entries.reconcile(service, state="absent")
        assert owned(client, service) == {}
        assert read(client, record) is None


def test_when_the_kind_appears_the_service_gets_its_object_and_no_child_is_made_anew(
    entries: Entries, client: Client, place: str
) -> None:
    service = full("chat", place)
    with without(client, SERVICES):
        entries.reconcile(service)
        before = owned(client, service)
        assert "ConfigMap/chat.modelservice" in before
    result = entries.reconcile(service)
    after = owned(client, service)
    uid = there(client, custom_resource(service))["metadata"]["uid"]
    assert "ConfigMap/chat.modelservice" not in after
    before.pop("ConfigMap/chat.modelservice")
    assert {name: each["metadata"]["uid"] for name, each in after.items()} == {
        name: each["metadata"]["uid"] for name, each in before.items()
    }
    for name, each in after.items():
        owners = each["metadata"].get("ownerReferences")
        if owners:
            assert [owner["uid"] for owner in owners] == [uid], name
    assert actions(result)["ModelService/chat"] == "created"
    assert not entries.reconcile(service)["changed"]


def test_gathered_names_the_missing_kind(entries: Entries, client: Client, place: str) -> None:
    with without(client, SERVICES):
        message = entries.refused(small("chat", place), state="gathered")
        assert "ModelService" in message
        assert entries.reconcile(state="gathered", namespace=place)["gathered"] == []


def test_sequence_without_the_monitoring_kinds(entries: Entries, client: Client) -> None:
    def set_kind(name: str, present: bool) -> None:
        (install if present else remove)(client, PROMETHEUS[name])

    create, monitor, later = sequences()[ELSEWHERE]
    with places(client) as (here, elsewhere):
        replay = Replay(client, entries, here, elsewhere, set_kind)
        try:
            result = replay.act(create)
            assert not (result or {}).get("failed")
            refused = replay.act(monitor) or {}
            assert refused["failed"]
            assert "PodMonitor" in refused["msg"]
            assert "ServiceMonitor" in refused["msg"]
            assert not refused["changed"]
        finally:
            for kind in PROMETHEUS.values():
                install(client, kind)
        result = replay.act(later)
        assert not (result or {}).get("failed"), result
        settled(f"{ELSEWHERE}/step-3", replay)
