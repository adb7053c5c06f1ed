# SPDX-License-Identifier: GPL-3.0-or-later
"""A picker that follows the engines' caches is told where it would hear or find nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from module_utils.endpoint_picker.cache_events import cache_event_findings
from module_utils.endpoint_picker.check import check_document
from module_utils.endpoint_picker.engine_types import engine_type_findings
from module_utils.endpoint_picker.releases import release_of
from module_utils.kube.manifest import Json

TARGET = "llmd:0.6"
SAID = {
    "enable_kv_cache_events": True,
    "publisher": "zmq",
    "endpoint": "tcp://*:5557",
    "topic": "kv@$(POD_IP)@acme/chat",
}


def config(**parameters: Any) -> Json:
    scorer = {"type": "precise-prefix-cache-scorer", "parameters": parameters}
    return {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [{"type": "single-profile-handler"}, scorer, {"type": "max-score-picker"}],
        "schedulingProfiles": [
            {
                "name": "default",
                "plugins": [
                    {"pluginRef": "precise-prefix-cache-scorer", "weight": 1},
                    {"pluginRef": "max-score-picker"},
                ],
            }
        ],
    }


def pod(
    *args: str,
    labels: Json | None = None,
    command: tuple[str, ...] = ("vllm", "serve", "acme/chat"),
    **env: str,
) -> Json:
    variables = [{"name": name, "value": value} for name, value in env.items()]
    engine = {"name": "vllm", "command": list(command), "args": list(args), "env": variables}
    return {"metadata": {"labels": labels or {}}, "spec": {"containers": [engine]}}


def events(**more: Any) -> str:
    return f"--kv-events-config={json.dumps({**SAID, **more})}"


def rules(workload: Json, **parameters: Any) -> list[str]:
    report = check_document(config(**parameters), release_of(TARGET))
    return [finding.rule for finding in cache_event_findings([workload], report)]


SEEDED = {"tokenProcessorConfig": {"hashSeed": "42"}}


@pytest.mark.parametrize(
    ("workload", "parameters"),
    [
        (pod(events()), {}),
        (pod("--kv-events-config", json.dumps(SAID)), {}),
        (pod(events(), PYTHONHASHSEED="42"), SEEDED),
        (pod(events(), "--prefix-caching-hash-algo=sha256_cbor"), {}),
        (pod("--config", "/etc/vllm.yaml"), {}),
        (pod(command=()), {}),
        (
            pod(events(), command=("vllm", "serve", "/mnt/models")),
            {"indexerConfig": {"tokenizersPoolConfig": {"modelName": "acme/chat"}}},
        ),
    ],
)
def test_engines_that_report_are_fine(workload: Json, parameters: Json) -> None:
    assert rules(workload, **parameters) == []


@pytest.mark.parametrize(
    ("workload", "parameters", "rule"),
    [
        (pod(), {}, "kv-events-missing"),
        (pod(events(enable_kv_cache_events=False)), {}, "kv-events-off"),
        (pod(events(publisher="null")), {}, "kv-events-off"),
        (pod(events(topic="events")), {}, "kv-events-topic"),
        (pod(events()), {"kvEventsConfig": {"topicFilter": "cache@"}}, "kv-events-topic"),
        (
            pod(events(endpoint="tcp://picker:5558")),
            {"kvEventsConfig": {"zmqEndpoint": "tcp://*:5557"}},
            "kv-events-port",
        ),
        (pod(events(endpoint="tcp://localhost:5557")), {}, "kv-events-address"),
        (
            pod(events(endpoint="tcp://chat-epp-service:5557")),
            {"kvEventsConfig": {"zmqEndpoint": "tcp://127.0.0.1:5557"}},
            "kv-events-address",
        ),
        (pod(events()), SEEDED, "hash-seed-differs"),
        (pod(events(), PYTHONHASHSEED="1"), SEEDED, "hash-seed-differs"),
        (pod(events(), PYTHONHASHSEED="1"), {}, "hash-seed-differs"),
        (pod(events(), "--prefix-caching-hash-algo=sha256"), {}, "hash-algorithm-differs"),
        (pod(events(), "--no-enable-prefix-caching"), {}, "prefix-cache-off"),
        (
            pod(events()),
            {"indexerConfig": {"tokenizersPoolConfig": {"modelName": "acme/other"}}},
            "tokenizer-differs",
        ),
    ],
)
def test_engines_that_do_not_are_told(workload: Json, parameters: Json, rule: str) -> None:
    assert rules(workload, **parameters) == [rule]


@pytest.mark.parametrize(
    ("target", "labels", "told"),
    [
        ("llmd:0.6", {}, False),
        ("llmd:0.7", {}, True),
        ("llmd:0.7", {"inference.networking.k8s.io/engine-type": "sglang"}, False),
        ("llmd:0.9", {"llm-d.ai/engine-type": "sglang"}, False),
        ("llmd:0.9", {"llm-d.ai/engine-type": "vllm"}, True),
    ],
)
def test_an_engine_that_is_taken_for_another_is_told(target: str, labels: Json, told: bool) -> None:
    release = release_of(target)
    report = check_document(config(), release)
    sglang = pod(command=("python3", "-m", "sglang.launch_server"), labels=labels)
    found = [each.rule for each in engine_type_findings([sglang], report, release)]
    assert found == (["engine-type"] if told else [])


@pytest.mark.parametrize(
    ("parser", "told"), [("passthrough-parser", True), ("openai-parser", False)]
)
def test_a_scorer_of_prompts_behind_a_blind_parser_is_told(parser: str, told: bool) -> None:
    given = {
        **config(),
        "apiVersion": "llm-d.ai/v1alpha1",
        "plugins": [
            {"type": "single-profile-handler"},
            {"type": "prefix-cache-scorer"},
            {"type": "max-score-picker"},
            {"type": parser},
        ],
        "requestHandler": {"parsers": [{"pluginRef": parser}]},
    }
    given["schedulingProfiles"][0]["plugins"][0]["pluginRef"] = "prefix-cache-scorer"
    report = check_document(given, release_of("llmd:0.9"))
    found = [each.rule for each in report.findings]
    assert ("parser-without-prompt" in found) is told, found
