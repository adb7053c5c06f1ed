# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service means once presets and baseRefs are combined. The letters are those of the controller's own test suite."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.errors import Unbuildable
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.presets.context import template_data
from module_utils.kinds.llm_inference_service.presets.merge import merged
from module_utils.kinds.llm_inference_service.presets.templating import filled_in
from module_utils.kinds.llm_inference_service.read_system_config import read_system_config
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import Json

from .build import document
from .preset_world import PRESETS, ROUTER, preset, resolved, world


def container(name: str, **fields: Any) -> Json:
    return {"name": name, **fields}


def template(*containers: Json, **fields: Any) -> Json:
    return {"containers": list(containers), **fields}


def test_a_bare_scheduler_template_takes_containers_away() -> None:
    base = {"router": {"scheduler": {"template": template(container("main"))}}}
    over = {"router": {"scheduler": {"template": {"hostname": "x"}}}}
    assert merged([base, over], KServe.V0_17)["router"]["scheduler"]["template"] == {
        "hostname": "x"
    }


def test_a_probe_without_a_service_takes_the_service_away() -> None:
    probe = {"grpc": {"port": 9003, "service": "liveness"}, "periodSeconds": 5}
    base = {"template": template(container("main", livenessProbe=probe))}
    over = {"template": template(container("main", livenessProbe={"grpc": {"port": 9004}}))}
    (main,) = merged([base, over], KServe.V0_17)["template"]["containers"]
    assert main["livenessProbe"] == {"grpc": {"port": 9004}, "periodSeconds": 5}


def value_of(text: str, **spec: Any) -> str:
    """Return what a text of the service's own template becomes."""
    own = template(container("main", env=[container("X", value=text)]))
    given = document(template=own, **spec)
    given["metadata"] |= {"labels": {"team": "blue"}, "annotations": {"note": "n"}}
    (main,) = resolved(given).spec["template"]["containers"]
    return str(main["env"][0]["value"])


#: Row of the suite → a text, and what it becomes.
FILLED_IN = {
    "the name of the model is filled in": ("{{ .Spec.Model.Name }}", "chat"),
    "names of children are made": ("{{ ChildName .Name `-sa` }}", "chat-sa"),
    "name and namespace of the service are filled in": (
        "{{ .Namespace }} {{ .Name }}",
        "team-a chat",
    ),
    "the parts of an address can be had": (
        "{{ .Spec.Model.URI.Host }}{{ .Spec.Model.URI.Path }}",
        "acme/chat-8b",
    ),
    "what is not there takes the other branch": (
        "{{ if .Spec.Prefill }}pd{{ else }}single{{ end }}",
        "single",
    ),
    "several values make one text": ("{{ .Namespace }}/{{ .Name }}", "team-a/chat"),
    "namespace and gateway of the installation are filled in": (
        "{{ .GlobalConfig.SystemNamespace }} {{ .GlobalConfig.IngressGatewayNamespace }}/{{ .GlobalConfig.IngressGatewayName }}",
        "kserve kserve/main",
    ),
    "metadata can be read by its full name": ("{{ .ObjectMeta.Name }}-route", "chat-route"),
    "a whole address is a text": ("{{ .Spec.Model.URI }}", "hf://acme/chat-8b"),
    "a part that is not there has a branch of its own": (
        "{{ if .Spec.Parallelism }}{{ .Spec.Parallelism.Tensor }}{{ else }}1{{ end }}",
        "1",
    ),
    "labels and annotations can be read": (
        "{{ .Labels.team }} {{ index .Annotations `note` }}",
        "blue n",
    ),
    "signs that JSON escapes stay": ("a < b & c", "a < b & c"),
}

#: Row of the suite → a text, and what is told.
FAILING = {
    "an action that does not end is refused": ("{{ .Name ", "bad character U+0022"),
    "a field that is not there is refused": (
        "{{ .NonExistentField }}",
        "can't evaluate field NonExistentField in type struct",
    ),
    "a setting that is not there is refused": (
        "{{ .GlobalConfig.NonExistentConfig.SomeField }}",
        "can't evaluate field NonExistentConfig",
    ),
    "credentials of the installation are out of reach": (
        "{{ .GlobalConfig.CredentialConfig.S3 }}",
        "can't evaluate field CredentialConfig",
    ),
    "storage of the installation is out of reach": (
        "{{ .GlobalConfig.StorageConfig }}",
        "can't evaluate field StorageConfig",
    ),
    "texts in quotation marks are refused": (
        '{{ ChildName .Name "-x" }}',
        'unexpected "\\\\" in operand',
    ),
    "a field of what is not there is refused": (
        "{{ .Spec.Parallelism.Data }}",
        "nil pointer evaluating *v1alpha2.ParallelismSpec.Data",
    ),
}


@pytest.mark.parametrize("row", FILLED_IN)
def test_templates_are_filled_in(row: str) -> None:
    text, value = FILLED_IN[row]
    assert value_of(text) == value


