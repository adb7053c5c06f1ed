# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe 0.21 does otherwise than 0.20, each by an input of which exactly that differs.

Source: KServe at aaac4e294dae (2026-08-21), the last state of its source before v0.21.0 that is to be had:
pkg/controller/v1alpha2/llmisvc/{scaling,scheduler,tokenizer,config_merge,router_group}.go,
pkg/apis/serving/v1alpha2/llm_inference_service_{validation,lifecycle,types}.go, config/llmisvcconfig.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from module_utils.kinds.llm_inference_service.compile import CHILDREN
from module_utils.kinds.llm_inference_service.compile import compile as compile_service
from module_utils.kinds.llm_inference_service.conditions.condition_types import PARTS
from module_utils.kinds.llm_inference_service.conditions.condition_types import (
    ROUTER as ROUTER_READY,
)
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.observe import observe
from module_utils.kinds.llm_inference_service.presets.admission import refusal_of
from module_utils.kinds.llm_inference_service.release_detection import made_as, other_release
from module_utils.kube.intent import Intent
from module_utils.kube.reader import Reader
from tests.objects import Cluster

from . import preset_world
from .build import document, messages_of
from .preset_world import ROUTER, children, preset, refusal, system_config
from .release_pairs import CLAIM, differences, settings
from .test_observe import deployment
from .test_routing_group import STOP, live, member
from .world import resolved, thing

Json = dict[str, Any]
NEW = settings("0.21")
HPA = ("HorizontalPodAutoscaler", "chat-kserve-hpa")
SCALED = ("ScaledObject", "chat-kserve-keda")
VARIANT = ("VariantAutoscaling", "chat-kserve-va")
PICKER = ("Deployment", "chat-kserve-router-scheduler")
TOKENIZER = ("Deployment", "chat-tokenizer")
CPU = {"type": "cpu", "metricType": "Utilization", "metadata": {"value": "60"}}
PROMETHEUS = system_config(
    **{"autoscaling-wva-controller-config": {"prometheus": {"url": "http://p"}}}
)


def new(given: Json, *objects: Json, release: str = "0.21") -> dict[tuple[str, str], Json]:
    return children(given, *objects, settings=settings(release))


def changes(given: Json, *objects: Json) -> Json:
    return differences(given, *objects, old="0.20", new="0.21")


def pod_of(found: dict[tuple[str, str], Json], key: tuple[str, str]) -> Json:
    pod: Json = found[key]["spec"]["template"]["spec"]
    return pod


def test_a_plain_service_is_as_before() -> None:
    assert changes(document(**CLAIM)) == {}
    assert changes(document(**CLAIM, prefill={}, replicas=2)) == {}


def scaled(**means: Any) -> Json:
    return {"scaling": {"minReplicas": 1, "maxReplicas": 3, **means}}


def test_autoscalers_are_found_by_annotations_and_have_no_object_of_llm_d() -> None:
    given = document(
        **CLAIM,
        **scaled(wva={"hpa": {}, "variantCost": "5"}),
        labels={"inference.optimization/acceleratorName": "H100"},
        prefill=scaled(wva={"hpa": {}}),
    )
    before, after = new(given, release="0.20"), new(given)
    assert VARIANT in before
    assert [key for key in after if key[0] == "VariantAutoscaling"] == []
    main, prefill = after[HPA], after["HorizontalPodAutoscaler", "chat-kserve-prefill-hpa"]
    assert "annotations" not in before[HPA]["metadata"]
    assert main["metadata"]["annotations"] == {
        "llm-d.ai/managed": "true",
        "llm-d.ai/model-id": "chat",
        "llm-d.ai/variant-cost": "5",
    }
    assert prefill["metadata"]["annotations"]["llm-d.ai/variant-cost"] == "10.0"
    label = "inference.optimization/acceleratorName"
    assert (main["metadata"]["labels"][label], prefill["metadata"]["labels"][label]) == (
        "H100",
        "unknown",
    )
    for found, asked in ((before, "chat-kserve-va"), (after, "chat-kserve-hpa")):
        (metric,) = found[HPA]["spec"]["metrics"]
        selector = metric["external"]["metric"]["selector"]
        assert selector == {"matchLabels": {"variant_name": asked}}


def test_keda_asks_llm_d_by_its_own_name() -> None:
    given = document(**CLAIM, **scaled(wva={"keda": {}}))
    (trigger,) = new(given, PROMETHEUS)[SCALED]["spec"]["triggers"]
    assert 'variant_name="chat-kserve-keda"' in trigger["metadata"]["query"]
    assert new(given, PROMETHEUS)[SCALED]["metadata"]["annotations"]["llm-d.ai/managed"] == "true"


