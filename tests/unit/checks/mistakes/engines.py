# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes in what engines are given: command lines, variables, documents, models, the way from prefill to decode."""

from __future__ import annotations

from tests.unit.checks.services import (
    COLLECTOR,
    MAIN_PATH,
    PASSWORD,
    PLAIN_KEY,
    PROXY,
    ROUTE,
    SERVER_PATH,
    VLLM,
    annotated,
    custom,
    custom_with,
    graph,
    hub_server,
    llm,
    model,
    of_image,
    preset,
    runtime,
    server,
    split,
    transfer,
)
from tests.unit.checks.surroundings import CONFIG
from tests.unit.kinds.inference_graph.build import document as inference_graph
from tests.unit.kinds.inference_service.build import document as inference_service
from tests.unit.kinds.llm_inference_service.build import document as llm_inference_service
from tests.unit.kinds.model_service.build import document as model_service

from .mistake import IG, IS, LLM, MS, Mistake

#: Rule → kind → the mistake.
ENGINES: dict[str, dict[str, Mistake]] = {
    "engine-beside": {
        LLM: Mistake(
            llm_inference_service(template={"containers": [{"name": "vllm", "image": "example.com/vllm:1"}]}),
            "spec.template.containers[0].name",
        ),
        IS: Mistake(
            inference_service(
                predictor={
                    "containers": [
                        {"name": "kserve-container", "image": "example.com/server:1"},
                        {"name": "llm", "image": "example.com/server:1", "args": ["vllm", "serve"]},
                    ]
                }
            ),
            "spec.predictor.containers[1].name",
        ),
    },
    "secret-in-text": {
        MS: Mistake(model_service(engine={"args": ["--api-key", PLAIN_KEY]}), "spec.engine.args[1]"),
        LLM: Mistake(llm(f"--api-key={PLAIN_KEY}"), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(
            model(env=PASSWORD),
            "spec.predictor.model.env[0]",
            (CONFIG, runtime()),
        ),
        IG: Mistake(
            graph(annotations={"acme.com/api-key": PLAIN_KEY}),
            'metadata.annotations["acme.com/api-key"]',
            (CONFIG,),
        ),
    },
    "engine-unreached": {
        MS: Mistake(model_service(engine={"args": ["--headless"]}), "spec.engine.args[0]"),
        LLM: Mistake(llm("--uds=/run/vllm.sock"), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(custom("--ssl-certfile=/c"), f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
    "local-address": {
        MS: Mistake(
            model_service(engine={"args": [f"--otlp-traces-endpoint={COLLECTOR}"]}),
            "spec.engine.args[0]",
        ),
        LLM: Mistake(llm(f"--otlp-traces-endpoint={COLLECTOR}"), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(
            custom(env=[{"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": COLLECTOR}]),
            f"{SERVER_PATH}.env[0]",
            (CONFIG,),
        ),
        IG: Mistake(
            inference_graph(
                {"root": {"routerType": "Sequence", "steps": [{"serviceUrl": "http://localhost:8080"}]}}
            ),
            "spec.nodes.root.steps[0].serviceUrl",
            (CONFIG,),
        ),
    },
    "engine-flag": {
        MS: Mistake(model_service(engine={"args": ["--max-model-length=8192"]}), "spec.engine.args[0]"),
        LLM: Mistake(llm("--max-model-length=8192"), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(custom("--gpu-memory-utilisation=0.9"), f"{SERVER_PATH}.args[0]"),
    },
    "engine-release": {
        MS: Mistake(
            model_service(
                engine={"image": "example.com/vllm:0.11.0", "args": ["--swap-space=4", "--spec-method=mtp"]}
            ),
            "spec.engine.args[1]",
        ),
        LLM: Mistake(
            llm("--num-scheduler-steps=8", image="example.com/vllm-openai:v0.11.0"),
            f"{MAIN_PATH}.args[0]",
        ),
        IS: Mistake(
            custom("--num-scheduler-steps=8", image="example.com/vllm:0.12.1"), f"{SERVER_PATH}.args[0]"
        ),
    },
    "engine-variable": {
        MS: Mistake(
            model_service(engine={"env": [{"name": "VLLM_LOGING_LEVEL", "value": "DEBUG"}]}),
            "spec.engine.env[0]",
        ),
        LLM: Mistake(
            llm(env=[{"name": "VLLM_ADDITIONAL_ARG", "value": "--seed=1"}]), f"{MAIN_PATH}.env[0]"
        ),
        IS: Mistake(
            custom(env=[{"name": "VLLM_LOGING_LEVEL", "value": "DEBUG"}]), f"{SERVER_PATH}.env[0]"
        ),
    },
    "argument-blank": {
        MS: Mistake(model_service(engine={"args": ["-q", "--max-model-len 8192"]}), "spec.engine.args[1]"),
        LLM: Mistake(llm("-q", "--max-model-len 8192"), f"{MAIN_PATH}.args[1]"),
        IS: Mistake(model("--max-model-len 8192"), "spec.predictor.model.args[0]", (CONFIG, runtime("-q"))),
    },
    "argument-computed": {
        MS: Mistake(model_service(engine={"args": ["--port=9999"]}), "spec.engine.args[0]"),
        LLM: Mistake(llm("--port", "9999"), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(custom("--port=9999", ports=[{"containerPort": 8080}]), f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
    "argument-twice": {
        MS: Mistake(
            model_service(engine={"args": ["--max-model-len=1", "--max-model-len=2"]}), "spec.engine.args[1]"),
        LLM: Mistake(
            llm("--max-model-len=1"), f"{MAIN_PATH}.args[0]",
            (preset(command=["vllm", "serve", "--max-model-len=2"]),)),
        IS: Mistake(model("--max-model-len=1"), "spec.predictor.model.args[0]", (CONFIG, runtime("--max_model_len=2"))),
    },
    "engine-other": {
        MS: Mistake(model_service(engine={"args": ["--mem-fraction-static=0.8"]}), "spec.engine.args[0]"),
        LLM: Mistake(llm("--num-shard=2"), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(
            custom("--port=8080", "--max-model-len=8192", image="example.com/sglang:v0.5"), f"{SERVER_PATH}.args[1]"
        ),
    },
    "argument-script": {
        LLM: Mistake(
            llm("--max-model-len=1"), f"{MAIN_PATH}.args[0]",
            (preset(command=["/bin/bash", "-c"], args=["exec vllm serve /mnt/models"]),)),
        IS: Mistake(custom("--max-model-len=1", command=["sh", "-ec"]), f"{SERVER_PATH}.args[0]"),
    },
    "command-replaced": {
        LLM: Mistake(llm(command=VLLM), f"{MAIN_PATH}.command", (preset(command=[*VLLM, "--port=8000"]),)),
        IS: Mistake(model(command=VLLM), "spec.predictor.model.command", (CONFIG, hub_server())),
    },
    "command-line": {
        LLM: Mistake(llm(command=["vllm serve /mnt/models"]), f"{MAIN_PATH}.command[0]"),
        IS: Mistake(custom(command=["python server.py --port 8080"]), f"{SERVER_PATH}.command[0]", (CONFIG,)),
    },
    "variable-reference": {
        MS: Mistake(
            model_service(engine={"env": [{"name": "B", "value": "$(A)"}, {"name": "A", "value": "1"}]}), "spec.engine.env[0]"),
        LLM: Mistake(llm(env=[{"name": "B", "value": "$(NOWHERE)/x"}]), f"{MAIN_PATH}.env[0]"),
        IS: Mistake(custom("--max-model-len=$(LENGTH)"), f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
    "server-argument": {
        IS: Mistake(
            custom("--backend=vLLM-v1", image="example.com/kserve/huggingfaceserver:v0.17.0"), f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
    "server-model": {
        IS: Mistake(custom(image="example.com/kserve/huggingfaceserver:v0.17.0"), "spec.predictor", (CONFIG,)),
    },
    "engine-value": {
        MS: Mistake(model_service(engine={"args": ["--gpu-memory-utilization=90"]}), "spec.engine.args[0]"),
        LLM: Mistake(llm("-q", "--enable-prefix-caching=true", command=VLLM), f"{MAIN_PATH}.args[1]"),
        IS: Mistake(custom("--dtype=fp8"), f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
    "engine-together": {
        MS: Mistake(model_service(engine={"args": ["--lora-modules", "a=b"]}), "spec.engine.args[0]"),
        LLM: Mistake(
            llm("--max-num-seqs=64", "--max-num-batched-tokens=8", command=VLLM), f"{MAIN_PATH}.args[1]"),
        IS: Mistake(custom("--enable-auto-tool-choice"), f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
    "served-name": {
        LLM: Mistake(
            llm("--seed=1", command=VLLM, model={"uri": "hf://acme/chat", "name": "chat"}), f"{MAIN_PATH}.args"),
    },
    "argument-typography": {
        MS: Mistake(model_service(engine={"args": ["\N{EN DASH}\N{EN DASH}max-model-len=1"]}), "spec.engine.args[0]"),
        LLM: Mistake(llm("-q", "\N{EM DASH}max-model-len=1"), f"{MAIN_PATH}.args[1]"),
        IS: Mistake(
            custom("--dtype=\N{LEFT DOUBLE QUOTATION MARK}auto\N{RIGHT DOUBLE QUOTATION MARK}"),
            f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
    "argument-shell": {
        MS: Mistake(model_service(engine={"args": ["--download-dir=~/models"]}), "spec.engine.args[0]"),
        LLM: Mistake(llm("--max-model-len=$(cat /etc/len)"), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(custom("--model=/mnt/models", "2>&1"), f"{SERVER_PATH}.args[1]", (CONFIG,)),
    },
    "argument-quotes": {
        MS: Mistake(model_service(engine={"args": ["--dtype='auto'"]}), "spec.engine.args[0]"),
        LLM: Mistake(llm("--dtype", '"auto"'), f"{MAIN_PATH}.args[1]"),
        IS: Mistake(custom("--dtype=auto \\"), f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
    "argument-empty": {
        MS: Mistake(model_service(engine={"args": ["--enforce-eager=", ""]}), "spec.engine.args[1]"),
        LLM: Mistake(llm("--max-model-len=8192", ""), f"{MAIN_PATH}.args[1]"),
        IS: Mistake(custom("--max-model-len=8192", ""), f"{SERVER_PATH}.args[1]", (CONFIG,)),
    },
    "template-left": {
        MS: Mistake(model_service(engine={"env": [{"name": "A", "value": "{{ token }}"}]}), "spec.engine.env[0].value"),
        IS: Mistake(custom("--max-model-len={{ len | int }}"), f"{SERVER_PATH}.args[0]", (CONFIG,)),
        IG: Mistake(
            inference_graph({"root": {"routerType": "Sequence", "steps": [{"serviceUrl": "http://models.example.com/{{path}}"}]}}),
            "spec.nodes.root.steps[0].serviceUrl", (CONFIG,)),
    },
    "argument-variable": {
        MS: Mistake(model_service(engine={"args": ["--max-model-len=${LEN}"]}), "spec.engine.args[0]"),
        LLM: Mistake(llm("--max-model-len=$LEN"), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(custom("--max-model-len=${LEN}"), f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
    "no-effect": {
        MS: Mistake(annotated(model_service(), "serving.kserve.io/deployMode"), 'metadata.annotations["serving.kserve.io/deployMode"]'),
        LLM: Mistake(annotated(llm(), "serving.kserve.io/deployMode"), 'metadata.annotations["serving.kserve.io/deployMode"]'),
        IS: Mistake(
            custom_with(timeout=30, containerConcurrency=4), "spec.predictor.containerConcurrency", (CONFIG,)),
        IG: Mistake(annotated(graph(), "serving.kserve.io/deployMode"), 'metadata.annotations["serving.kserve.io/deployMode"]', (CONFIG,)),
    },
    "kv-transfer": {
        MS: Mistake(model_service(prefill={}, routingProxy=PROXY), "spec.engine.args"),
        LLM: Mistake(
            split(prefill={"template": {"containers": [{"name": "main", "command": ["vllm", "serve", "/mnt/models"]}]}}),
            "spec.prefill.template.containers[0].args"),
    },
    "kv-role": {
        MS: Mistake(
            model_service(prefill={}, routingProxy=PROXY, engine={"args": [transfer("kv_producer")]}), "spec.engine.args"),
        LLM: Mistake(
            split(template=server(transfer("kv_both")), prefill={"template": server(transfer("kv_consumer"))}),
            "spec.prefill.template.containers[0].args"),
    },
    "kv-connector": {
        MS: Mistake(
            model_service(
                engine={"args": [transfer("kv_both")]}, prefill={}, routingProxy={"connector": "shared-storage"}),
            "spec.routingProxy.connector"),
        LLM: Mistake(
            split(
                template=server(transfer("kv_both")),
                prefill={"template": server(transfer("kv_both", "LMCacheConnectorV1"))}),
            "spec.prefill.template.containers[0].args"),
    },
    "prefill-tensor": {
        MS: Mistake(
            model_service(prefill={"parallelism": {"tensor": 2}}, routingProxy=PROXY), "spec.prefill.parallelism.tensor"),
        LLM: Mistake(
            split(prefill={"parallelism": {"tensor": 2}}), "spec.prefill.parallelism.tensor"),
    },
    "prefill-without-proxy": {
        MS: Mistake(model_service(prefill={}), "spec.prefill"),
        LLM: Mistake(split(router=ROUTE), "spec.prefill.template"),
    },
    "engine-releases": {
        LLM: Mistake(
            split(template=of_image("0.11.0"), prefill={"template": of_image("0.10.0")}), "spec.prefill.template.containers[0].image"),
    },
    "argument-again": {
        LLM: Mistake(llm("serve", "acme/chat"), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(custom("serve", "acme/chat", command=["vllm", "serve"]), f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
    "model-flag": {
        LLM: Mistake(llm("--model=acme/chat"), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(custom("--model=acme/chat", command=VLLM), f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
    "cache-memory": {
        MS: Mistake(
            model_service(
                accelerator={"type": "cpu"},
                engine={"env": [{"name": "VLLM_CPU_KVCACHE_SPACE", "value": "40"}]},
                decode={"resources": {"limits": {"memory": "32Gi"}}}),
            "spec.engine.env[0]"),
        LLM: Mistake(llm("--cpu-offload-gb=40", devices={"memory": "32Gi"}), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(custom("--swap-space=40", devices={"memory": "32Gi"}), f"{SERVER_PATH}.args[0]", (CONFIG,)),
    },
}  # fmt: skip
