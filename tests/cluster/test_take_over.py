# SPDX-License-Identifier: GPL-3.0-or-later
"""A service of the operator is taken over, and given back, without a pod that restarts. The operator is played."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from module_utils.kinds.model_service.kind import MODEL_SERVICE
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects
from tests.lab.client import Client, wait_until
from tests.lab.fixtures import fresh_namespace
from tests.parity.compare import by_key, key_of
from tests.parity.recorded_services import RECORDINGS, options_of, settings_of
from tests.parity.recorded_services import read as recorded
from tests.parity.replay import documents

from .support.cluster import owned, there, written
from .support.entries import Entries, actions
from .support.masked import original
from .support.played_operator import FIELD_MANAGER, FINALIZER, PlayedOperator
from .support.pull_secrets import create_pull_secrets
from .support.services import custom_resource

PREFIX = "inference.modelops.io/"
CASES = (
    "ex-01-minimal-cpu",
    "ex-02-tensor-pool-route",
    "ex-03-pd-ha-monitoring",
    "ex-04-dotted-defaults",
    "ex-05-digit-first-private",
    "ex-06-amd-data-parallel",
    "ex-07-gaudi-picker-zero",
    "ex-08-tpu-scaled-zero",
    "ex-10-proxy-no-prefill-tls",
    "v1-ex-02-tensor-pool-route",
    "v1-ex-03-pd-ha-monitoring",
    "v1-ex-10-proxy-no-prefill-tls",
)


@dataclass(frozen=True, slots=True)
class Case:
    """A recorded service in a namespace of its own. options: those of a task that reproduces the operator as it was recorded."""

    service: Json
    sent: list[Json]
    options: Json

    def objects(self, client: Client) -> list[Json]:
        """Return every child as it is in the cluster."""
        return [there(client, manifest) for manifest in self.sent]

    def templates(self, client: Client) -> list[Json]:
        return [
            each["spec"]["template"]
            for each in self.objects(client)
            if each["kind"] == "Deployment"
        ]


def case(name: str, namespace: str) -> Case:
    """Return a recorded case moved to a namespace."""
    folder = RECORDINGS / name
    own = recorded(folder / "input.yaml")["metadata"]["namespace"]
    word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(own)}(?![A-Za-z0-9])")

    def moved(value: Any) -> Any:
        return json.loads(word.sub(namespace, json.dumps(value)))

    service = moved(recorded(folder / "input.yaml"))
    recorded_settings = recorded(folder / "settings.yaml")
    settings, releases = options_of(recorded_settings)
    typed = settings_of(recorded_settings)
    loaded = MODEL_SERVICE.load(service, typed).service
    assert loaded is not None
    intent = MODEL_SERVICE.compile(loaded, typed, GivenObjects())
    ours = by_key(child.manifest.to_dict() for child in intent.children)
    sent = [
        original(document, ours.get(key_of(document), {}))
        for document in map(moved, documents(folder / "intent.yaml"))
    ]
    return Case(service, sent, {"settings": settings, "releases": releases})


@contextmanager
def made_by_operator(client: Client, name: str, manager: str = FIELD_MANAGER) -> Iterator[Case]:
    """A recorded service that its author applied with kubectl and the played operator reconciled."""
    with fresh_namespace(client, "over") as namespace:
        made = case(name, namespace)
        client.create(made.service, fieldManager="kubectl-create")
        create_pull_secrets(client, made.service)
        PlayedOperator(client, made.sent, manager).reconcile(made.service)
        try:
            yield made
        finally:
            for manifest in made.sent:
                if "namespace" not in manifest["metadata"]:
                    client.delete(manifest)
            client.patch(custom_resource(made.service), {"metadata": {"finalizers": None}})


def pods(client: Client, namespace: str) -> dict[str, tuple[str, str]]:
    """Return uid and start of each pod."""
    return {
        each["metadata"]["name"]: (each["metadata"]["uid"], each["status"].get("startTime", ""))
        for each in client.list_all("v1", "Pod", namespace)
        if not each["metadata"].get("deletionTimestamp")
    }


def running(client: Client, namespace: str, number: int) -> dict[str, tuple[str, str]]:
    """Wait until so many pods run, and return them."""

    def look() -> tuple[bool, list[str]]:
        phases = [
            each["status"].get("phase", "") for each in client.list_all("v1", "Pod", namespace)
        ]
        return phases == ["Running"] * number, phases

    wait_until(look, f"{number} running pods in {namespace}")
    return pods(client, namespace)


def managers(live: Json) -> set[str]:
    """Return who owns fields of an object, its status and scale apart."""
    return {
        entry["manager"]
        for entry in live["metadata"]["managedFields"]
        if not entry.get("subresource")
    }


def settled(client: Client, namespace: str) -> None:
    """Wait until every Deployment's controller has seen its present generation, so that a rollout would have begun."""

    def look() -> tuple[bool, list[str]]:
        late = [
            each["metadata"]["name"]
            for each in client.list_all("apps/v1", "Deployment", namespace)
            if each.get("status", {}).get("observedGeneration") != each["metadata"]["generation"]
        ]
        return not late, late

    wait_until(look, "every generation to be observed")