def test_what_earlier_releases_made_for_llm_d_is_looked_for_where_a_service_scales() -> None:
    """So it goes with the first run, once the autoscalers that replace it are written."""
    pair = ("llmd.ai/v1alpha1", "VariantAutoscaling")
    scaling = {"spec": scaled(wva={"hpa": {}})}
    assert pair in CHILDREN.kinds_at(NEW.release, [scaling])
    assert pair not in CHILDREN.kinds_at(NEW.release, [{"spec": {}}])
    assert pair in CHILDREN.kinds_at(NEW.release, [{"spec": {}}], ["VariantAutoscaling"])


def test_keda_alone_scales_by_triggers_of_the_author() -> None:
    keda = {
        "triggers": [CPU],
        "pollingInterval": 5,
        "idleReplicaCount": 0,
        "advanced": {"scalingModifiers": {"formula": "a+1", "target": "2"}},
    }
    given = document(**CLAIM, **scaled(keda=keda))
    assert messages_of(given, NEW) == {}
    found = new(given)
    assert HPA not in found
    assert found[SCALED]["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat-kserve"},
        "minReplicaCount": 1,
        "maxReplicaCount": 3,
        **keda,
    }
    assert "annotations" not in found[SCALED]["metadata"]
    assert "inference.optimization/acceleratorName" not in found[SCALED]["metadata"]["labels"]


def test_keda_alone_needs_nothing_of_the_configuration_that_llm_d_needs() -> None:
    by_llm_d = document(**CLAIM, **scaled(wva={"keda": {}}))
    alone = document(**CLAIM, **scaled(keda={"triggers": [CPU]}))
    assert "prometheus.url is required" in refusal(by_llm_d, settings=NEW)
    assert refusal(alone, settings=NEW) == ""