def base_with(**spec: Any) -> Json:
    """Return what a service makes of a base with templates in it."""
    return resolved(document(baseRefs=[{"name": "base"}]), preset("base", spec, "team-a")).spec


def test_references_of_the_router_are_filled_in() -> None:
    own = {"refs": [{"name": "{{ .Name }}-route"}]}
    gateway = {"refs": [{"name": "{{ .Name }}-gateway", "namespace": "net"}]}
    router = base_with(router={"gateway": gateway, "route": {"http": own}})["router"]
    assert router["gateway"]["refs"] == [{"name": "chat-gateway", "namespace": "net"}]
    assert router["route"]["http"]["refs"] == [{"name": "chat-route"}]
    parent = {"name": "{{ .Name }}-gateway", "namespace": "{{ .Namespace }}"}
    router = base_with(router={"route": {"http": {"spec": {"parentRefs": [parent]}}}})["router"]
    (found,) = router["route"]["http"]["spec"]["parentRefs"]
    assert (found["namespace"], found["name"]) == ("team-a", "chat-gateway")


def test_names_of_bases_are_filled_in() -> None:
    """In the text alone: what a service names is looked for as it is written."""
    service = load(document(), Settings()).service
    assert service is not None
    data = template_data(service, {}, read_system_config(Settings(), world()), Settings(), {})
    spec = {"baseRefs": [{"name": "{{ .Name }}-base"}]}
    assert filled_in(spec, {}, data, [], Settings().release)["baseRefs"] == [{"name": "chat-base"}]


@pytest.mark.parametrize("row", FAILING)
def test_a_failing_template_is_told_with_its_place(row: str) -> None:
    text, said = FAILING[row]
    with pytest.raises(Unbuildable) as caught:
        value_of(f"first\n{text}")
    assert (caught.value.condition, caught.value.reason) == ("PresetsCombined", "CombineBaseError")
    assert said in caught.value.message
    told = caught.value.problem.message
    assert "LLMInferenceService team-a/chat, template.containers[0].env[0].value, line 2" in told


def test_a_failing_preset_is_named() -> None:
    bad = preset("bad", {"replicas": 1, "labels": {"a": "{{ .Labels.gone }}"}}, "team-a")
    with pytest.raises(Unbuildable) as caught:
        resolved(document(baseRefs=[{"name": "bad"}]), bad)
    assert "LLMInferenceServiceConfig team-a/bad, labels.a, line 1" in caught.value.problem.message


def test_a_value_that_breaks_the_document_is_told() -> None:
    with pytest.raises(Unbuildable, match="failed to unmarshal config from template"):
        resolved(document(model={"uri": "hf://a/b", "name": 'a"b'}))


INLINE = {"http": {"spec": {"parentRefs": [{"name": "own", "namespace": "team-a"}]}}}

#: Row of the suite → gateway references, the route of the service, and its parents.
PARENTS: dict[str, tuple[list[Json] | None, Json | None, list[tuple[str, str]] | None]] = {
    "one gateway is the only parent": ([{"name": "g", "namespace": "n"}], {}, [("n", "g")]),
    "two gateways are two parents": (
        [{"name": "g", "namespace": "n"}, {"name": "h", "namespace": "m"}],
        {},
        [("n", "g"), ("m", "h")],
    ),
    "a gateway without namespace has an empty one": ([{"name": "g"}], {}, [("", "g")]),
    "an empty list leaves the default gateway": ([], {}, [("kserve", "main")]),
    "no list leaves the default gateway": (None, {}, [("kserve", "main")]),
    "gateways take the place of equal parents of an inline route": (
        [{"name": "own", "namespace": "team-a"}],
        INLINE,
        [("team-a", "own")],
    ),
    "gateways without a route make none": ([{"name": "g"}], None, None),
    "an inline route without gateways keeps its parents": (None, INLINE, [("team-a", "own")]),
    "without both there is no route": (None, None, None),
}


@pytest.mark.parametrize("row", PARENTS)
def test_parents_come_from_gateway_references(row: str) -> None:
    references, route, wanted = PARENTS[row]
    router: Json = {"gateway": {} if references is None else {"refs": references}}
    spec = resolved(document(router={**router, **({} if route is None else {"route": route})})).spec
    if wanted is None:
        assert "route" not in spec["router"]
        return
    parents = spec["router"]["route"]["http"]["spec"]["parentRefs"]
    assert [(each["namespace"], each["name"]) for each in parents] == wanted


@pytest.mark.parametrize(
    ("scheduler", "wanted"),
    [
        (None, ("", "Service", "chat-kserve-workload-svc")),
        ({}, ("inference.networking.k8s.io", "InferencePool", "chat-inference-pool")),
        (
            {"pool": {"ref": {"name": "other"}}},
            ("inference.networking.k8s.io", "InferencePool", "other"),
        ),
    ],
)
def test_backends_follow_the_scheduler(
    scheduler: Json | None, wanted: tuple[str, str, str]
) -> None:
    router = {"route": {}, **({} if scheduler is None else {"scheduler": scheduler})}
    spec = resolved(document(router=router)).spec
    (backend,) = spec["router"]["route"]["http"]["spec"]["rules"][0]["backendRefs"]
    assert (backend["group"], backend["kind"], backend["name"]) == wanted


