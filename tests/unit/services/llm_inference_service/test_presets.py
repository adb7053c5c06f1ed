# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service means once presets and baseRefs are combined. The letters are those of the controller's own test suite."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kube.reader import GivenObjects
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.errors import (
    Unbuildable,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.presets.layers import (
    merged,
    written,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.presets.resolve import (
    resolve,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.releases import (
    V0_17,
)
from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.settings import (
    Settings,
)

from .build import document
from .preset_world import PRESETS, ROUTER, preset, resolved, world

Json = dict[str, Any]


def container(name: str, **fields: Any) -> Json:
    return {"name": name, **fields}


def template(*containers: Json, **fields: Any) -> Json:
    return {"containers": list(containers), **fields}


MODEL = {"model": {"uri": "hf://a"}}
EMPTY_ROUTER = {"router": {"route": {}, "gateway": {}, "scheduler": {}}}

#: Row of the suite → layers, the weakest first, and what comes out.
MERGES: dict[str, tuple[list[Json], Json]] = {
    "M1 nothing": ([], {}),
    "M2 one layer": ([MODEL], MODEL),
    "M4 a field deep inside": (
        [
            EMPTY_ROUTER,
            {"router": {"scheduler": {"pool": {"spec": {"targetPorts": [{"number": 9999}]}}}}},
        ],
        {
            "router": {
                "route": {},
                "gateway": {},
                "scheduler": {"pool": {"spec": {"targetPorts": [{"number": 9999}]}}},
            }
        },
    ),
    "M5 values": (
        [{**MODEL, "replicas": 1}, {"model": {"uri": "hf://b"}, "replicas": 2}],
        {"model": {"uri": "hf://b"}, "replicas": 2},
    ),
    "M7 a pod": (
        [
            {
                "template": template(
                    container("main", image="base:1", resources={"requests": {"cpu": "1"}}),
                    initContainers=[
                        container("init", image="i", resources={"requests": {"cpu": "1"}})
                    ],
                    tolerations=[{"key": "team"}],
                )
            },
            {
                "template": template(
                    container("main", image="own:1", env=[container("FOO", value="bar")]),
                    container("transformer"),
                    initContainers=[container("init", resources={"requests": {"cpu": "2"}})],
                    tolerations=[{"key": "gpu"}],
                    priorityClassName="high",
                )
            },
        ],
        {
            "template": template(
                container(
                    "main",
                    image="own:1",
                    resources={"requests": {"cpu": "1"}},
                    env=[container("FOO", value="bar")],
                ),
                container("transformer"),
                initContainers=[container("init", image="i", resources={"requests": {"cpu": "2"}})],
                tolerations=[{"key": "gpu"}],
                priorityClassName="high",
            )
        },
    ),
    "M10 parallelism": (
        [{"parallelism": {"tensor": 2}}, {"parallelism": {"pipeline": 4}}],
        {"parallelism": {"tensor": 2, "pipeline": 4}},
    ),
    "M13 lists of references": (
        [
            {"router": {"route": {"http": {"refs": [{"name": "a"}], "spec": {"parentRefs": []}}}}},
            {"router": {"route": {"http": {"refs": [{"name": "b"}]}}}},
            {"router": {"scheduler": {"pool": {"ref": {"name": "pool"}}}}},
        ],
        {
            "router": {
                "route": {"http": {"refs": [{"name": "b"}], "spec": {"parentRefs": []}}},
                "scheduler": {"pool": {"ref": {"name": "pool"}}},
            }
        },
    ),
    "M14 requests, environment, arguments": (
        [
            {
                "worker": template(
                    container(
                        "main",
                        resources={"requests": {"cpu": "1", "gpu": "1"}, "limits": {"gpu": "1"}},
                        env=[container("a", value="1"), container("z", value="42")],
                        args=["a", "b"],
                    )
                )
            },
            {
                "worker": template(
                    container(
                        "main",
                        resources={"requests": {"memory": "1Gi"}, "limits": {"cpu": "2"}},
                        env=[container("b", value="2"), container("z", value="")],
                        args=["x", "y"],
                    )
                )
            },
        ],
        {
            "worker": template(
                container(
                    "main",
                    resources={
                        "requests": {"cpu": "1", "gpu": "1", "memory": "1Gi"},
                        "limits": {"gpu": "1", "cpu": "2"},
                    },
                    env=[
                        container("b", value="2"),
                        container("a", value="1"),
                        container("z", value="42"),
                    ],
                    args=["x", "y"],
                )
            )
        },
    ),
    "M15 adapters": (
        [
            {"model": {"lora": {"adapters": [{"name": "a"}]}}},
            {"model": {"lora": {"adapters": [{"name": "b"}]}}},
        ],
        {"model": {"lora": {"adapters": [{"name": "b"}]}}},
    ),
    "M17 bases": (
        [{"baseRefs": [{"name": "a"}, {"name": "b"}]}, {"baseRefs": [{"name": "c"}]}],
        {"baseRefs": [{"name": "c"}]},
    ),
    "M19 no name over a name": (
        [{"model": {"name": "base"}, "replicas": 1}, {"model": {"name": None}, "replicas": 3}],
        {"model": {"name": "base"}, "replicas": 3},
    ),
    "M22 zero and nothing": ([{"replicas": 0}, {"replicas": None}], {"replicas": 0}),
    "M24 no containers over containers": (
        [{"template": template(container("a")), "replicas": 1}, {"template": template()}],
        {"template": template(container("a")), "replicas": 1},
    ),
    "M25 another container": (
        [
            {"template": template(container("busybox"), initContainers=[container("side")])},
            {"template": template(container("busybox-2"), initContainers=[]), "replicas": 2},
            {},
        ],
        {
            "template": template(
                container("busybox-2"),
                container("busybox"),
                initContainers=[container("side")],
            ),
            "replicas": 2,
        },
    ),
}


@pytest.mark.parametrize("name", MERGES)
def test_layers_are_merged_as_the_controller_does(name: str) -> None:
    layers, wanted = MERGES[name]
    assert merged([written(layer) for layer in layers], V0_17) == wanted


def test_a_bare_scheduler_template_takes_containers_away() -> None:
    base = {"router": {"scheduler": {"template": template(container("main"))}}}
    over = {"router": {"scheduler": {"template": {"hostname": "x"}}}}
    assert merged([base, over], V0_17)["router"]["scheduler"]["template"] == {"hostname": "x"}


def test_a_probe_without_a_service_takes_the_service_away() -> None:
    probe = {"grpc": {"port": 9003, "service": "liveness"}, "periodSeconds": 5}
    base = {"template": template(container("main", livenessProbe=probe))}
    over = {"template": template(container("main", livenessProbe={"grpc": {"port": 9004}}))}
    (main,) = merged([base, over], V0_17)["template"]["containers"]
    assert main["livenessProbe"] == {"grpc": {"port": 9004}, "periodSeconds": 5}


def value_of(text: str, **spec: Any) -> str:
    """Return what a text of the service's own template becomes."""
    own = template(container("main", env=[container("X", value=text)]))
    given = document(template=own, **spec)
    given["metadata"] |= {"labels": {"team": "blue"}, "annotations": {"note": "n"}}
    (main,) = resolved(given).spec["template"]["containers"]
    return str(main["env"][0]["value"])


#: T1 to T11.
FILLED_IN = {
    "{{ .Spec.Model.Name }}": "chat",
    "{{ ChildName .Name `-sa` }}": "chat-sa",
    "{{ .Namespace }}/{{ .Name }}": "team-a/chat",
    "{{ .ObjectMeta.Name }}-route": "chat-route",
    "{{ .Spec.Model.URI.Host }}{{ .Spec.Model.URI.Path }}": "acme/chat-8b",
    "{{ .Spec.Model.URI }}": "hf://acme/chat-8b",
    "{{ if .Spec.Prefill }}pd{{ else }}single{{ end }}": "single",
    "{{ if .Spec.Parallelism }}{{ .Spec.Parallelism.Tensor }}{{ else }}1{{ end }}": "1",
    "{{ .Labels.team }} {{ index .Annotations `note` }}": "blue n",
    "{{ .GlobalConfig.SystemNamespace }} {{ .GlobalConfig.IngressGatewayNamespace }}/{{ .GlobalConfig.IngressGatewayName }}": "kserve kserve/main",
    "a < b & c": "a < b & c",
}

#: T8, T9, T12 to T14: text → what is told.
FAILING = {
    "{{ .Name ": "bad character U+0022",
    "{{ .NonExistentField }}": "can't evaluate field NonExistentField in type struct",
    "{{ .GlobalConfig.NonExistentConfig.SomeField }}": "can't evaluate field NonExistentConfig",
    "{{ .GlobalConfig.CredentialConfig.S3 }}": "can't evaluate field CredentialConfig",
    "{{ .GlobalConfig.StorageConfig }}": "can't evaluate field StorageConfig",
    '{{ ChildName .Name "-x" }}': 'unexpected "\\\\" in operand',
    "{{ .Spec.Parallelism.Data }}": "nil pointer evaluating *v1alpha2.ParallelismSpec.Data",
}


@pytest.mark.parametrize("text", FILLED_IN)
def test_templates_are_filled_in(text: str) -> None:
    assert value_of(text) == FILLED_IN[text]


@pytest.mark.parametrize("text", FAILING)
def test_a_failing_template_is_told_with_its_place(text: str) -> None:
    with pytest.raises(Unbuildable) as caught:
        value_of(f"first\n{text}")
    assert (caught.value.condition, caught.value.reason) == ("PresetsCombined", "CombineBaseError")
    assert FAILING[text] in caught.value.message
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


#: T15 to T23: gateway references and whether there is a route → parents.
PARENTS: dict[str, tuple[list[Json] | None, Json, list[tuple[str, str]] | None]] = {
    "one": ([{"name": "g", "namespace": "n"}], {}, [("n", "g")]),
    "two": (
        [{"name": "g", "namespace": "n"}, {"name": "h", "namespace": "m"}],
        {},
        [("n", "g"), ("m", "h")],
    ),
    "no namespace": ([{"name": "g"}], {}, [("", "g")]),
    "none": (None, {}, [("kserve", "main")]),
}


@pytest.mark.parametrize("name", PARENTS)
def test_parents_come_from_gateway_references(name: str) -> None:
    references, route, wanted = PARENTS[name]
    gateway = {"refs": references} if references else {}
    spec = resolved(document(router={"route": route, "gateway": gateway})).spec
    parents = spec["router"]["route"]["http"]["spec"]["parentRefs"]
    assert [(each["namespace"], each["name"]) for each in parents] == wanted


def test_without_a_route_gateways_make_none() -> None:
    spec = resolved(document(router={"gateway": {"refs": [{"name": "g"}]}})).spec
    assert "route" not in spec["router"]


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


def test_a_given_config_that_the_webhook_would_refuse_is_told() -> None:
    base = preset("base", {"baseRefs": [{"name": "other"}]}, namespace="team-a")
    given = document(baseRefs=[{"name": "base"}])
    loaded = load(given, Settings()).service
    assert loaded is not None
    with pytest.raises(Unbuildable, match="baseRefs is not a permitted field") as error:
        resolve(loaded, Settings(), GivenObjects([base]))
    assert "cluster_objects" in error.value.problem.message
