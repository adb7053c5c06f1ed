# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a pod that contradict each other, and files that nothing brings."""

from __future__ import annotations

from typing import Any

import pytest

from .checked import told_by
from .services import (
    custom,
    inference_service,
    llm,
    llm_inference_service,
    model_service,
    scheduled,
    with_memory,
)
from .surroundings import CONFIG

Json = dict[str, Any]
SIDECAR = {"name": "proxy", "image": "envoy:1", "lifecycle": {"preStop": {"exec": {"command": ["sleep", "60"]}}}}  # fmt: skip


def ending(*command: str, seconds: int | None = None) -> Json:
    main = {"name": "main", "lifecycle": {"preStop": {"exec": {"command": list(command)}}}}
    grace = {} if seconds is None else {"terminationGracePeriodSeconds": seconds}
    return llm_inference_service(template={"containers": [main], **grace})


def mounted(path: str, *args: str) -> Json:
    main = {"name": "main", "args": list(args), "volumeMounts": [{"name": "c", "mountPath": path}]}
    volumes = [{"name": "c", "configMap": {"name": "c"}}]
    return llm_inference_service(template={"containers": [main], "volumes": volumes})


@pytest.mark.parametrize(
    ("service", "said"),
    [
        (ending("sleep", "120", seconds=60), "sleeps 120 s before it ends, and its pod has 60 s"),
        (ending("/bin/sh", "-c", "nginx -s quit; sleep 30", seconds=30), "sleeps 30 s"),
        (llm_inference_service(prefill={"template": {"containers": [{"name": "main"}, SIDECAR], "terminationGracePeriodSeconds": 45}}),
            "container proxy sleeps 60 s"),
        (inference_service(predictor=custom()["spec"]["predictor"], transformer={"containers": [{
            "name": "kserve-container", "image": "x", "lifecycle": SIDECAR["lifecycle"]}]}), "spec.transformer"),
    ],
)  # fmt: skip
def test_a_container_that_is_killed_while_it_waits_is_told(service: Json, said: str) -> None:
    (message,) = told_by(("grace-period",), service, CONFIG)
    assert said in message


@pytest.mark.parametrize(
    "service",
    [
        ending("sleep", "20", seconds=60),
        ending("sh", "-c", "curl localhost/drain", seconds=5),
        llm(),
    ],
)
def test_a_container_that_has_the_time_is_not(service: Json) -> None:
    assert told_by(("grace-period",), service) == []


@pytest.mark.parametrize(
    ("limit", "size", "told"), [("8Gi", "16Gi", True), ("16Gi", "16Gi", False), ("2G", "2Gi", True)]
)
def test_memory_that_counts_twice_is_told(limit: str, size: str, told: bool) -> None:
    service = llm_inference_service(template=with_memory("main", limit, size))
    assert bool(told_by(("memory-volume",), service)) is told


@pytest.mark.parametrize(
    ("service", "field"),
    [
        (llm("--chat-template=/templates/x.jinja"), "spec.template.containers[0].args[0]"),
        (mounted("/config", "--ssl-certfile=/certs/tls.crt"), "spec.template.containers[0].args[0]"),
        (custom(env=[{"name": "GOOGLE_APPLICATION_CREDENTIALS", "value": "/var/secrets/key.json"}]), "spec.predictor.containers[0].env[0]"),
        (model_service(engine={"args": ["--config", "/mnt/flags/vllm.yaml"]}), "spec.engine.args[0]"),
        (llm_inference_service(prefill={"template": {"containers": [{"name": "main", "args": ["--chat-template=/config/x"]}]}}),
            "spec.prefill.template.containers[0].args[0]"),
    ],
)  # fmt: skip
def test_a_file_that_nothing_brings_is_told(service: Json, field: str) -> None:
    (message,) = told_by(("file-unmounted",), service, CONFIG)
    assert message.startswith(f"{field}: ")


@pytest.mark.parametrize(
    "service",
    [
        mounted("/config", "--chat-template=/config/x.jinja"),
        mounted("/config/x.jinja", "--chat-template=/config/x.jinja"),
        llm("--chat-template=/vllm-workspace/examples/tool_chat_template.jinja"),
        llm("--chat-template=/mnt/models/chat_template.jinja"),
        custom("--config=/opt/own/config.yaml"),
        llm(router=scheduled("--pool-name=x", "--config-file=/etc/config/epp.yaml")),
    ],
)
def test_a_file_that_may_be_there_is_not(service: Json) -> None:
    assert told_by(("file-unmounted",), service, CONFIG) == []


@pytest.mark.parametrize(
    ("service", "said"),
    [
        (llm("--swap-space=16Gi"), "a number of GiB without a unit"),
        (llm("--kv-cache-memory-bytes", "16GiB"), "a number of bytes"),
        (model_service(engine={"args": ["--seed=abc"]}), "a whole number"),
        (custom("--context-length=8k", image="lmsysorg/sglang:v0.5.3"), "SGLang takes a whole number"),
        (custom("--mem-fraction-static=90", image="lmsysorg/sglang:v0.5.3"), "a share above 0"),
        (custom("--max-total-tokens=8k", image="ghcr.io/huggingface/text-generation-inference:3.0"), "Text Generation Inference takes a whole number"),
        (llm("--swap-space=4.5", "--cpu-offload-gb=10", "--kv-cache-memory-bytes=16G", "--max-logprobs=-1"), ""),
        (custom("--context-length=8192", "--max-running-requests=64", image="lmsysorg/sglang:v0.5.3"), ""),
    ],
)  # fmt: skip
def test_values_with_units_that_an_engine_does_not_read_are_told(service: Json, said: str) -> None:
    found = told_by(("engine-value",), service, CONFIG)
    assert len(found) == bool(said)
    assert all(said in each for each in found)
