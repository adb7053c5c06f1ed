# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe 0.19 does otherwise than 0.18, each by an input of which exactly that differs."""

from __future__ import annotations

import hashlib

import pytest
import yaml

from module_utils.kinds.llm_inference_service.observe import observe
from module_utils.kube.manifest import Json
from tests.objects import Cluster, thing

from .build import document
from .preset_world import ROUTER, children, preset, refusal, resolved, system_config
from .release_pairs import CLAIM, differences, settings

SERVICE = "Service/chat-kserve-workload-svc"
#: The port of the workload Service is called otherwise, whatever else is asked for.
PORT: Json = {
    f"{SERVICE} spec.ports[https].{field}": (value, None)
    for field, value in (
        ("name", "https"),
        ("appProtocol", "https"),
        ("port", 8000),
        ("targetPort", 8000),
        ("protocol", "TCP"),
    )
} | {
    f"{SERVICE} spec.ports[http].{field}": (None, value)
    for field, value in (
        ("name", "http"),
        ("appProtocol", "http"),
        ("port", 8000),
        ("targetPort", 8000),
        ("protocol", "TCP"),
    )
}
TLS = system_config(ingress={"enableLLMInferenceServiceTLS": True})
GIVEN = {"template": {"initContainers": [{"name": "storage-initializer", "image": "mine:1"}]}}
INITIALIZER = "Deployment/chat-kserve spec.template.spec.initContainers[storage-initializer].image"
GATEWAY: Json = {"route": {}, "gateway": {"refs": [{"name": "gw"}]}, "scheduler": {}}
STOP = {"serving.kserve.io/stop": "true"}

