# SPDX-License-Identifier: GPL-3.0-or-later
"""A live service goes from one release of KServe to the next, and one of KServe's controller is taken over by its own release alone."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.presets import (
    resolve,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.presets.engine_arguments import (
    Asked,
)
from tests.lab import crds
from tests.lab.client import Client
from tests.objects import thing

from .support.bundles import crd
from .support.cluster import claim, read, there
from .support.entries import Entries, actions
from .support.llm_services import children, llm, prepare, routed
from .support.llm_take_over import made_by_controller
from .support.places import knowing, own_namespace

Json = dict[str, Any]
WAIT = {"wait": True, "wait_timeout": 120.0}
OLD, NEW, NEWEST = ({"releases": {"kserve": name}} for name in ("0.17", "0.18", "0.19"))
#: What of a routed service with our presets a release changes, and whose pods restart.
CHANGED = {
    "0.18": {
        "Deployment/chat-kserve",
        "Deployment/chat-kserve-router-scheduler",
        "Role/chat-epp-role",
        "HTTPRoute/chat-kserve-route",
    },
    "0.19": {
        "Deployment/chat-kserve",
        "Deployment/chat-kserve-router-scheduler",
        "Service/chat-kserve-workload-svc",
        "HTTPRoute/chat-kserve-route",
    },
}
HPA = thing("autoscaling/v2", "HorizontalPodAutoscaler", "chat-kserve-hpa")


client = knowing(prepare)
place = own_namespace("release")


def changed(result: Json) -> set[str]:
    """Return the objects of which a run says that it changed them, by kind and name."""
    return {name for name in actions(result) if not name.startswith("LLMInferenceService/")}


def restarts(result: Json) -> list[str]:
    """Return the warnings about pods that restart."""
    return [text for text in result["warnings"] if "restart" in text]


def test_pods_of_earlier_presets_restart_with_leave_alone(
    entries: Entries, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = routed("chat", place, prefill={"replicas": 0, "parallelism": {"tensor": 2}})
    plain = routed("talk", place)
    with monkeypatch.context() as earlier:
        # Presets before they gave engines what a service asks for.
        earlier.setattr(resolve, "asked", lambda dummy: Asked())
        entries.reconcile(split, plain)
    assert actions(entries.reconcile(plain, check_mode=True)) == {}
    for check_mode in (True, False):
        told = entries.refused(split, plain, check_mode=check_mode)
        assert "the pods of Deployment" in told
        assert "set allow_restart: true" in told
    assert changed(entries.reconcile(split, plain, allow_restart=True)) == {
        "Deployment/chat-kserve",
        "Deployment/chat-kserve-prefill",
    }
    assert actions(entries.reconcile(split, plain)) == {}


def test_a_live_service_goes_from_release_to_release(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service, **OLD, **WAIT)
    kept = there(client, children("chat", place)[0])["data"]
    for name, options in (("0.18", NEW), ("0.19", NEWEST)):
        predicted = entries.reconcile(service, **options, check_mode=True, diff=True)
        assert changed(predicted) == CHANGED[name]
        (told,) = restarts(predicted)
        assert f"but the task asks for {name}" in told
        for deployment in ("chat-kserve", "chat-kserve-router-scheduler"):
            assert f"Deployment {place}/{deployment}" in told
        made = entries.reconcile(service, **options, **WAIT)
        assert actions(made) == actions(predicted)
        assert restarts(made) == [told]
        assert made["services"][0]["ready"]
        again = entries.reconcile(service, **options)
        assert (again["changed"], restarts(again)) == (False, [])
    assert there(client, children("chat", place)[0])["data"] == kept


def test_a_live_service_becomes_one_of_0_20(entries: Entries, place: str) -> None:
    """It does not get ready here: the lab's pools are accepted by a gateway of another name, which counts no longer."""
    service = routed("chat", place)
    entries.reconcile(service, **NEWEST, **WAIT)
    options = {"releases": {"kserve": "0.20"}}
    predicted = entries.reconcile(service, **options, check_mode=True)
    assert changed(predicted) == {
        "Deployment/chat-kserve",
        "Deployment/chat-kserve-router-scheduler",
        "Role/chat-epp-role",
    }
    (told,) = restarts(predicted)
    assert "but the task asks for 0.20" in told
    made = entries.reconcile(service, **options)
    assert actions(made) == actions(predicted)
    again = entries.reconcile(service, **options)
    assert (again["changed"], restarts(again)) == (False, [])