#: What is asked for → presets, the weakest first.
SELECTED: dict[str, tuple[Json, list[str]]] = {
    "a pod": ({}, ["template"]),
    "a router": ({"router": ROUTER}, ["scheduler", "router-route", "template"]),
    "prefill": ({"prefill": {}}, ["prefill-template", "decode-template"]),
    "groups": (
        {"worker": {}, "parallelism": {"data": 2, "dataLocal": 1}},
        ["worker-data-parallel"],
    ),
    "groups and prefill": (
        {"worker": {}, "parallelism": {"data": 2, "dataLocal": 1}, "prefill": {}},
        ["prefill-template", "decode-worker-data-parallel"],
    ),
    "somebody else's pool": (
        {"router": {"scheduler": {"pool": {"ref": {"name": "p"}}}}},
        ["template"],
    ),
    "somebody else's route": (
        {"router": {"route": {"http": {"refs": [{"name": "r"}]}}}},
        ["template"],
    ),
}


@pytest.mark.parametrize("name", SELECTED)
def test_presets_follow_what_is_asked_for(name: str) -> None:
    """Each preset leaves a mark; the marks come in the order in which presets are merged."""
    asked, wanted = SELECTED[name]
    marked = [
        preset(f"kserve-config-llm-{suffix}", {**spec, "labels": {"last": suffix, suffix: "x"}})
        for suffix, spec in PRESETS.items()
    ]
    labels = resolved(document(**asked), *marked).spec["labels"]
    assert labels.pop("last") == wanted[-1]
    assert list(labels) == wanted


def test_pipeline_parallel_presets_are_the_authors() -> None:
    given = document(worker={}, parallelism={"pipeline": 2})
    with pytest.raises(Unbuildable) as caught:
        resolved(given)
    assert "kserve-config-llm-worker-pipeline-parallel" in caught.value.message
    assert "KServe ships no preset for pipeline parallelism" in caught.value.problem.message


def test_the_services_namespace_comes_first() -> None:
    own = preset("kserve-config-llm-template", {"replicas": 7, **PRESETS["template"]}, "team-a")
    assert resolved(document(), own).spec["replicas"] == 7


def test_bases_are_merged_in_order_and_the_service_wins() -> None:
    bases = [preset(name, {"labels": {"x": name, name: name}}, "team-a") for name in ("a", "b")]
    given = document(baseRefs=[{"name": "a"}, {"name": "b"}], labels={"y": "own"})
    assert resolved(given, *bases).spec["labels"] == {"x": "b", "a": "a", "b": "b", "y": "own"}


def test_a_missing_base_is_told_with_its_field() -> None:
    with pytest.raises(Unbuildable) as caught:
        resolved(document(baseRefs=[{"name": "gone"}]))
    assert caught.value.problem.path == "spec.baseRefs[0].name"
    assert 'from namespaces ["team-a", "kserve"]' in caught.value.message


def test_a_service_keeps_the_presets_of_its_first_run() -> None:
    given = document(router={"route": {}})
    kept = {
        f"serving.kserve.io/config-llm-{name}": f"old-{name}"
        for name in ("template", "router-route")
    }
    live = {**given, "status": {"annotations": kept}}
    old = [
        preset(f"old-{name}", {**PRESETS[name], "labels": {name: "old"}})
        for name in ("template", "router-route")
    ]
    found = resolved(given, live, *old)
    assert found.spec["labels"] == {"template": "old"}
    assert found.preset_names["config-llm-template"] == "old-template"
    assert found.preset_names["config-llm-scheduler"] == "kserve-config-llm-scheduler"
    unversioned = resolved(given, live, settings=Settings(versioned_config=False))
    assert (unversioned.preset_names, "labels" in unversioned.spec) == ({}, False)


def test_presets_of_the_collection_are_kept_whatever_the_settings_of_a_later_run() -> None:
    given = document()
    first = resolved(given, settings=Settings(config_prefix="modelops-"))
    kept = {f"serving.kserve.io/{suffix}": name for suffix, name in first.preset_names.items()}
    later = resolved(given, {**given, "status": {"annotations": kept}})
    assert later.spec["template"] == first.spec["template"]
    assert later.preset_names == first.preset_names


def test_nothing_given_is_changed() -> None:
    import copy

    cluster = world()
    before = copy.deepcopy(
        cluster.list("serving.kserve.io/v1alpha2", "LLMInferenceServiceConfig", "", {})
    )
    resolved(document(router=ROUTER, prefill={}))
    after = cluster.list("serving.kserve.io/v1alpha2", "LLMInferenceServiceConfig", "", {})
    assert before == after
