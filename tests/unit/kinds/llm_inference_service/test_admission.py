# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's own tests of its CRD and its webhooks refuse and accept.

Source: KServe pkg/controller/v1alpha2/llmisvc/validation_int_test.go, pkg/apis/serving/v1alpha2/llm_inference_service_validation_test.go@v0.17.0.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.admission import (
    routing,
    service,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.admission.field_error import (
    refusal,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.spec import (
    KIND,
)
from tests.unit.modules.task import run

from .build import document, messages, messages_of
from .release_pairs import settings

POD: dict[str, Any] = {"containers": []}
HTTP = "spec.router.route.http"
PARENT = {"name": "edge", "namespace": "net"}


def merged_refusal(name: str, spec: dict[str, Any], release: KServe) -> str | None:
    """Return the text with which KServe refuses what came of presets, None where it takes it."""
    found = service.create_errors(spec, name, "v1alpha2", release)
    return refusal(KIND, name, found) if found else None


def routed(http: dict[str, Any], gateway: dict[str, Any] | None = None) -> dict[str, Any]:
    router = {"route": {"http": http}, **({} if gateway is None else {"gateway": gateway})}
    return {"router": router}


def scheduled(**fields: Any) -> dict[str, Any]:
    return {"router": {"scheduler": fields}}


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    (
        "a route of the author and an inline route are one too many",
        routed({"refs": [{"name": "a"}], "spec": {}}),
        HTTP,
        "unsupported configuration",
    ),
    (
        "a route of the author does not go with a managed gateway",
        routed({"refs": [{"name": "a"}]}, {}),
        f"{HTTP}.refs",
        "with a managed gateway",
    ),
    (
        "parents of an inline route that are other gateways conflict",
        routed({"spec": {"parentRefs": [PARENT]}}, {"refs": [{"name": "other"}]}),
        f"{HTTP}.spec",
        "conflict",
    ),
    (
        "pipeline and data parallel exclude each other",
        {"parallelism": {"pipeline": 2, "data": 4, "dataLocal": 2}},
        "spec.parallelism",
        "cannot set both",
    ),
    (
        "data needs its local share",
        {"parallelism": {"data": 4}},
        "spec.parallelism.dataLocal",
        "dataLocal must be set",
    ),
    (
        "a local share needs data",
        {"parallelism": {"dataLocal": 2}},
        "spec.parallelism.data",
        "data must be set",
    ),
    (
        "a worker needs a kind of parallelism",
        {"worker": POD},
        "spec.worker",
        "parallelism must be configured",
    ),
    (
        "prefill is not pipeline and data parallel at once",
        {"prefill": {"parallelism": {"pipeline": 2, "data": 4, "dataLocal": 2}}},
        "spec.prefill.parallelism",
        "cannot set both",
    ),
    (
        "a prefill worker needs a kind of parallelism",
        {"prefill": {"worker": POD}},
        "spec.prefill.worker",
        "must be configured",
    ),
    (
        "an empty picker configuration says nothing",
        scheduled(config={}),
        "spec.router.scheduler.config",
        "either inline or ref",
    ),
    (
        "an inline configuration and a reference are one too many",
        scheduled(config={"inline": {"a": 1}, "ref": {"name": "a", "key": "b"}}),
        "spec.router.scheduler.config",
        "both inline and ref",
    ),
    (
        "an empty inline configuration is none",
        scheduled(config={"inline": {}}),
        "spec.router.scheduler.config.inline",
        "invalid",
    ),
    (
        "a reference to a configuration needs a name",
        scheduled(config={"ref": {"key": "b"}}),
        "spec.router.scheduler.config.ref.name",
        "name is empty",
    ),
    (
        "no picker at all is refused",
        scheduled(replicas=0),
        "spec.router.scheduler.replicas",
        "greater than zero",
    ),
    (
        "fewer pickers than none are refused",
        scheduled(replicas=-1),
        "spec.router.scheduler.replicas",
        "greater than zero",
    ),
    (
        "fewer pods than none are refused",
        {"replicas": -1},
        "spec.replicas",
        "below the minimum of 0",
    ),
    (
        "negative tensor parallelism is refused",
        {"parallelism": {"tensor": -1}},
        "spec.parallelism.tensor",
        "minimum of 1",
    ),
    (
        "negative pipeline parallelism is refused",
        {"parallelism": {"pipeline": -1}},
        "spec.parallelism.pipeline",
        "minimum of 1",
    ),
    (
        "negative data parallelism is refused",
        {"parallelism": {"data": -1, "dataLocal": 1}},
        "spec.parallelism.data",
        "minimum",
    ),
    (
        "no local share at all is refused",
        {"parallelism": {"data": 4, "dataLocal": 0}},
        "spec.parallelism.dataLocal",
        "minimum",
    ),
    (
        "a port of zero is refused",
        {"parallelism": {"dataRPCPort": 0}},
        "spec.parallelism.dataRPCPort",
        "minimum of 1",
    ),
    (
        "a port above 65535 is refused",
        {"parallelism": {"dataRPCPort": 99999}},
        "spec.parallelism.dataRPCPort",
        "65535",
    ),
]


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@pytest.mark.parametrize(
    ("spec", "field", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_refused(version: str, spec: dict[str, Any], field: str, message: str) -> None:
    found = messages(document(version=version, **spec))
    if version == "v1alpha1" and field == f"{HTTP}.spec":
        message = "cannot be used with custom gateway refs"
    assert list(found) == [field]
    assert message in found[field]


ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    (
        "gateways and an inline route without parents go together",
        routed({"spec": {"hostnames": ["a.example.com"]}}, {"refs": [PARENT]}),
    ),
    ("a worker may be pipeline parallel", {"parallelism": {"pipeline": 2}, "worker": POD}),
    (
        "a worker may be data parallel",
        {"parallelism": {"data": 4, "dataLocal": 2}, "worker": POD},
    ),
    (
        "a prefill worker may be pipeline parallel",
        {"prefill": {"parallelism": {"pipeline": 2}, "worker": POD}},
    ),
    ("a service needs no parallelism", {}),
    (
        "an inline configuration is taken",
        scheduled(config={"inline": {"kind": "EndpointPickerConfig"}}),
    ),
    (
        "a reference to a configuration is taken",
        scheduled(config={"ref": {"name": "a", "key": "b"}}),
    ),
    ("a picker needs no configuration", scheduled()),
    ("two pickers are taken", scheduled(replicas=2)),
    ("one picker is taken", scheduled(replicas=1)),
    ("pickers may be left open", scheduled(labels={"a": "b"})),
]


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@pytest.mark.parametrize("spec", [row[1] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_accepted(version: str, spec: dict[str, Any]) -> None:
    assert not messages(document(version=version, **spec))


def test_equal_parents_and_gateways_are_warned_of() -> None:
    spec = routed({"spec": {"parentRefs": [PARENT]}}, {"refs": [PARENT]})
    assert not messages(document(**spec))
    assert "can be omitted" in next(iter(messages(document(**spec), "warning").values()))
    assert messages(document(version="v1alpha1", **spec))


def parallel(data: int, local: int) -> dict[str, Any]:
    return {"parallelism": {"data": data, "dataLocal": local}}


@pytest.mark.parametrize(
    ("old", "new", "fields"),
    [
        (parallel(1, 8), parallel(8, 1), ["spec.parallelism"]),
        ({"prefill": parallel(1, 8)}, {"prefill": parallel(9, 1)}, ["spec.prefill.parallelism"]),
        ({}, {"prefill": parallel(8, 1)}, []),
        (parallel(4, 2), {"parallelism": {"pipeline": 2}}, []),
        ({}, {"parallelism": {"tensor": 8}}, []),
    ],
    ids=[
        "the size of a group stays",
        "the size of a prefill group stays",
        "prefill may come later",
        "another way to the same size is taken",
        "what has no size may change",
    ],
)
def test_the_size_of_a_group_stays(
    old: dict[str, Any], new: dict[str, Any], fields: list[str]
) -> None:
    assert [error.field for error in service.update_errors(old, new)] == fields


Pairs = list[tuple[str, str | None]]
#: Parents, gateways as name and namespace, and whether they are the same.
SAME: dict[str, tuple[Pairs, Pairs, bool]] = {
    "one and the same": ([("a", "n")], [("a", "n")], True),
    "another name": ([("a", "n")], [("b", "n")], False),
    "another namespace": ([("a", "n")], [("a", "m")], False),
    "no namespace is an empty one": ([("a", None)], [("a", "")], True),
    "no namespace is not any namespace": ([("a", None)], [("a", "n")], False),
    "one more": ([("a", "n"), ("b", "n")], [("a", "n")], False),
    "several in the same order": ([("a", "n"), ("b", "n")], [("a", "n"), ("b", "n")], True),
    "several in another order": ([("a", "n"), ("b", "n")], [("b", "n"), ("a", "n")], True),
    "one of several is another": ([("a", "n"), ("b", "n")], [("a", "n"), ("b", "m")], False),
}


@pytest.mark.parametrize("row", SAME)
def test_parents_and_gateways_are_compared_as_sets(row: str) -> None:
    parents, gateways, same = SAME[row]

    def named(pairs: Pairs) -> list[dict[str, Any]]:
        return [{"name": name, "namespace": place} for name, place in pairs]

    spec = routed({"spec": {"parentRefs": named(parents)}}, {"refs": named(gateways)})
    assert routing.redundant_parents(spec, "v1alpha2", KServe.V0_17) is same
    assert bool(list(routing.errors(spec, "v1alpha2", KServe.V0_17))) is not same


def test_without_parents_and_gateways_there_is_nothing_to_compare() -> None:
    spec = routed({"spec": {"parentRefs": []}}, {"refs": []})
    assert not routing.redundant_parents(spec, "v1alpha2", KServe.V0_17)
    assert not list(routing.errors(spec, "v1alpha2", KServe.V0_17))


def test_a_refusal_reads_like_the_api_server_s() -> None:
    sizes = {"dataLocal": 2, "pipeline": 2, "data": 4, "expert": False}
    spec = {"parallelism": sizes, **scheduled(replicas=0)}
    assert merged_refusal("chat", spec, KServe.V0_17) == (
        'LLMInferenceService.serving.kserve.io "chat" is invalid: [spec.parallelism: Invalid value: '
        '{"pipeline":2,"data":4,"dataLocal":2}: cannot set both pipeline parallelism and data parallelism '
        "(data or dataLocal) simultaneously, spec.router.scheduler.replicas: Invalid value: 0: "
        "scheduler replicas must be greater than zero]"
    )
    assert merged_refusal("chat", {}, KServe.V0_17) is None


@pytest.mark.parametrize(
    ("name", "severity", "message"),
    [
        ("v1.2-model", "error", 'has a "."'),
        ("a" * 64, "error", "at most 63"),
        ("Chat", "error", 'it holds "C"'),
        ("7b-chat", "warning", "begins with a digit"),
    ],
)
def test_a_name_is_what_every_child_can_have(name: str, severity: str, message: str) -> None:
    assert message in messages(document(name=name), severity)["metadata.name"]


def test_all_mistakes_are_found_at_once() -> None:
    given = document(
        replicas=1,
        parallelism={"data": 2},
        router={"scheduler": {"replicas": 0}},
        temlate=POD,
        scaling={"maxReplicas": 4, "wva": {"hpa": {}}},
    )
    assert set(messages(given)) == {
        "spec",
        "spec.temlate",
        "spec.parallelism.dataLocal",
        "spec.router.scheduler.replicas",
    }


def test_the_containers_of_a_message_have_resources_as_go_writes_them() -> None:
    spec = {"worker": {"containers": [{"name": "main", "args": ["a"]}]}}
    told = merged_refusal("chat", spec, KServe.V0_17) or ""
    assert 'Invalid value: {"containers":[{"name":"main","args":["a"],"resources":{}}]}:' in told
    told = merged_refusal("chat", {"worker": {}}, KServe.V0_17) or ""
    assert 'Invalid value: {"containers":[]}:' in told


@pytest.mark.parametrize(
    ("text", "shown"),
    [("", "&RawExtension{Raw:*[],}"), ("a:", "&RawExtension{Raw:*[97 58],}"), ("{}", "{}")],
)
def test_a_picker_configuration_that_is_none_is_shown_as_go_shows_it(text: str, shown: str) -> None:
    spec = {"router": {"scheduler": {"config": {"inline": text}}}}
    told = merged_refusal("chat", spec, KServe.V0_17) or ""
    assert f"config.inline: Invalid value: {shown}: inline configuration is invalid" in told


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
@pytest.mark.parametrize(
    ("adapters", "field"),
    [
        ([{"name": "a", "uri": "hf://a/b", "more": 1}, None], ""),
        ("a", "adapters"),
        ({"a": 1}, "adapters"),
        ([1], "adapters[0]"),
        ([{"name": 1}], "adapters[0].name"),
        ([{"uri": ["a"]}], "adapters[0].uri"),
    ],
)
def test_adapters_that_nobody_can_read_are_refused(version: str, adapters: Any, field: str) -> None:
    model = {"uri": "hf://acme/chat", "lora": {"adapters": adapters}}
    wanted = {f"spec.model.lora.{field}"} if field else set()
    assert messages(document(version=version, model=model)).keys() == wanted


#: A field that a later release brought → where it stands, and the release.
LATER: dict[str, tuple[dict[str, Any], str]] = {
    "spec.router.gateway.refs[0].sectionName": (
        {"router": {"gateway": {"refs": [{"name": "gw", "sectionName": "https"}]}}},
        "0.18",
    ),
    "spec.model.lora.maxRank": (
        {"model": {"uri": "hf://a/b", "lora": {"maxRank": 8}}},
        "0.19",
    ),
    "spec.tracing": ({"tracing": {}}, "0.20"),
    "spec.prefill.kvCacheOffloading": ({"prefill": {"kvCacheOffloading": {}}}, "0.20"),
    "spec.model.confidential": (
        {"model": {"uri": "hf://a/b", "confidential": {"enabled": True}}},
        "0.20",
    ),
    "spec.router.route.group": ({"router": {"route": {"group": "blue"}}}, "0.20"),
}


@pytest.mark.parametrize("field", LATER)
def test_a_field_of_a_later_release_is_refused_with_its_name(field: str) -> None:
    spec, release = LATER[field]
    found = messages(document(**spec))
    assert list(found) == [field]
    assert f"KServe {release} knows it" in found[field]


@pytest.mark.parametrize(
    ("ref", "field"), [({"name": "edge"}, "namespace"), ({"namespace": "infra"}, "name")]
)
def test_part_of_a_gateway_that_is_left_out_is_told_at_its_field(
    ref: dict[str, str], field: str
) -> None:
    gateways = [{"name": "first", "namespace": "infra"}, ref]
    service = document(router={"route": {}, "gateway": {"refs": gateways}})
    found = run(state="rendered", services=[service], settings={}, releases={"kserve": "0.17"})
    assert f"spec.router.gateway.refs[1].{field}: must not be empty" in found["msg"]


@pytest.mark.parametrize("release", [str(release) for release in KServe])
@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"model": {"name": "chat"}}, "spec.model.uri"),
        ({"template": {"containers": [{"image": "a"}]}}, "spec.template.containers[0].name"),
    ],
)
def test_a_required_field_that_is_missing_is_refused_under_every_release(
    spec: dict[str, Any], path: str, release: str
) -> None:
    told = messages_of(document(**spec), settings(release))
    assert told[path].startswith("missing")
