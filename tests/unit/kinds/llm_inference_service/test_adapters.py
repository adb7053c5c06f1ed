# SPDX-License-Identifier: GPL-3.0-or-later
"""LoRA adapters beside a model, which KServe serves from 0.19 on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .build import document, messages_of
from .preset_world import ROUTER, children, pods, preset, refusal, system_config
from .release_pairs import settings

Json = dict[str, Any]
POD = ("Deployment", "chat-kserve")
OCI = system_config(storageInitializer={"enableModelcar": True})


def adapted(*adapters: Json, uri: str = "hf://acme/chat-8b", **fields: Any) -> Json:
    """Return a service with adapters. fields: limits beside them, and others of the spec."""
    limits = {key: fields.pop(key) for key in tuple(fields) if key.startswith("max")}
    return document(model={"uri": uri, "lora": {"adapters": list(adapters), **limits}}, **fields)


def adapter(name: str, uri: str = "") -> Json:
    return {"name": name, "uri": uri or f"hf://acme/{name}"}


def pod_of(given: Json, *objects: Json, release: str = "0.19") -> Json:
    found = children(given, *objects, settings=settings(release))
    pod: Json = found[POD]["spec"]["template"]["spec"]
    return pod


def modules(*adapters: str) -> list[str]:
    """Return how the engine is told of adapters that stand in folders of their names."""
    return [
        "'" + json.dumps({"name": name, "path": f"/mnt/lora/{one}"}, separators=(",", ":")) + "'"
        for one in adapters
        for name in (one, f"publishers/team-a/models/{one}")
    ]


@pytest.mark.parametrize("release", ["0.17", "0.18"])
def test_adapters_have_no_effect_before(release: str) -> None:
    plain = children(document(), settings=settings(release))
    assert children(adapted(adapter("b"), adapter("a")), settings=settings(release)) == plain


def test_model_and_adapters_are_fetched_by_one_container() -> None:
    pod = pod_of(adapted(adapter("b"), adapter("a", "s3://bucket/a")))
    (fetching,) = pod["initContainers"]
    assert fetching["args"] == [
        *("hf://acme/chat-8b", "/mnt/models"),
        *("s3://bucket/a", "/mnt/lora/a"),
        *("hf://acme/b", "/mnt/lora/b"),
    ]
    assert [each["mountPath"] for each in fetching["volumeMounts"]] == ["/mnt"]
    server = pod["containers"][0]
    (mount,) = [
        each for each in server["volumeMounts"] if each["name"] == "kserve-provision-location"
    ]
    assert (mount["mountPath"], mount["readOnly"]) == ("/mnt", True)
    names = [each["name"] for each in fetching["env"]]
    assert "HF_XET_HIGH_PERFORMANCE" in names


def test_the_engine_is_told_before_what_its_author_tells_it() -> None:
    own: Json = {"template": {"containers": [{"name": "main", "args": ["--mine"]}]}}
    given = adapted(adapter("b"), adapter("a"), maxRank=32, maxAdapters=4, maxCpuAdapters=8, **own)
    assert pod_of(given)["containers"][0]["args"] == [
        *("--enable-lora", "--max-lora-rank=32", "--max-loras=4", "--max-cpu-loras=8"),
        *("--lora-modules", *modules("a", "b"), "--mine"),
    ]


@pytest.mark.parametrize(
    "server",
    [
        {"args": ["--lora-modules", "x=/y"]},
        {"command": ["vllm", "--lora-modules=x"]},
        {"env": [{"name": "VLLM_ADDITIONAL_ARGS", "value": "--lora-modules x=/y"}]},
    ],
)
def test_an_author_who_tells_the_engine_is_left_alone(server: Json) -> None:
    own: Json = {"template": {"containers": [{"name": "main", **server}]}}
    args = pod_of(adapted(adapter("a"), **own))["containers"][0].get("args") or []
    assert "--enable-lora" not in args


def test_an_adapter_in_a_claim_is_mounted() -> None:
    given = adapted(adapter("a", "pvc://shared/deep/a"), uri="pvc://models/chat")
    pod = pod_of(given)
    assert "initContainers" not in pod
    volumes = {each["name"]: each for each in pod["volumes"]}
    assert volumes["lora-pvc-a"]["persistentVolumeClaim"] == {"claimName": "shared"}
    mounts = {each["name"]: each for each in pod["containers"][0]["volumeMounts"]}
    assert mounts["lora-pvc-a"] == {
        "name": "lora-pvc-a",
        "mountPath": "/mnt/lora/a",
        "subPath": "deep/a",
        "readOnly": True,
    }


@pytest.mark.parametrize("uri", ["pvc://models/chat", "oci://registry/chat:1"])
def test_adapters_are_fetched_beside_a_model_that_is_not(uri: str) -> None:
    pod = pod_of(adapted(adapter("a"), uri=uri), OCI)
    (fetching,) = [each for each in pod["initContainers"] if each["name"] == "storage-initializer"]
    assert fetching["args"] == ["hf://acme/a", "/mnt/lora/a"]
    assert fetching["volumeMounts"][0]["mountPath"] == "/mnt/lora/a"


def test_a_name_that_is_no_folder_gets_one_that_is() -> None:
    given = adapted(adapter("acme/é b", "hf://acme/b"))
    told = " ".join(pod_of(given)["containers"][0]["args"])
    assert '{"name":"acme/é b","path":"/mnt/lora/acme---b"}' in told


@pytest.mark.parametrize(
    ("one", "fields", "said"),
    [
        (adapter("a", "oci://x:1"), {}, "oci:// is not supported for LoRA adapters"),
        (adapter("a", "gs://x"), {}, 'unsupported URI scheme "gs://"'),
        (adapter("a", "plain"), {}, 'invalid URI "plain"'),
        (
            adapter("a"),
            {"storageInitializer": {"enabled": False}},
            "hf:// and s3:// require the storage initializer",
        ),
        (
            adapter("a", "pvc://claim/a"),
            {"storageInitializer": {"enabled": False}},
            "pvc:// requires a mounted volume",
        ),
    ],
)
def test_an_address_that_cannot_be_is_refused(one: Json, fields: Json, said: str) -> None:
    told = refusal(adapted(one, **fields), settings=settings("0.19"))
    assert said in told
    assert "spec.model.lora.adapters" in told
    assert refusal(adapted(one, **fields), settings=settings("0.18")) == ""


@pytest.mark.parametrize(
    ("adapters", "path", "said"),
    [
        ([{"uri": "hf://a"}], "[0].name", "adapter name is required"),
        ([adapter("..")], "[0].name", "path traversal"),
        ([adapter("a"), adapter("a")], "[1].name", "same as adapters[0]"),
        ([adapter("chat")], "[0].name", 'differ from base model name "chat"'),
    ],
)
def test_names_are_judged_as_the_webhook_does(adapters: list[Json], path: str, said: str) -> None:
    given = adapted(*adapters)
    told = messages_of(given, settings("0.19"))
    assert said in told[f"spec.model.lora.adapters{path}"]
    assert messages_of(given, settings("0.18")) == {}


@pytest.mark.parametrize(
    ("adapters", "path", "said"),
    [
        ("x", "", "is not a list"),
        (5, "", "is not a list"),
        (["x"], "[0]", "is not a map of fields"),
        ([["x"]], "[0]", "is not a map of fields"),
        ([{"name": {"a": "b"}, "uri": "hf://a"}], "[0].name", "is not a string"),
        ([{"name": 5, "uri": "hf://a"}], "[0].name", "is not a string"),
        ([{"name": "sql", "uri": ["hf://a"]}], "[0].uri", "is not a string"),
    ],
)
@pytest.mark.parametrize("release", ["0.17", "0.19", "0.20"])
def test_adapters_that_cannot_be_read_are_told(
    adapters: Any, path: str, said: str, release: str
) -> None:
    given = adapted()
    given["spec"]["model"]["lora"] = {"adapters": adapters}
    assert said in messages_of(given, settings(release))[f"spec.model.lora.adapters{path}"]


ROUTES = preset(
    "kserve-config-llm-router-route",
    {
        "router": {
            "route": {
                "http": {
                    "spec": {
                        "rules": [
                            {
                                "matches": [
                                    {"path": {"value": "/v1"}},
                                    {
                                        "path": {"value": "/v1"},
                                        "headers": [{"name": "X-Gateway-Model-Name", "value": "m"}],
                                    },
                                ],
                                "backendRefs": [{"name": "own", "kind": "Service", "port": 80}],
                            }
                        ]
                    }
                }
            }
        }
    },
)


def test_routes_take_requests_that_name_an_adapter() -> None:
    given = adapted(adapter("b"), adapter("a"), router=ROUTER)
    found = children(given, ROUTES, settings=settings("0.19"))["HTTPRoute", "chat-kserve-route"]
    matches = found["spec"]["rules"][0]["matches"]
    values = [one["headers"][0]["value"] for one in matches if one.get("headers")]
    assert values == ["m", "publishers/team-a/models/b", "publishers/team-a/models/a"]
    assert len(matches) == 4


def test_prefill_pods_have_the_adapters_and_the_tokenizer_has_not() -> None:
    given = adapted(adapter("a"), prefill={})
    found = children(given, settings=settings("0.19"))
    for pod in pods(found):
        assert "--enable-lora" in pod["containers"][0]["args"]