REFUSED: dict[str, tuple[Json, str, str]] = {
    "neither means": (scaled(), "spec.scaling", "either wva or keda must be specified"),
    "both means": (
        scaled(wva={"hpa": {}}, keda={"triggers": [CPU]}),
        "spec.scaling",
        "wva and keda are mutually exclusive",
    ),
    "no trigger": (scaled(keda={"triggers": []}), "spec.scaling.keda.triggers", "at least 1"),
    "triggers are left out": (scaled(keda={}), "spec.scaling.keda.triggers", "missing"),
    "a trigger without its kind": (
        scaled(keda={"triggers": [{"metadata": {}}]}),
        "spec.scaling.keda.triggers[0].type",
        "missing",
    ),
    "the name of the autoscaler": (
        scaled(
            keda={
                "triggers": [CPU],
                "advanced": {"horizontalPodAutoscalerConfig": {"name": "mine"}},
            }
        ),
        "spec.scaling.keda",
        "the controller manages the HPA name",
    ),
    "as many idle pods as busy ones": (
        scaled(keda={"triggers": [CPU], "idleReplicaCount": 1}),
        "spec.scaling",
        "idleReplicaCount must be less than minReplicas",
    ),
    "two ways to scale": (
        {**scaled(wva={"hpa": {}}), "prefill": scaled(keda={"triggers": [CPU]})},
        "spec.prefill.scaling",
        "decode uses wva but prefill uses direct keda",
    ),
    "no number and no part": (
        {"rolloutStrategy": {"maxSurge": "many"}},
        "spec.rolloutStrategy.maxSurge",
        "valid percent string",
    ),
    "more than all": (
        {"prefill": {"rolloutStrategy": {"maxUnavailable": "101%"}}},
        "spec.prefill.rolloutStrategy.maxUnavailable",
        "must not be greater than 100%",
    ),
    "less than none": (
        {"rolloutStrategy": {"maxUnavailable": -1}},
        "spec.rolloutStrategy.maxUnavailable",
        "must be greater than or equal to 0",
    ),
    "no pod may go or come": (
        {"rolloutStrategy": {"maxUnavailable": "50%", "maxSurge": 0}},
        "spec.rolloutStrategy",
        "cannot both be zero",
    ),
    "no group may go, and none may come by itself": (
        {
            "rolloutStrategy": {"maxUnavailable": 0},
            "worker": {"containers": []},
            "parallelism": {"data": 2, "dataLocal": 1},
        },
        "spec.rolloutStrategy.maxSurge",
        "maxSurge is required for multi-node workloads",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
def test_what_cannot_be_is_refused_at_its_field(name: str, version: str) -> None:
    spec, field, said = REFUSED[name]
    told = messages_of(document(version=version, **CLAIM, **spec), NEW)
    assert list(told) == [field]
    assert said in told[field]


@pytest.mark.parametrize(
    "said",
    [
        {"maxUnavailable": 0, "maxSurge": "1%"},
        {"maxUnavailable": "100%", "maxSurge": 0},
        {"maxUnavailable": 0},
        {"maxSurge": 0},
        {},
    ],
)
def test_updates_that_go_on_are_taken(said: Json) -> None:
    assert messages_of(document(**CLAIM, rolloutStrategy=said), NEW) == {}


LATER: dict[str, tuple[str, Json]] = {
    "scaling by KEDA alone": ("spec.scaling.keda", scaled(keda={"triggers": [CPU]})),
    "updates": ("spec.rolloutStrategy", {"rolloutStrategy": {"maxSurge": 1}}),
    "updates of prefill": ("spec.prefill.rolloutStrategy", {"prefill": {"rolloutStrategy": {}}}),
    "a tokenizer": (
        "spec.router.scheduler.tokenizer",
        {"router": {"scheduler": {"tokenizer": {}}}},
    ),
}


@pytest.mark.parametrize("name", LATER)
@pytest.mark.parametrize("release", ["0.17", "0.20"])
def test_fields_of_this_release_are_named_with_it(name: str, release: str) -> None:
    field, spec = LATER[name]
    told = messages_of(document(**CLAIM, **spec), settings(release))
    assert f"KServe 0.21 knows it, and {release} would drop it" in told[field]


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
def test_names_of_adapters_are_judged_in_both_versions(version: str) -> None:
    twice = [{"name": "a", "uri": "hf://x/y"}, {"name": "a", "uri": "hf://x/z"}]
    given = document(version=version, model={"uri": "pvc://a/b", "lora": {"adapters": twice}})
    (field,) = messages_of(given, NEW)
    assert field == "spec.model.lora.adapters[1].name"
    assert (messages_of(given, settings("0.20")) == {}) is (version == "v1alpha1")


def test_updates_go_as_the_author_says() -> None:
    both = {"maxUnavailable": "50%", "maxSurge": 1}
    given = document(
        **CLAIM, rolloutStrategy=both, prefill={"rolloutStrategy": {"maxUnavailable": 2}}
    )
    found = new(given)
    assert found["Deployment", "chat-kserve"]["spec"]["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": both,
    }
    prefill = found["Deployment", "chat-kserve-prefill"]["spec"]["strategy"]
    assert prefill["rollingUpdate"] == {"maxUnavailable": 2}
    assert (
        "strategy"
        not in new(document(**CLAIM, rolloutStrategy={}))["Deployment", "chat-kserve"]["spec"]
    )


def test_groups_have_what_lws_does_by_itself_beside_what_the_author_says() -> None:
    groups = {"worker": {"containers": []}, "parallelism": {"data": 2, "dataLocal": 1}}
    given = document(**CLAIM, **groups, rolloutStrategy={"maxSurge": 1})
    found = new(given)["LeaderWorkerSet", "chat-kserve-mn"]["spec"]["rolloutStrategy"]
    assert found == {
        "type": "RollingUpdate",
        "rollingUpdateConfiguration": {"maxUnavailable": 1, "maxSurge": 1},
    }
    assert changes(document(**CLAIM, **groups)) == {}


def compiled(given: Json, reader: Reader, release: str = "0.21") -> Intent:
    loaded = load(given, settings(release))
    assert loaded.service is not None, loaded.problems
    return compile_service(loaded.service, settings(release), reader)


def conditions(found: Any) -> dict[str, Json]:
    return {one["type"]: one for one in found.status["conditions"]}


@pytest.mark.parametrize("ready", [0, 1])
def test_the_router_is_ready_with_its_tokenizer(ready: int) -> None:
    spec = {"router": {"scheduler": {"tokenizer": {}}}}
    objects = [deployment(), deployment("chat-tokenizer", ready)]
    said = conditions(observe(resolved(spec, settings=NEW), Cluster(objects)))
    assert said["TokenizerReady"]["status"] == ("True" if ready else "False")
    assert PARTS[ROUTER_READY][-1] == "TokenizerReady"
    plain = observe(resolved({}, settings=NEW), Cluster([deployment()]))
    assert "TokenizerReady" not in conditions(plain)


def test_a_stopped_service_says_so_of_its_tokenizer() -> None:
    for release, told in (("0.20", False), ("0.21", True)):
        stopped = resolved({}, annotations=STOP, settings=settings(release))
        said = conditions(observe(stopped, Cluster([])))
        assert ("TokenizerReady" in said) is told


@pytest.mark.parametrize(("release", "severity"), [("0.20", "Info"), ("0.21", None)])
def test_ready_counts_the_presets(release: str, severity: str | None) -> None:
    found = observe(resolved({}, settings=settings(release)), Cluster([deployment()]))
    said = conditions(found)
    assert said["PresetsCombined"].get("severity") == severity
    assert said["MainWorkloadReady"]["severity"] == "Info"


def test_presets_that_the_api_would_refuse_are_told_as_the_api_tells_it() -> None:
    base = preset("lopsided", {"parallelism": {"data": 2}}, "team-a")
    given = document(**CLAIM, baseRefs=[{"name": "lopsided"}])
    before, after = (refusal(given, base, settings=settings(each)) for each in ("0.20", "0.21"))
    assert "CombineBaseError" in before
    assert "InvalidRenderedConfig" in after
    assert (
        "dry-run validation failed after merging configs [Preset:kserve/kserve-config-llm-template, UserRef:team-a/lopsided]: "
        "spec.parallelism.dataLocal: Invalid value"
    ) in after


def test_texts_of_configs_may_be_templates_wherever_they_stand() -> None:
    """0.20's API takes none of these, so that no cluster of it has such a config. Source: Makefile at aaac4e294dae."""
    wanted = {
        "hostnames": ["{{ .Name }}.example.com"],
        "rules": [{"backendRefs": [{"kind": "Service", "name": "{{ .Name }}", "port": 80}]}],
    }
    route = preset(
        "kserve-config-llm-router-route", {"router": {"route": {"http": {"spec": wanted}}}}
    )
    made = new(document(**CLAIM, router=ROUTER), route)["HTTPRoute", "chat-kserve-route"]["spec"]
    assert made["hostnames"] == ["chat.example.com"]
    assert made["rules"][0]["backendRefs"][0]["name"] == "chat"
    spec = json.dumps({"router": {"route": {"http": {"spec": wanted}}}})
    for release, refused in (("0.20", True), ("0.21", False)):
        told = refusal_of("own", "serving.kserve.io/v1alpha2", spec, settings(release))
        assert ("hostnames" in told) is refused


def test_what_templates_become_is_judged_with_the_objects() -> None:
    bad = {"hostnames": ["{{ .Name }} example"], "rules": [{}]}
    route = preset("kserve-config-llm-router-route", {"router": {"route": {"http": {"spec": bad}}}})
    told = refusal(document(**CLAIM, router=ROUTER), route, settings=NEW)
    assert "chat example" in told


def test_a_stopped_member_belongs_to_a_group_by_its_model_alone() -> None:
    adapted = {
        "uri": "pvc://m/c",
        "name": "m",
        "lora": {"adapters": [{"name": "x", "uri": "hf://a/b"}]},
    }
    stopped = member("b", model=adapted, annotations=None)
    stopped["metadata"]["annotations"] = STOP
    divergent = {}
    for release in ("0.20", "0.21"):
        reader = preset_world.world(live(member("a", 3)), live(stopped))
        basis: Any = compiled(member("a", 3), reader, release).basis
        divergent[release] = [each.name for each in basis.group.divergent]
        route = [each.name for each in basis.group.members if not each.stopped]
        assert route == ["a"]
    assert divergent == {"0.20": ["b"], "0.21": []}


def test_the_release_is_known_by_autoscalers_and_by_what_ready_counts() -> None:
    by_llm_d = document(**CLAIM, **scaled(wva={"hpa": {}}))
    for release, later in (("0.20", False), ("0.21", True)):
        hpa = new(by_llm_d, release=release)[HPA]
        assert (str(made_as([hpa]).release) == "0.21") is later
        status = observe(resolved({}, settings=settings(release)), Cluster([deployment()])).status
        parent = thing("serving.kserve.io/v1alpha2", "LLMInferenceService", "chat", status=status)
        assert (str(made_as([parent]).release) == "0.21") is later
        other = other_release(NEW, [(parent, None), (hpa, hpa)], True)
        assert (other is None) is later


_TOGETHER: Json = {"schedulingGroup": {"podGroupName": "one"}}


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"template": _TOGETHER}, "spec.template"),
        ({"worker": _TOGETHER}, "spec.worker"),
        ({"prefill": {"template": _TOGETHER}}, "spec.prefill.template"),
        ({"router": {"scheduler": {"template": _TOGETHER}}}, "spec.router.scheduler.template"),
    ],
)
def test_pods_that_are_scheduled_together_are_refused_with_the_way_out(
    spec: Json, field: str
) -> None:
    told = messages_of(document(**spec), settings("0.21"))
    assert "leave it out" in told[f"{field}.schedulingGroup"]