def test_a_live_service_becomes_one_of_0_21_and_keeps_its_autoscaler(
    entries: Entries, client: Client, place: str
) -> None:
    """What llm-d's autoscaler worked from goes after the autoscaler of the pods is marked; without its kind nothing is missed."""
    variants = crd("llmd.ai", "VariantAutoscaling", ("v1alpha1",))
    wanted = {"minReplicas": 1, "maxReplicas": 3, "wva": {"hpa": {}}}
    service = routed("chat", place, scaling=wanted)
    service["spec"].pop("replicas")
    scaler = {**HPA, "metadata": {**HPA["metadata"], "namespace": place}}
    options = {"releases": {"kserve": "0.21"}}
    crds.install(client, [variants])
    try:
        entries.reconcile(service, releases={"kserve": "0.20"})
        uid = there(client, scaler)["metadata"]["uid"]
        predicted = entries.reconcile(service, **options, check_mode=True)
        (told,) = restarts(predicted)
        assert "but the task asks for 0.21" in told
        made = entries.reconcile(service, **options)
        assert actions(made) == actions(predicted)
        assert actions(made)["VariantAutoscaling/chat-kserve-va"] == "deleted"
        assert actions(made)["HorizontalPodAutoscaler/chat-kserve-hpa"] == "updated"
        metadata = there(client, scaler)["metadata"]
        assert (metadata["uid"], metadata["annotations"]["llm-d.ai/managed"]) == (uid, "true")
        assert not entries.reconcile(service)["changed"]
    finally:
        client.delete(variants)
    again = entries.reconcile(service)
    assert (again["changed"], restarts(again)) == (False, [])


def test_a_service_goes_back_to_the_release_before(
    entries: Entries, client: Client, place: str
) -> None:
    service = routed("chat", place)
    entries.reconcile(service, **OLD, **WAIT)
    templates = [_template(client, place, name) for name in ("kserve", "kserve-router-scheduler")]
    entries.reconcile(service, **NEW, **WAIT)
    back = entries.reconcile(service, **OLD, **WAIT)
    (told,) = restarts(back)
    assert "made by KServe 0.18 (annotation" in told
    assert templates == [
        _template(client, place, name) for name in ("kserve", "kserve-router-scheduler")
    ]


def _template(client: Client, place: str, name: str) -> Json:
    reference = thing("apps/v1", "Deployment", f"chat-{name}", place)
    template: Json = there(client, reference)["spec"]["template"]
    return template


def test_nothing_restarts_where_no_pod_changes(
    entries: Entries, client: Client, place: str
) -> None:
    """The model stands in a volume, and the command is the author's: 0.18 makes the same pods."""
    main = {"name": "main", "command": ["vllm", "serve", "/mnt/models"]}
    service = llm(
        "chat", place, model={"uri": "pvc://models/chat"}, template={"containers": [main]}
    )
    client.apply(claim("models", place))
    entries.reconcile(service, **OLD)
    result = entries.reconcile(service, **NEW)
    assert restarts(result) == []
    assert not result["changed"]


def test_scaling_makes_an_autoscaler_from_0_18_on(
    entries: Entries, client: Client, place: str
) -> None:
    wanted = {"minReplicas": 1, "maxReplicas": 3, "wva": {"hpa": {}}}
    service = llm("chat", place, scaling=wanted)
    service["spec"].pop("replicas")
    entries.reconcile(service, **OLD)
    reference = {**HPA, "metadata": {**HPA["metadata"], "namespace": place}}
    assert read(client, reference) is None
    refused = entries.refused(service, **NEW)
    assert "VariantAutoscaling" in refused


@pytest.mark.parametrize(("theirs", "ours"), [(NEW, OLD), (OLD, NEW)])
def test_a_service_is_taken_over_by_its_own_release_alone(
    entries: Entries, client: Client, place: str, theirs: Json, ours: Json
) -> None:
    with made_by_controller(
        client, entries, routed("chat", place), children("chat", place), **theirs
    ) as made:
        options = {"reconciler": "direct", "adopt": True}
        told = entries.refused(made.service, **options, allow_restart=True, **ours)
        assert "adopt it with the release that made it" in told
        result = entries.reconcile(made.service, **options, **theirs)
        done = {
            name: action
            for name, action in actions(result).items()
            if "InferenceService" not in name
        }
        assert set(done.values()) == {"adopted"}
        assert not entries.reconcile(made.service, **theirs)["changed"]
