# SPDX-License-Identifier: GPL-3.0-or-later
"""What one engine reads and another does not, in containers whose command, image or runtime tells which one they run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.modules.task import run

from .services import (
    SGLANG,
    custom,
    llm,
    llm_inference_service,
    model,
    model_service,
    runtime,
    server,
)
from .surroundings import CONFIG

Json = dict[str, Any]
TGI = {"image": "ghcr.io/huggingface/text-generation-inference:3.0"}
TRITON = {"image": "own/server:1", "command": ["/opt/tritonserver/bin/tritonserver"]}


def env(**values: str) -> list[Json]:
    return [{"name": name, "value": value} for name, value in values.items()]


def with_runtime(image: str) -> Json:
    """Return a runtime of some engine, which is known by its image."""
    found = runtime()
    found["spec"]["containers"][0]["image"] = image
    return found


def with_transformer(**container: Any) -> Json:
    """Return an InferenceService whose transformer gets arguments of KServe."""
    server = {"name": "kserve-container", "image": "example.com/t:1", **container}
    service = custom()
    service["spec"]["transformer"] = {"containers": [server]}
    return service


def told(service: Json, *objects: Json) -> list[str]:
    """Return what a task warns about, but for what every service without a cluster gets."""
    result = run(state="rendered", services=[service], cluster_objects=[CONFIG, *objects])
    assert not result.get("failed"), result["msg"]
    rules = ("engine-other", "engine-variable", "engine-release", "no-effect", "argument-script")
    problems = result["services"][0]["problems"]
    return [f"{each['path']}: {each['message']}" for each in problems if each["rule"] in rules]


@pytest.mark.parametrize(
    ("service", "objects", "said"),
    [
        (
            llm_inference_service(template=server("--context-length=8192")),
            (),
            "--context-length is a flag of SGLang, and the container main runs vLLM, which does not start with it; write --max-model-len",
        ),
        (llm("--max-input-tokens=100"), (), "flag of Text Generation Inference"),
        (model_service(engine={"args": ["--http-port=1"]}), (), "flag of Triton"),
        (custom("--max-num-seqs=8", **SGLANG), (), "write --max-running-requests"),
        (custom("--max_num_seqs=8", **SGLANG), (), "write --max-running-requests"),
        (custom("--gpu-memory-utilization=0.9", **TGI), (), "write --cuda-memory-fraction"),
        (custom("--max-model-len=1", **TRITON), (), "runs Triton, which does not start with it; leave it out"),
        (
            model("--mem-fraction-static=0.8"),
            (with_runtime("kserve/huggingfaceserver:v0.17.0-gpu"),),
            "runs KServe's huggingfaceserver, which ignores it; write --gpu-memory-utilization",
        ),
        (
            model_service(engine={"image": "lmsysorg/sglang:v0.5.3"}),
            (),
            "spec.engine.image: the image is one of SGLang, and the command of the container vllm starts vLLM",
        ),
        (custom(env=env(VLLM_USE_V1="1"), **SGLANG), (), "VLLM_USE_V1 has no effect: vLLM reads it"),
        (llm(env=env(SGLANG_USE_MODELSCOPE="1")), (), "SGLANG_USE_MODELSCOPE has no effect"),
    ],
)  # fmt: skip
def test_what_another_engine_reads_is_told(
    service: Json, objects: tuple[Json, ...], said: str
) -> None:
    (message,) = told(service, *objects)
    assert said in message


@pytest.mark.parametrize(
    ("service", "objects"),
    [
        (custom("--tensor-parallel-size=2", "--max-total-tokens=1", **SGLANG), ()),
        (custom("--model-id=/mnt/models", "--quantize=awq", **TGI), ()),
        (custom("--model-repository=/mnt/models", "--http-port=8080", **TRITON), ()),
        (custom("--mem-fraction-static=0.8", image="example.com/own:1"), ()),
        (custom("--max-model-len=1", "--model_id=x", image="kserve/huggingfaceserver:v1"), ()),
        (custom(env=env(VLLM_USE_V1="1"), image="kserve/huggingfaceserver:v1"), ()),
        (llm("--model=hf://acme/sglang", "--kv-transfer-config={}"), ()),
        (custom("--served-model-name", "sglang", "--max-model-len=1", command=["vllm", "serve"]), ()),
        # What a runtime gives by itself is its author's.
        (model(), (runtime("--context-length=1"),)),
    ],
)  # fmt: skip
def test_what_the_engine_reads_is_not(service: Json, objects: tuple[Json, ...]) -> None:
    assert told(service, *objects) == []


@pytest.mark.parametrize(
    ("service", "said"),
    [
        (llm(env=env(VLLM_MAX_MODEL_LEN="1")), "it is a flag: write --max-model-len into args"),
        (custom(env=env(HUGGING_FACE_TOKEN="x")), "write HF_TOKEN"),
        (model_service(engine={"env": env(HF_HUB_OFFLIN="1")}), "write HF_HUB_OFFLINE"),
        (
            llm("--download-dir=/cache", env=env(HF_HUB_CACHE="/other")),
            "HF_HUB_CACHE has no effect beside --download-dir, which vLLM follows",
        ),
        (
            custom("--num-shard=2", env=env(NUM_SHARD="4"), **TGI),
            "NUM_SHARD has no effect beside --num-shard",
        ),
        (
            custom(env=env(HF_HUB_CACHE="/a", HUGGINGFACE_HUB_CACHE="/b")),
            "HUGGINGFACE_HUB_CACHE has no effect beside HF_HUB_CACHE",
        ),
        (llm(env=env(VLLM_PORT="8000")), "VLLM_PORT is 8000, where vLLM answers requests"),
        (
            llm(image="example.com/vllm-openai:v0.28.0", env=env(VLLM_ATTENTION_BACKEND="X")),
            "the variable VLLM_ATTENTION_BACKEND is one of vLLM up to 0.13",
        ),
    ],
)
def test_variable_that_nothing_reads_is_told(service: Json, said: str) -> None:
    (message,) = told(service)
    assert said in message
    assert ".env[" in message


@pytest.mark.parametrize(
    "service",
    [
        llm(env=env(HF_HOME="/a", HF_HUB_CACHE="/b", HF_XET_CACHE="/c", VLLM_PORT="5000")),
        llm(env=env(HF_MODEL="x", MY_TOKEN="x", VLLM_HOST_IP="x")),
        custom("--num-shard=2", env=env(NUM_SHARD="4"), image="example.com/own:1"),
        llm(image="example.com/vllm-openai:v0.10.0", env=env(VLLM_USE_V1="1")),
    ],
)
def test_variable_that_is_read_is_not(service: Json) -> None:
    assert told(service) == []


@pytest.mark.parametrize(
    ("service", "said"),
    [
        (custom("-q", command=["sh", "-c", "run"]), "containers[0].args[0]: \"-q\" has no effect"),
        (custom("run", "-q", command=["/bin/bash", "-ec"]), "containers[0].args[1]: \"-q\" has no"),
        (custom("-q", command=["bash", "-c"]), 'runs "-q" as its script'),
    ],
)  # fmt: skip
def test_argument_that_no_script_reads_is_told(service: Json, said: str) -> None:
    (message,) = told(service)
    assert said in message


@pytest.mark.parametrize(
    "service",
    [
        custom("-q", command=["sh", "-c", 'run "$@"']),
        custom("-q", command=["sh", "-c", "run ${1}"]),
        custom("-q", command=["sh", "/run.sh"]),
        custom("-q", command=["run", "-c", "x"]),
        custom("run", command=["bash", "-c"]),
        with_transformer(command=["sh", "-c", "run"]),
    ],
)
def test_argument_that_a_script_reads_is_not(service: Json) -> None:
    assert told(service) == []
