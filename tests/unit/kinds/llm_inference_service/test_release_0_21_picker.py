# SPDX-License-Identifier: GPL-3.0-or-later
"""Pickers and tokenizers under KServe 0.21, each by an input of which exactly one thing differs from 0.20."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from module_utils.kinds.llm_inference_service.certificate.request import certificate_request
from module_utils.kinds.llm_inference_service.view import view
from tests.objects import Cluster

from . import preset_world
from .build import document
from .preset_world import ROUTER, account, children, config_map, preset, refusal, system_config
from .release_pairs import CLAIM, settings
from .test_release_0_21 import (
    NEW,
    PICKER,
    TOKENIZER,
    Json,
    compiled,
    new,
    pod_of,
)
from .world import resolved, thing


def picker(
    plugins: list[Json], *words: str, version: str = "0.10.0", inline: bool = True, **more: Any
) -> Json:
    """Return a router whose picker of a version has plugins and arguments."""
    config = {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": plugins,
        "schedulingProfiles": [
            {"name": "default", "plugins": [{"pluginRef": one["type"]} for one in plugins]}
        ],
    }
    text = [] if inline else ["--config-text", yaml.safe_dump(config)]
    scheduler = {
        "annotations": {"app.kubernetes.io/version": version},
        "template": {"containers": [{"name": "main", "args": [*words, *text]}]},
        **({"config": {"inline": config}} if inline else {}),
        **more,
    }
    return {"router": {**ROUTER, "scheduler": scheduler}}


def configuration(found: dict[tuple[str, str], Json]) -> Json:
    (main,) = [one for one in pod_of(found, PICKER)["containers"] if one["name"] == "main"]
    (text,) = [word for word in main["args"] if "EndpointPickerConfig" in word]
    read: Json = yaml.safe_load(text)
    return read


@pytest.mark.parametrize("prefill", [False, True])
def test_the_default_configuration_is_in_the_new_version_of_the_api(prefill: bool) -> None:
    given = document(**CLAIM, router=ROUTER, **({"prefill": {}} if prefill else {}))
    before, after = configuration(new(given, release="0.20")), configuration(new(given))
    assert before == {**after, "apiVersion": "inference.networking.x-k8s.io/v1alpha1"}
    assert after["apiVersion"] == "llm-d.ai/v1alpha1"


@pytest.mark.parametrize(("version", "moved"), [("0.8.0", False), ("0.9.0", True)])
def test_configurations_move_to_the_new_version_for_pickers_that_read_it(
    version: str, moved: bool
) -> None:
    given = document(**CLAIM, **picker([{"type": "queue-scorer"}], version=version))
    assert (configuration(new(given))["apiVersion"] == "llm-d.ai/v1alpha1") is moved


FLAGS = (
    "--model-server-metrics-scheme=https",
    "--model-server-metrics-path",
    "/stats",
    "--model-server-metrics-port=1",
    "--model-server-metrics-https-insecure-skip-verify",
    "--grpc",
)


@pytest.mark.parametrize(("version", "gone"), [("0.9.0", False), ("0.10.0", True)])
def test_metrics_of_model_servers_are_a_plugin_from_picker_0_10_on(
    version: str, gone: bool
) -> None:
    given = document(**CLAIM, **picker([{"type": "queue-scorer"}], *FLAGS, version=version))
    found = new(given)
    words = pod_of(found, PICKER)["containers"][0]["args"]
    assert (FLAGS[0] not in words) is gone
    sources = [
        each["parameters"]
        for each in configuration(found)["plugins"]
        if each["type"] == "metrics-data-source"
    ]
    wanted = {"scheme": "https", "path": "/stats", "insecureSkipVerify": True}
    assert sources == ([wanted] if gone else [])
    if gone:
        assert words[0] == "--grpc"


def test_flags_stay_where_they_are_in_earlier_releases() -> None:
    given = document(**CLAIM, **picker([{"type": "queue-scorer"}], *FLAGS))
    assert FLAGS[0] in pod_of(new(given, release="0.20"), PICKER)["containers"][0]["args"]


def test_flags_of_the_command_go_and_a_plugin_that_is_there_stays() -> None:
    source = {"type": "metrics-data-source", "parameters": {"scheme": "http"}}
    router = picker([source])
    (main,) = router["router"]["scheduler"]["template"]["containers"]
    main["command"] = ["/app/epp", FLAGS[0]]
    found = new(document(**CLAIM, **router))
    assert pod_of(found, PICKER)["containers"][0]["command"] == ["/app/epp"]
    assert configuration(found)["plugins"] == [source]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((FLAGS[0], "--config-file", "/etc/c"), "--model-server-metrics-scheme, which pickers"),
        ((FLAGS[4] + "=perhaps",), 'invalid value "perhaps"'),
    ],
)
def test_flags_that_cannot_be_brought_over_are_told(words: tuple[str, ...], said: str) -> None:
    router = picker([{"type": "queue-scorer"}], *words)
    if "--config-file" in words:
        del router["router"]["scheduler"]["config"]
    assert said in refusal(document(**CLAIM, **router), settings=NEW)


def test_a_port_alone_goes_without_a_configuration() -> None:
    router = picker([], "--model-server-metrics-port=1", "--config-file", "/etc/c")
    del router["router"]["scheduler"]["config"]
    words = pod_of(new(document(**CLAIM, **router)), PICKER)["containers"][0]["args"]
    assert words == ["--config-file", "/etc/c"]


RENDER = preset(
    "kserve-config-llm-tokenizer",
    {
        "router": {
            "scheduler": {
                "tokenizer": {
                    "template": {
                        "containers": [
                            {
                                "name": "main",
                                "image": "render:1",
                                "ports": [{"name": "render-http", "containerPort": 8000}],
                            }
                        ]
                    }
                }
            }
        }
    },
)


PRODUCER = {"type": "token-producer"}


PRECISE: Json = {
    "type": "precise-prefix-cache-scorer",
    "parameters": {
        "kvEventsConfig": {"topicFilter": "kv@"},
        "indexerConfig": {
            "tokenizersPoolConfig": {"modelName": "x"},
            "tokenProcessorConfig": {"blockSize": 64},
            "kvBlockIndexConfig": {"enableMetrics": True},
        },
    },
}


ASKING: dict[str, Json] = {
    "a plugin": picker([PRODUCER]),
    "a plugin of before": picker([PRECISE]),
    "a plugin among the arguments": picker([PRODUCER], inline=False),
    "the service itself": picker([{"type": "queue-scorer"}], tokenizer={}),
}


URL = "http://chat-tokenizer.team-a.svc.cluster.local:8000"


@pytest.mark.parametrize("name", ASKING)
def test_a_picker_that_asks_for_tokens_gets_a_server_that_counts_them(name: str) -> None:
    given = document(**ASKING[name])
    found = new(given, RENDER)
    own = {
        "app.kubernetes.io/component": "tokenizer",
        "app.kubernetes.io/name": "chat",
        "app.kubernetes.io/part-of": "llminferenceservice",
    }
    made = found[TOKENIZER]
    assert made["metadata"]["labels"] == own
    assert (made["spec"]["replicas"], made["spec"]["selector"]) == (1, {"matchLabels": own})
    pod = pod_of(found, TOKENIZER)
    assert pod["containers"][0]["image"] == "render:1"
    assert pod["containers"][0]["volumeMounts"] == [
        {"name": "kserve-provision-location", "mountPath": "/mnt/models/base", "readOnly": True}
    ]
    (fetcher,) = pod["initContainers"]
    assert "STORAGE_ALLOW_PATTERNS" not in {each["name"] for each in fetcher["env"]}
    assert found["Service", "chat-tokenizer"]["spec"] == {
        "selector": own,
        "ports": [
            {"name": "render-http", "port": 8000, "targetPort": "render-http", "protocol": "TCP"}
        ],
    }
    assert TOKENIZER not in children(
        document(**picker([PRODUCER])), RENDER, settings=settings("0.20")
    )


NOT_ASKING: dict[str, Json] = {
    "nobody asks": picker([{"type": "queue-scorer"}]),
    "a file, which nobody reads": picker([], "--config-file", "/etc/c", inline=False),
    "what is written in the spec counts, not the arguments": picker(
        [{"type": "queue-scorer"}],
        "--config-text",
        "kind: EndpointPickerConfig\nplugins: [{type: token-producer}]",
    ),
    "no picker": {"router": {"route": {}, "gateway": {}}},
}


@pytest.mark.parametrize("name", NOT_ASKING)
def test_nobody_counts_tokens_where_nobody_asks(name: str) -> None:
    assert [key for key in new(document(**NOT_ASKING[name]), RENDER) if "tokenizer" in key[1]] == []


def test_a_picker_of_somebody_else_has_no_tokenizer_of_ours() -> None:
    router = {**ROUTER, "scheduler": {"pool": {"ref": {"name": "theirs"}}, "tokenizer": {}}}
    assert TOKENIZER not in new(document(**CLAIM, router=router), RENDER)


def test_the_tokenizer_fetches_with_the_credentials_of_the_picker() -> None:
    named = picker([PRODUCER])
    named["router"]["scheduler"]["template"]["serviceAccountName"] = "robot"
    known = thing("v1", "Secret", "token", data={"HF_TOKEN": "eA=="})
    found = new(document(**named), RENDER, account("robot", "token"), known)
    (fetcher,) = pod_of(found, TOKENIZER)["initContainers"]
    assert "HF_TOKEN" in {each["name"] for each in fetcher["env"]}


def test_producers_are_told_where_tokens_are_unless_they_know() -> None:
    given: Json = {"type": "token-producer", "parameters": {"vllm": {"url": "http://mine"}}}
    (told,) = configuration(new(document(**picker([PRODUCER])), RENDER))["plugins"]
    assert told["parameters"] == {"modelName": "/mnt/models/base", "vllm": {"url": URL}}
    (kept,) = configuration(new(document(**picker([given])), RENDER))["plugins"]
    assert kept["parameters"] == {"modelName": "/mnt/models/base", "vllm": {"url": "http://mine"}}


def test_the_server_is_asked_by_tls_where_pods_speak_it() -> None:
    config = system_config(ingress={"enableLLMInferenceServiceTLS": True})
    (told,) = configuration(new(document(**picker([PRODUCER])), RENDER, config))["plugins"]
    assert told["parameters"]["vllm"]["url"] == URL.replace("http:", "https:")


def test_the_scorer_that_did_all_becomes_three_plugins() -> None:
    other: Json = {"type": "prefix-cache-scorer"}
    found = configuration(
        new(document(**picker([{"type": "queue-scorer"}, PRECISE, other])), RENDER)
    )
    queue, producer, prefixes, scorer = found["plugins"]
    assert (queue["type"], producer["type"]) == ("queue-scorer", "token-producer")
    assert prefixes == {
        "type": "precise-prefix-cache-producer",
        "parameters": {
            "tokenProcessorConfig": {"blockSize": 64},
            "kvEventsConfig": {"topicFilter": "kv@"},
            "indexerConfig": {"kvBlockIndexConfig": {"enableMetrics": True}},
        },
    }
    assert scorer == {
        "type": "prefix-cache-scorer",
        "parameters": {"prefixMatchInfoProducerName": "precise-prefix-cache-producer"},
    }
    (profile,) = found["schedulingProfiles"]
    assert [one["pluginRef"] for one in profile["plugins"]] == [
        "queue-scorer",
        "prefix-cache-scorer",
    ]


def test_pickers_before_0_9_keep_the_scorer_that_does_all() -> None:
    found = configuration(new(document(**picker([PRECISE], version="0.8.0")), RENDER))
    assert [one["type"] for one in found["plugins"]] == ["precise-prefix-cache-scorer"]


def test_a_configuration_in_a_config_map_asks_for_the_preset_by_name() -> None:
    """KServe looks for plugins before it reads ConfigMaps, and fails later."""
    text = "kind: EndpointPickerConfig\nplugins: [{type: token-producer}]\n"
    scheduler = {"config": {"ref": {"name": "epp", "key": "c"}}}
    router = {**ROUTER, "scheduler": scheduler}
    objects = (RENDER, config_map("epp", {"c": text}))
    told = refusal(document(router=router), *objects, settings=NEW)
    assert "no container found with name main" in told
    assert "write tokenizer: {} into router.scheduler" in told
    asking = {**ROUTER, "scheduler": {**scheduler, "tokenizer": {}}}
    assert refusal(document(router=asking), *objects, settings=NEW) == ""


def test_the_author_changes_the_server_of_the_preset() -> None:
    own = {"template": {"containers": [{"name": "main", "resources": {"limits": {"cpu": "2"}}}]}}
    given = document(**picker([PRODUCER], tokenizer=own))
    (main,) = pod_of(new(given, RENDER), TOKENIZER)["containers"]
    assert (main["image"], main["resources"]) == ("render:1", {"limits": {"cpu": "2"}})


def test_pods_of_the_tokenizer_are_checked_at_the_fields_of_their_author() -> None:
    own = {"template": {"containers": [{"name": "main", "image": "Render:1"}]}}
    reader = preset_world.world(RENDER)
    intent = compiled(document(**picker([PRODUCER], tokenizer=own)), reader)
    found = view(intent.basis, [child.manifest.to_dict() for child in intent.children])
    (pods,) = found.of("tokenizer")
    assert (pods.fetcher, pods.replicas) == ("storage-initializer", 1)
    place = pods.fields("containers[0].image")
    assert str(place.field) == "spec.router.scheduler.tokenizer.template.containers[0].image"


def test_the_collection_has_a_preset_for_the_tokenizer() -> None:
    given = document(router={**ROUTER, "scheduler": {"tokenizer": {}}})
    made = compiled(given, Cluster([system_config()])).children
    found = {(each.kind, each.name): each.to_dict() for each in (one.manifest for one in made)}
    (main,) = pod_of(found, TOKENIZER)["containers"]
    assert "vllm launch render /mnt/models/base" in main["command"][2]
    assert [port["name"] for port in main["ports"]] == ["render-http"]


def test_the_certificate_covers_the_tokenizer() -> None:
    asking = resolved({"router": {"scheduler": {"tokenizer": {}}}}, settings=NEW)
    names = certificate_request(asking, Cluster([])).dns_names
    assert {"chat-tokenizer.team-a.svc", "chat-tokenizer.team-a.svc.cluster.local"} <= {*names}
    without = certificate_request(
        resolved({"router": {"scheduler": {}}}, settings=NEW), Cluster([])
    )
    assert not any("tokenizer" in name for name in without.dns_names)