def test_service_of_the_played_operator_is_taken_over_and_given_back_and_no_pod_restarts(
    entries: Entries, client: Client
) -> None:
    with made_by_operator(client, "ex-01-minimal-cpu") as made:
        namespace = made.service["metadata"]["namespace"]
        before = running(client, namespace, 2)
        templates = made.templates(client)

        result = entries.reconcile(
            made.service, reconciler="direct", adopt=True, wait=True, **made.options
        )
        assert set(actions(result).values()) == {"adopted"}
        assert len(actions(result)) == len(made.sent) + 1
        assert result["changed"]
        settled(client, namespace)
        assert made.templates(client) == templates
        assert pods(client, namespace) == before
        parent = there(client, custom_resource(made.service))
        assert "finalizers" not in parent["metadata"]
        for live in [*made.objects(client), parent]:
            assert FIELD_MANAGER not in managers(live), live["kind"]
            assert "kubectl-create" not in managers(live), live["kind"]
        again = entries.reconcile(made.service, **made.options)
        assert again["services"][0]["reconciler"] == "direct"
        assert (again["changed"], again["stats"]["writes"]) == (False, 0)

        result = entries.reconcile(
            made.service, reconciler="controller", adopt=True, **made.options
        )
        assert {
            action for name, action in actions(result).items() if "ModelService" not in name
        } == {"given back"}
        assert result["services"][0]["reconciler"] == "controller"
        given = made.objects(client)
        for live in given:
            meta = live["metadata"]
            marks = {*meta.get("labels", {}), *meta.get("annotations", {})}
            assert not [mark for mark in marks if mark.startswith(PREFIX)], live["kind"]
            assert not [name for name in managers(live) if name.startswith("modelops")]
            assert FIELD_MANAGER in managers(live)
        PlayedOperator(client, made.sent).reconcile(made.service)
        settled(client, namespace)
        assert [written(each) for each in made.objects(client)] == [written(each) for each in given]
        assert made.templates(client) == templates
        assert pods(client, namespace) == before
        parent = there(client, custom_resource(made.service))
        assert FINALIZER in parent["metadata"]["finalizers"]
        again = entries.reconcile(made.service, **made.options)
        assert again["services"][0]["reconciler"] == "controller"
        assert (again["changed"], again["stats"]["writes"]) == (False, 0)


@pytest.mark.parametrize("name", CASES)
def test_recorded_service_is_taken_over_with_the_pod_templates_it_has(
    entries: Entries, client: Client, name: str
) -> None:
    with made_by_operator(client, name) as made:
        templates = made.templates(client)
        foreseen = entries.reconcile(
            made.service, reconciler="direct", adopt=True, check_mode=True, **made.options
        )
        assert owned(client, made.service) == {}
        result = entries.reconcile(made.service, reconciler="direct", adopt=True, **made.options)
        assert actions(foreseen) == actions(result)
        assert made.templates(client) == templates
        assert all(FIELD_MANAGER not in managers(live) for live in made.objects(client))
        again = entries.reconcile(made.service, **made.options)
        assert not again["changed"]
        assert again["services"][0]["unchanged"] == len(made.sent) + 1