#: Input and cluster → what differs, beside nothing.
ROWS: dict[str, tuple[Json, list[Json], Json]] = {
    "the port without TLS": (CLAIM, [], PORT),
    "the port with TLS": (CLAIM, [TLS], {}),
    "labels and annotations of the spec": (
        {**CLAIM, "labels": {"team": "a"}, "annotations": {"note": "b"}},
        [TLS],
        {
            f"{SERVICE} metadata.labels.team": (None, "a"),
            f"{SERVICE} metadata.annotations.note": (None, "b"),
        },
    ),
    "a gateway without namespace": (
        {**CLAIM, "router": GATEWAY},
        [TLS],
        {"HTTPRoute/chat-kserve-route spec.parentRefs[gw].namespace": ("", None)},
    ),
    "a picker of which the pods do not say what they read": (
        {**CLAIM, "router": {**ROUTER, "scheduler": {"config": {"inline": {"kind": "X"}}}}},
        [TLS],
        {},
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_exactly_this_differs(name: str) -> None:
    spec, manifests, told = ROWS[name]
    assert differences(document(**spec), *manifests, old="0.18", new="0.19") == told


def test_an_init_container_that_the_author_gives_goes_before_the_controllers_comes() -> None:
    """Before there were two of one name, which we refuse as the API does."""
    given = document(**GIVEN)
    assert "storage-initializer" in refusal(given, settings=settings("0.18"))
    pod = children(given, settings=settings("0.19"))["Deployment", "chat-kserve"]
    (fetcher,) = pod["spec"]["template"]["spec"]["initContainers"]
    assert fetcher["image"] == "registry.example.com/fetcher:1"


def test_an_empty_scheduler_template_keeps_the_containers_of_the_preset() -> None:
    given = document(**CLAIM, router={**ROUTER, "scheduler": {"template": {}}})
    found = {
        release: resolved(given, settings=settings(release)).at(
            "router", "scheduler", "template", "containers"
        )
        for release in ("0.18", "0.19")
    }
    assert not found["0.18"]
    assert [each["name"] for each in found["0.19"]] == ["main"]


def test_the_default_configuration_has_the_plugins_of_picker_0_7() -> None:
    given = document(**CLAIM, router=ROUTER, prefill={})
    made = children(given, settings=settings("0.19"))["Deployment", "chat-kserve-router-scheduler"]
    text = made["spec"]["template"]["spec"]["containers"][0]["args"][-1]
    plugins = yaml.safe_load(text)["plugins"]
    assert plugins[0] == {"type": "disagg-headers-handler"}
    assert plugins[-1] == {
        "type": "disagg-profile-handler",
        "parameters": {"deciders": {"prefill": "always-disagg-pd-decider"}},
    }


@pytest.mark.parametrize(
    ("release", "spec", "condition"),
    [
        ("0.17", {}, "WorkerWorkloadReady"),
        ("0.18", {}, "WorkerWorkloadReady"),
        ("0.19", {}, "MainWorkloadReady"),
        ("0.19", {"worker": {}, "parallelism": {"data": 2, "dataLocal": 1}}, "WorkerWorkloadReady"),
        ("0.19", {"template": {"serviceAccountName": "runner"}}, "WorkerWorkloadReady"),
    ],
)
def test_a_wrong_model_is_told_where_pods_are_built(
    release: str, spec: Json, condition: str
) -> None:
    """Before 0.19 groups of pods are built for every service, since then for those that have them or name an account."""
    account = thing("v1", "ServiceAccount", "runner", "team-a")
    given = document(model={"uri": "ftp://x/y"}, **spec)
    assert condition in refusal(given, account, settings=settings(release))


def test_a_missing_preset_has_a_reason_of_its_own() -> None:
    given = document(**CLAIM, baseRefs=[{"name": "none"}])
    assert "CombineBaseError" in refusal(given, settings=settings("0.18"))
    told = refusal(given, settings=settings("0.19"))
    assert 'LLMInferenceServiceConfig "none" not found in namespaces [team-a kserve]' in told
    assert "PresetsCombined False, ConfigNotFound" in told


@pytest.mark.parametrize("release", ["0.17", "0.18", "0.19"])
def test_a_service_is_stopped_whatever_is_wrong_with_its_presets(release: str) -> None:
    given = document(**CLAIM, baseRefs=[{"name": "none"}])
    given["metadata"]["annotations"] = STOP
    assert refusal(given, settings=settings(release)) == ""
    kept = {("ServiceAccount", "chat-kserve-mn")} if release != "0.19" else set()
    assert set(children(given, settings=settings(release))) <= kept
    found = observe(resolved(given, settings=settings(release)), Cluster())
    said = {each["type"]: each for each in found.status["conditions"]}["PresetsCombined"]
    assert (said["status"], said["reason"]) == ("False", "Stopped")
    assert said["message"].startswith("Service is stopped with warning: ")
    assert 'LLMInferenceServiceConfig "none"' in said["message"]


def test_accounts_of_groups_go_when_the_service_is_stopped() -> None:
    given = document(**CLAIM, worker={}, parallelism={"data": 2, "dataLocal": 1})
    given["metadata"]["annotations"] = STOP
    assert set(children(given, settings=settings("0.18"))) == {("ServiceAccount", "chat-kserve-mn")}
    assert children(given, settings=settings("0.19")) == {}


OFF = {"serving.kserve.io/disable-localmodel": "true"}
MARK = "internal.serving.kserve.io/localmodel"
SOURCE = "hf://acme/chat-8b"


def cache(kind: str, name: str, namespace: str = "") -> Json:
    """Return a cache of the model."""
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": kind,
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "spec": {"sourceModelUri": SOURCE, "nodeGroups": ["gpus"], "modelSize": "1Gi"},
    }


CACHES = [
    cache("LocalModelCache", "shared"),
    cache("LocalModelNamespaceCache", "own", "team-a"),
    cache("LocalModelNamespaceCache", "other", "team-b"),
]


@pytest.mark.parametrize(
    ("release", "enabled", "annotations", "caches", "claim"),
    [
        ("0.18", True, {}, CACHES, None),
        ("0.19", False, {}, CACHES, None),
        ("0.19", True, OFF, CACHES, None),
        ("0.19", True, {}, CACHES, "own-gpus"),
        ("0.19", True, {}, CACHES[:1], "shared-gpus"),
        ("0.19", True, {"serving.kserve.io/nodegroup": "cpus"}, CACHES, None),
        ("0.19", True, {}, CACHES[2:], None),
    ],
)
def test_a_model_is_read_from_the_cache_that_holds_it(
    release: str, enabled: bool, annotations: Json, caches: list[Json], claim: str | None
) -> None:
    given = document(model={"uri": f"{SOURCE}/v2"})
    given["metadata"]["annotations"] = annotations
    world_of = (system_config(localModel={"enabled": enabled}), *caches)
    found = children(given, *world_of, settings=settings(release))["Deployment", "chat-kserve"]
    template = found["spec"]["template"]
    name = (claim or "").removesuffix("-gpus")
    labels = template["metadata"]["labels"]
    assert labels.get(MARK, "") == name
    assert labels.get(f"{MARK}-namespace") == ("team-a" if name == "own" else None)
    assert found["metadata"]["labels"].get(MARK, "") == name
    said = template["metadata"].get("annotations") or {}
    assert said.get(f"{MARK}-pvc-name") == claim
    assert said.get(f"{MARK}-sourceuri") == (SOURCE if claim else None)
    volumes = {each["name"]: each for each in template["spec"].get("volumes") or ()}
    if claim is None:
        assert "kserve-pvc-source" not in volumes
        assert template["spec"]["initContainers"][0]["args"][0] == f"{SOURCE}/v2"
        return
    assert "initContainers" not in template["spec"]
    assert volumes["kserve-pvc-source"]["persistentVolumeClaim"]["claimName"] == claim
    mounts = template["spec"]["containers"][0]["volumeMounts"]
    (mount,) = [each for each in mounts if each["name"] == "kserve-pvc-source"]
    key = hashlib.sha256(SOURCE.encode()).hexdigest()[:16]
    assert mount["subPath"] == f"models/{key}/v2"


def test_marks_of_a_cache_that_is_gone_do_not_reach_pods() -> None:
    given = document(**CLAIM)
    given["metadata"]["labels"] = {MARK: "gone"}
    for release, kept in (("0.18", False), ("0.19", False)):
        found = children(given, settings=settings(release))["Deployment", "chat-kserve"]
        assert (MARK in found["spec"]["template"]["metadata"]["labels"]) is kept


@pytest.mark.parametrize(
    ("grace", "seconds"), [(None, "40"), (30, "10"), (17, "0"), (3, "0"), (120, "100")]
)
def test_templates_know_how_long_a_server_has_to_end(grace: int | None, seconds: str) -> None:
    main = {"name": "main", "args": ["{{ shutdownTimeout .Spec.Template 15 }}"]}
    asking = preset("kserve-config-llm-template", {"template": {"containers": [main]}})
    own = {} if grace is None else {"template": {"terminationGracePeriodSeconds": grace}}
    found = resolved(document(**CLAIM, **own), asking, settings=settings("0.19"))
    assert found.at("template", "containers")[0]["args"] == [seconds]
    assert 'function "shutdownTimeout" not defined' in refusal(document(**CLAIM, **own), asking)
