# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes, each made in every kind of service that can have it, and where each is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.unit.kinds.inference_graph.build import document as inference_graph
from tests.unit.kinds.inference_service.build import config_map
from tests.unit.kinds.inference_service.build import document as inference_service
from tests.unit.kinds.llm_inference_service.build import document as llm_inference_service
from tests.unit.kinds.model_service.build import document as model_service

from .services import (
    BOTH,
    CLAIM,
    CLAIMS,
    COLLECTOR,
    CONFIG,
    CPU_METRIC,
    EVERYTHING,
    EXTRA,
    GRAPHITE,
    HASTY,
    MAIN_PATH,
    NAMESPACE,
    NODE,
    ONE_GPU,
    OTHER_KEYS,
    PASSWORD,
    PLAIN_KEY,
    PRIORITY,
    PRIORITY_LABEL,
    PROMETHEUS,
    PROXY,
    PULLING_ROUTER,
    QUEUES,
    ROOT,
    ROUTE,
    S3,
    SELECTOR,
    SERVER_PATH,
    SHARED,
    SHARES,
    SLEEPY,
    SLICES,
    SPREAD,
    TOKEN,
    VLLM,
    X86,
    alone,
    annotated,
    apart,
    autoscaler,
    claiming,
    class_of,
    counting,
    custom,
    custom_with,
    diverted,
    from_secret,
    gateway,
    graph,
    grouped,
    hosts,
    hub_server,
    llm,
    model,
    multi_node,
    named,
    of_image,
    of_vendor,
    opaque,
    pooled,
    preset,
    queued,
    role_limits,
    routed,
    runtime,
    runtime_of_group,
    scheduled,
    secret,
    server,
    server_with,
    sklearn,
    split,
    strict,
    transfer,
    volume,
    with_memory,
    with_most,
)

Json = dict[str, Any]
MS, LLM, IS, IG = "ModelService", "LLMInferenceService", "InferenceService", "InferenceGraph"
KINDS = (MS, LLM, IS, IG)


@dataclass(frozen=True)
class Mistake:
    """A service with a mistake. field: where it is told. objects: what is in the cluster. others: services of the same task.

    complete: what is not among the objects is not there. stops: nothing of the service is written, or rendered from the same objects.
    """

    service: Json
    field: str
    objects: tuple[Json, ...] = ()
    others: tuple[Json, ...] = ()
    complete: bool = False
    stops: bool = False


#: Rule → kind → the mistake.
MISTAKES: dict[str, dict[str, Mistake]] = {
    "scaled-to-zero": {
        MS: Mistake(model_service(decode={"replicas": 0}), "spec.decode.replicas"),
        LLM: Mistake(llm(replicas=0), "spec.replicas"),
        IG: Mistake(alone(minReplicas=0), "spec.minReplicas", (CONFIG,)),
    },
    "data-parallel": {
        MS: Mistake(
            model_service(decode={"parallelism": {"data": 4, "dataLocal": 3}}),
            "spec.decode.parallelism.dataLocal",
        ),
        LLM: Mistake(
            llm(parallelism={"data": 4, "dataLocal": 3}, worker={"containers": [{"name": "main"}]}),
            "spec.parallelism.dataLocal",
        ),
    },
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
    "cpu-unit": {
        MS: Mistake(
            model_service(decode={"resources": {"limits": {"cpu": "4Gi"}}}),
            "spec.decode.resources.limits.cpu",
        ),
        LLM: Mistake(llm(devices={"cpu": "4M"}), f"{MAIN_PATH}.resources.limits.cpu"),
        IS: Mistake(
            custom(resources={"limits": {"cpu": "4000"}}),
            f"{SERVER_PATH}.resources.limits.cpu",
            (CONFIG,),
        ),
        IG: Mistake(
            graph(resources={"limits": {"cpu": "4Gi"}}), "spec.resources.limits.cpu", (CONFIG,)
        ),
    },
    "device-unit": {
        MS: Mistake(
            role_limits(**{"nvidia.com/gpu": "80Gi"}),
            'spec.decode.resources.limits["nvidia.com/gpu"]',
        ),
        LLM: Mistake(
            llm(devices={"nvidia.com/gpu": "80Gi"}),
            f'{MAIN_PATH}.resources.limits["nvidia.com/gpu"]',
        ),
        IS: Mistake(
            custom(devices={"amd.com/gpu": "2k"}),
            f'{SERVER_PATH}.resources.limits["amd.com/gpu"]',
            (CONFIG,),
        ),
    },
    "node-label": {
        MS: Mistake(model_service(decode={"nodeSelector": X86}), f"spec.decode.{SELECTOR}"),
        LLM: Mistake(
            llm_inference_service(template={**server(), "nodeSelector": X86}),
            f"spec.template.{SELECTOR}",
        ),
        IS: Mistake(custom_with(nodeSelector=X86), f"spec.predictor.{SELECTOR}", (CONFIG,)),
        IG: Mistake(graph(nodeSelector=X86), f"spec.{SELECTOR}", (CONFIG,)),
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
    "grace-period": {
        LLM: Mistake(
            llm(lifecycle=SLEEPY), f"{MAIN_PATH}.lifecycle.preStop.exec.command"
        ),
        IS: Mistake(
            custom(lifecycle=SLEEPY),
            f"{SERVER_PATH}.lifecycle.preStop.exec.command",
            (CONFIG,),
        ),
    },
    "memory-volume": {
        LLM: Mistake(
            llm_inference_service(template=with_memory("main", "8Gi", "16Gi")),
            "spec.template.volumes[0].emptyDir.sizeLimit",
        ),
        IS: Mistake(
            inference_service(predictor=with_memory("kserve-container", "8Gi", "16Gi")),
            "spec.predictor.volumes[0].emptyDir.sizeLimit",
            (CONFIG,),
        ),
    },
    "file-unmounted": {
        MS: Mistake(
            model_service(engine={"args": ["--chat-template=/config/x.jinja"]}),
            "spec.engine.args[0]",
        ),
        LLM: Mistake(llm("--config", "/etc/vllm/config.yaml"), f"{MAIN_PATH}.args[0]"),
        IS: Mistake(
            custom(env=[{"name": "SSL_CERT_FILE", "value": "/certs/ca.crt"}]),
            f"{SERVER_PATH}.env[0]",
            (CONFIG,),
        ),
    },
    "group-differs": {
        LLM: Mistake(grouped(server("--dtype=half"), server()), "spec.worker.containers[0].args"),
        IS: Mistake(
            multi_node(args=["vllm", "serve", "/mnt/models", "--dtype=half"]),
            "spec.predictor.workerSpec.containers[0].args",
            (CONFIG, runtime_of_group("vllm", "serve", "/mnt/models")),
        ),
    },
    "group-devices": {
        LLM: Mistake(
            grouped(server_with("1"), of_vendor("amd.com/gpu")),
            "spec.worker.containers[0].resources",
        ),
        IS: Mistake(
            multi_node(resources={"limits": {"amd.com/gpu": "1"}}),
            "spec.predictor.workerSpec.containers[0].resources",
            (CONFIG, runtime_of_group()),
        ),
    },
    "memory-unit": {
        MS: Mistake(
            model_service(decode={"resources": {"limits": {"memory": "512m"}}}),
            "spec.decode.resources.limits.memory",
        ),
        LLM: Mistake(llm(devices={"memory": "512m"}), f"{MAIN_PATH}.resources.limits.memory"),
        IS: Mistake(
            custom(resources={"requests": {"memory": "512m"}}),
            f"{SERVER_PATH}.resources.requests.memory",
        ),
        IG: Mistake(graph(resources={"limits": {"memory": "512m"}}), "spec.resources.limits.memory", (CONFIG,)),
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
    "picker-flag": {
        LLM: Mistake(
            llm(router=scheduled("--pool-name=other", "--pool-namespace=team-a")),
            "spec.router.scheduler.template.containers[0].args[0]",
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
    "probe-path": {
        LLM: Mistake(llm(command=VLLM, livenessProbe={"httpGet": {"path": "/healthz", "port": 8000}}), f"{MAIN_PATH}.livenessProbe.httpGet.path"),
        IS: Mistake(
            custom(command=VLLM, readinessProbe={"httpGet": {"path": "/v2/health/ready", "port": 8000}}),
            f"{SERVER_PATH}.readinessProbe.httpGet.path"),
    },
    "command-line": {
        LLM: Mistake(llm(command=["vllm serve /mnt/models"]), f"{MAIN_PATH}.command[0]"),
        IS: Mistake(custom(command=["python server.py --port 8080"]), f"{SERVER_PATH}.command[0]", (CONFIG,)),
    },
    "spread-selector": {
        LLM: Mistake(
            llm_inference_service(template={"topologySpreadConstraints": SPREAD}), "spec.template.topologySpreadConstraints[0]"),
        IS: Mistake(custom_with(topologySpreadConstraints=SPREAD), "spec.predictor.topologySpreadConstraints[0]", (CONFIG,)),
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
    "probe-port": {
        LLM: Mistake(
            llm(readinessProbe={"httpGet": {"port": "web"}}), f"{MAIN_PATH}.readinessProbe.httpGet.port"),
        IS: Mistake(
            custom(ports=[{"containerPort": 5000}], livenessProbe={"tcpSocket": {"port": 8080}}),
            f"{SERVER_PATH}.livenessProbe.tcpSocket.port", (CONFIG,)),
    },
    "probe-scheme": {
        LLM: Mistake(
            llm("--ssl-certfile=/tls/tls.crt", command=VLLM, startupProbe={"httpGet": {"port": 8000}}),
            f"{MAIN_PATH}.args"),
        IS: Mistake(
            custom(livenessProbe={"httpGet": {"port": 8080, "scheme": "HTTPS"}}),
            f"{SERVER_PATH}.livenessProbe.httpGet.scheme", (CONFIG,)),
    },
    "device-name": {
        MS: Mistake(role_limits(**{"nvidia.com/gpus": "1"}), 'spec.decode.resources.limits["nvidia.com/gpus"]'),
        LLM: Mistake(llm(devices={"nvidia.com/gpus": "1"}), f'{MAIN_PATH}.resources.limits["nvidia.com/gpus"]'),
        IS: Mistake(
            custom(devices={"nvida.com/gpu": "1"}), f'{SERVER_PATH}.resources.limits["nvida.com/gpu"]', (CONFIG,)),
        IG: Mistake(
            graph(resources={"limits": {"nvidia.com/gpus": "1"}}), 'spec.resources.limits["nvidia.com/gpus"]', (CONFIG,)),
    },
    "gated-field": {
        LLM: Mistake(
            llm_inference_service(
                template={"containers": [{"name": "main"}]}, parallelism={"data": 2, "dataLocal": 1},
                worker={"containers": [{"name": "main"}], "hostnameOverride": "rank"}),
            "spec.worker.hostnameOverride"),
        IS: Mistake(
            custom_with(securityContext={"seLinuxChangePolicy": "MountOption"}),
            "spec.predictor.securityContext.seLinuxChangePolicy", (CONFIG,)),
    },
    "visible-devices": {
        MS: Mistake(
            model_service(engine={"env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]}), "spec.engine.env[0]"),
        LLM: Mistake(
            llm(devices=ONE_GPU, env=[{"name": "CUDA_VISIBLE_DEVICES", "value": "0,1"}]), f"{MAIN_PATH}.env[0]"),
        IS: Mistake(
            custom(devices=ONE_GPU, env=[{"name": "CUDA_VISIBLE_DEVICES", "value": "1"}]),
            f"{SERVER_PATH}.env[0]", (CONFIG,)),
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
    "host-address": {
        MS: Mistake(model_service(httpRoute={"gatewayRef": {"name": "edge"}, "hostnames": ["10.0.0.5"]}), "spec.httpRoute.hostnames"),
        LLM: Mistake(
            llm(router={"gateway": {}, "route": {"http": {"spec": {**EVERYTHING["route"]["http"]["spec"], "hostnames": ["10.0.0.5"]}}}}),
            "spec.router.route.http.spec"),
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
    "volume-unmounted": {
        LLM: Mistake(
            llm_inference_service(template={"containers": [{"name": "main"}], "volumes": [EXTRA]}), "spec.template.volumes[0]"),
        IS: Mistake(custom_with(volumes=[EXTRA]), "spec.predictor.volumes[0]", (CONFIG,)),
    },
    "engine-arguments": {
        MS: Mistake(model_service(engine={"args": ["--pipeline-parallel-size=2"]}), "spec.decode.resources"),
        LLM: Mistake(llm("--tensor-parallel-size=2", devices={"nvidia.com/gpu": "4"}), f"{MAIN_PATH}.resources"),
        IS: Mistake(custom("-tp", "2", devices=ONE_GPU), f"{SERVER_PATH}.resources", (CONFIG,)),
    },
    "mixed-devices": {
        MS: Mistake(
            model_service(decode={"resources": {"limits": {"nvidia.com/mig-1g.5gb": "1"}}}), "spec.decode.resources"),
        LLM: Mistake(llm(devices=BOTH), f"{MAIN_PATH}.resources"),
        IS: Mistake(custom(devices=BOTH), f"{SERVER_PATH}.resources", (CONFIG,)),
    },
    "shared-devices": {
        MS: Mistake(role_limits(**SHARES), "spec.decode.resources"),
        LLM: Mistake(llm(devices=SHARES), f"{MAIN_PATH}.resources"),
        IS: Mistake(custom(devices=SHARES), f"{SERVER_PATH}.resources", (CONFIG,)),
    },
    "mig-parallel": {
        MS: Mistake(role_limits(**SLICES), "spec.decode.resources"),
        LLM: Mistake(llm(devices=SLICES), f"{MAIN_PATH}.resources"),
        IS: Mistake(custom(devices=SLICES), f"{SERVER_PATH}.resources", (CONFIG,)),
    },
    "shared-memory": {
        MS: Mistake(model_service(decode={"parallelism": {"tensor": 2}}), "spec.decode.parallelism.tensor"),
        LLM: Mistake(llm("-tp", "2"), f"{MAIN_PATH}.args", (preset(command=["vllm", "serve"]),)),
        IS: Mistake(custom("-tp", "2"), f"{SERVER_PATH}.args", (CONFIG,)),
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
    "picker-replicas": {
        MS: Mistake(
            model_service(inferencePool={"endpointPicker": {"replicas": 0}}), "spec.inferencePool.endpointPicker.replicas"),
    },
    "picker-advice": {
        LLM: Mistake(
            llm(router={**ROUTE, "scheduler": {"config": {"inline": {"kind": "Wrong"}}}}), "spec.router.scheduler.config"),
    },
    "picker-later": {
        LLM: Mistake(
            llm(router={**ROUTE, "scheduler": {"config": {"inline": {
                "plugins": [{"type": "by-label", "parameters": {"label": "tier", "validValues": ["fast"]}}]}}}}),
            "spec.router.scheduler.config"),
    },
    "port-taken": {
        MS: Mistake(
            model_service(prefill={}, routingProxy=PROXY, engine={"args": ["--port=8000"]}), "spec.decode"),
        LLM: Mistake(
            llm_inference_service(template={"containers": [
                {"name": "main", "ports": [{"containerPort": 8000}]},
                {"name": "helper", "image": "example.com/helper:1", "ports": [{"containerPort": 8000}]}]}),
            "spec.template.containers[1].ports"),
        IS: Mistake(
            inference_service(predictor={"containers": [
                {"name": "kserve-container", "image": "example.com/vllm:1", "ports": [{"containerPort": 8080}]},
                {"name": "helper", "image": "example.com/helper:1", "ports": [{"containerPort": 8080}]}]}),
            "spec.predictor.containers[1].ports", (CONFIG,)),
    },
    "port-nobody": {
        LLM: Mistake(
            llm_inference_service(template={"containers": [
                {"name": "main", "image": "example.com/vllm:1", "command": ["serve"], "ports": [{"containerPort": 9000}]}]}),
            "spec.template.containers[0].ports", (preset(),)),
    },
    "pool-empty": {
        LLM: Mistake(pooled({"app": "other"}, 8000), "spec.router.scheduler", (preset(ports=[{"containerPort": 8000}]),)),
    },
    "pool-port": {
        LLM: Mistake(
            pooled({"app.kubernetes.io/name": "chat"}, 9000), "spec.router.scheduler", (preset(ports=[{"containerPort": 8000}]),)),
    },
    "cache-scored": {
        MS: Mistake(model_service(engine={"args": ["--no-enable-prefix-caching"]}), "spec.engine.args[0]"),
        LLM: Mistake(llm("--no-enable-prefix-caching", router={**ROUTE, "scheduler": {}}), f"{MAIN_PATH}.args[0]"),
    },
    "load-unseen": {
        MS: Mistake(model_service(engine={"args": ["--disable-log-stats"]}), "spec.engine.args[0]"),
        LLM: Mistake(llm("--disable-log-stats", router={**ROUTE, "scheduler": {}}), f"{MAIN_PATH}.args[0]"),
    },
    "tpu-selector": {
        MS: Mistake(model_service(accelerator={"type": "google"}), "spec.decode.resources"),
        LLM: Mistake(llm(devices={"google.com/tpu": "4"}), f"{MAIN_PATH}.resources"),
        IS: Mistake(custom(devices={"google.com/tpu": "4"}), f"{SERVER_PATH}.resources", (CONFIG,)),
    },
    "devices-missing": {
        LLM: Mistake(split(template=server_with("1"), prefill={"template": server()}), "spec.prefill.template.containers[0].resources"),
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
    "picker-port": {
        LLM: Mistake(
            llm(router={**ROUTE, "scheduler": {"pool": {"spec": {
                "selector": {"matchLabels": {"a": "b"}}, "targetPorts": [{"number": 8000}],
                "endpointPickerRef": {"name": "chat-epp-service", "port": {"number": 9555}}}}}}),
            "spec.router.scheduler"),
    },
    "scale-from-zero": {
        IS: Mistake(
            inference_service(
                predictor={"minReplicas": 0, "autoScaling": {"metrics": [CPU_METRIC]}},
                annotations={"deploymentMode": "Standard", "autoscalerClass": "keda"}),
            "spec.predictor.minReplicas", (CONFIG, sklearn()), stops=True),
    },
    "trigger-address": {
        IS: Mistake(
            inference_service(
                predictor={"minReplicas": 1, "autoScaling": {"metrics": [PROMETHEUS]}},
                annotations={"deploymentMode": "Standard", "autoscalerClass": "keda"}),
            "spec.predictor.autoScaling.metrics", (CONFIG, sklearn())),
    },
    "scale-without-request": {
        IS: Mistake(
            inference_service(predictor={"maxReplicas": 3}, annotations={"deploymentMode": "Standard"}),
            "spec.predictor.model", (CONFIG, sklearn())),
        IG: Mistake(graph(resources={"requests": {"memory": "1Gi"}}, maxReplicas=3), "spec.resources", (CONFIG,)),
    },
    "replicas-scaled": {
        MS: Mistake(model_service(decode={"replicas": 2}), "spec.decode.replicas", (autoscaler("chat-decode"),)),
        LLM: Mistake(llm(replicas=2), "spec.replicas", (autoscaler("chat-kserve"),)),
        IG: Mistake(alone(minReplicas=2), "spec.minReplicas", (CONFIG, autoscaler("chain"))),
    },
    "scaled-twice": {
        IS: Mistake(
            inference_service(predictor={"maxReplicas": 3}, annotations={"deploymentMode": "Standard"}),
            "spec.predictor.minReplicas", (CONFIG, sklearn(), autoscaler("iris-predictor"))),
        IG: Mistake(
            graph(minReplicas=1, maxReplicas=3), "spec.minReplicas", (CONFIG, autoscaler("chain"))),
    },
    "listener-host": {
        MS: Mistake(
            model_service(httpRoute={"gatewayRef": {"name": "edge", "namespace": "infra"}, "hostnames": ["a.example.org"]}),
            "spec.httpRoute.hostnames", (hosts("*.example.com", "edge", "infra"),)),
        LLM: Mistake(
            llm(router={"gateway": {}, "route": {"http": {"spec": {
                **EVERYTHING["route"]["http"]["spec"], "hostnames": ["a.example.org"]}}}}),
            "spec.router.route.http.spec", (hosts("*.example.com", "edge", "infra"),)),
        IS: Mistake(
            custom(), "metadata.name", (CONFIG, hosts("*.example.org", "kserve-ingress-gateway", "kserve"))),
    },
    "model-address": {
        LLM: Mistake(
            llm_inference_service(model={"uri": "hf://acme/chat/chat.gguf"}), "spec.model.uri", stops=True),
        IS: Mistake(
            model(storageUri="s3:///chat"), "spec.predictor.model.storageUri", (CONFIG, runtime()), stops=True),
    },
    "claim-unused": {
        LLM: Mistake(
            llm_inference_service(template={"containers": [{"name": "main"}], "resourceClaims": [CLAIM]}),
            "spec.template.resourceClaims"),
        IS: Mistake(
            inference_service(predictor={**custom()["spec"]["predictor"], "resourceClaims": [CLAIM]}),
            "spec.predictor.resourceClaims", (CONFIG,)),
    },
    "name-missing": {
        MS: Mistake(
            model_service(engine={"env": [from_secret("absent")]}), "spec.engine.env", (NAMESPACE,), complete=True),
        LLM: Mistake(
            llm_inference_service(template={"runtimeClassName": "nvidia", "containers": [{"name": "main"}]}),
            "spec.template.runtimeClassName", (class_of("RuntimeClass", "nvidia-cdi"),), stops=True),
        IS: Mistake(
            inference_service(predictor={**custom()["spec"]["predictor"], "priorityClassName": "high"}),
            "spec.predictor.priorityClassName", (CONFIG, class_of("PriorityClass", "low")), stops=True),
        IG: Mistake(graph(serviceAccountName="router"), "spec.serviceAccountName", (CONFIG, NAMESPACE), complete=True),
    },
    "name-impossible": {
        MS: Mistake(model_service(httpRoute={"gatewayRef": {"name": "infra/edge"}}), "spec.httpRoute.gatewayRef"),
        LLM: Mistake(
            llm(router={**ROUTE, "scheduler": {"pool": {"ref": {"name": "infra/pool"}}}}), "spec.router.scheduler.pool.ref.name"),
        IS: Mistake(
            custom_with(volumes=[{"name": "models", "persistentVolumeClaim": {"claimName": "team-b/models"}}]),
            "spec.predictor.volumes[0].persistentVolumeClaim", (CONFIG,), stops=True),
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
    "claim-request": {
        LLM: Mistake(
            claiming(llm_inference_service(template={"containers": [{"name": "main"}]}), "template"),
            f"{MAIN_PATH}.resources.claims[0].request", (CLAIMS,)),
        IS: Mistake(claiming(custom(), "predictor"), f"{SERVER_PATH}.resources.claims[0].request", (CONFIG, CLAIMS)),
    },
    "model-not-brought": {
        LLM: Mistake(
            llm(command=VLLM, volumeMounts=[{"name": "kserve-provision-location", "mountPath": "/cache"}]),
            f"{MAIN_PATH}.volumeMounts[0]"),
        IS: Mistake(
            diverted(model()), "spec.predictor.model.volumeMounts[0]", (CONFIG, runtime("--model_dir=/mnt/models"))),
    },
    "trigger-parameter": {
        IS: Mistake(
            inference_service(
                predictor={"minReplicas": 1, "autoScaling": {"metrics": [GRAPHITE]}},
                annotations={"deploymentMode": "Standard", "autoscalerClass": "keda"}),
            "spec.predictor.autoScaling.metrics", (CONFIG, sklearn())),
    },
    "group-topology": {
        LLM: Mistake(
            apart(grouped(server(), server())), 'metadata.annotations["leaderworkerset.sigs.k8s.io/exclusive-topology"]', (NODE,)),
    },
    "key-missing": {
        MS: Mistake(
            model_service(engine={"env": [from_secret("token")]}), "spec.engine.env", (secret("token", "other"),), stops=True),
        LLM: Mistake(
            llm_inference_service(template={"containers": [{"name": "main", "env": [from_secret("token")]}]}),
            f"{MAIN_PATH}.env", (secret("token", "other"),), stops=True),
        IS: Mistake(
            custom(env=[from_secret("token")]), f"{SERVER_PATH}.env", (CONFIG, secret("token", "other")), stops=True),
    },
    "quota-demands": {
        MS: Mistake(model_service(), "spec.inferencePool.endpointPicker.resources", (counting("limits.cpu"),), stops=True),
        LLM: Mistake(llm(devices=ONE_GPU), f"{MAIN_PATH}.resources", (counting("limits.memory"),), stops=True),
        IS: Mistake(
            inference_service(annotations={"deploymentMode": "Standard"}), "spec.predictor.model",
            (CONFIG, sklearn(), counting("requests.cpu")), stops=True),
        IG: Mistake(graph(resources={"requests": {"cpu": "1"}}), "spec.resources", (CONFIG, counting("limits.cpu")), stops=True),
    },
    "pod-security": {
        LLM: Mistake(llm(), "spec.template", (strict(),), stops=True),
        IS: Mistake(
            custom(securityContext={"privileged": True}), f"{SERVER_PATH}.securityContext", (CONFIG, strict()), stops=True),
        IG: Mistake(graph(), "router", (CONFIG, strict()), stops=True),
    },
    "queue": {
        LLM: Mistake(queued(llm()), 'metadata.labels["kueue.x-k8s.io/queue-name"]', QUEUES),
        IS: Mistake(queued(custom()), 'metadata.labels["kueue.x-k8s.io/queue-name"]', (CONFIG, *QUEUES)),
        IG: Mistake(queued(graph()), 'metadata.labels["kueue.x-k8s.io/queue-name"]', (CONFIG, *QUEUES)),
    },
    "queue-priority": {
        LLM: Mistake(queued(llm(), priority_class="high"), PRIORITY_LABEL, (*QUEUES, PRIORITY)),
        IS: Mistake(queued(custom(), priority_class="high"), PRIORITY_LABEL, (CONFIG, *QUEUES, PRIORITY)),
        IG: Mistake(queued(graph(), priority_class="high"), PRIORITY_LABEL, (CONFIG, *QUEUES, PRIORITY)),
    },
    "claim-lost": {
        LLM: Mistake(llm(model={"uri": "pvc://models/chat"}), "spec.model.uri", (volume("Lost", "ReadOnlyMany"),), stops=True),
        IS: Mistake(
            model(storageUri="pvc://models/chat"), "spec.predictor.model.storageUri", (CONFIG, runtime(), volume("Lost", "ReadOnlyMany")), stops=True),
    },
    "claim-shared": {
        LLM: Mistake(
            llm(model={"uri": "pvc://models/chat"}, replicas=2), "spec.model.uri", (volume("Bound", "ReadWriteOncePod"),)),
        IS: Mistake(
            with_most(model(storageUri="pvc://models/chat"), 3), "spec.predictor.model.storageUri",
            (CONFIG, runtime(), volume("Bound", "ReadWriteOnce"))),
    },
    "pull-secret-type": {
        IG: Mistake(
            graph(), "router.imagePullSecrets", (config_map(router=PULLING_ROUTER), opaque("registry"))),
        LLM: Mistake(
            llm_inference_service(template={"containers": [{"name": "main"}], "imagePullSecrets": [{"name": "registry"}]}),
            "spec.template.imagePullSecrets[0]", (opaque("registry"),)),
        IS: Mistake(
            custom_with(imagePullSecrets=[{"name": "registry"}]), "spec.predictor.imagePullSecrets[0]", (CONFIG, opaque("registry"))),
    },
    "root-refused": {
        LLM: Mistake(llm(securityContext=ROOT), f"{MAIN_PATH}.securityContext.runAsUser", stops=True),
        IS: Mistake(custom(securityContext=ROOT), f"{SERVER_PATH}.securityContext.runAsUser", (CONFIG,), stops=True),
    },
    "medium-unknown": {
        LLM: Mistake(
            llm_inference_service(template={"containers": [{"name": "main"}], "volumes": SHARED}),
            "spec.template.volumes[0].emptyDir.medium", stops=True),
        IS: Mistake(custom_with(volumes=SHARED), "spec.predictor.volumes[0].emptyDir.medium", (CONFIG,), stops=True),
    },
    "probe-impatient": {
        LLM: Mistake(
            llm(devices=ONE_GPU, startupProbe=HASTY), f"{MAIN_PATH}.startupProbe"),
        IS: Mistake(custom(devices=ONE_GPU, startupProbe=HASTY), f"{SERVER_PATH}.startupProbe", (CONFIG,)),
    },
    "listener-missing": {
        LLM: Mistake(
            llm(router={"gateway": {}, "route": {"http": {"spec": {
                **EVERYTHING["route"]["http"]["spec"],
                "parentRefs": [{"name": "edge", "namespace": "infra", "sectionName": "https"}]}}}}),
            "spec.router.route.http.spec.parentRefs[0]", (gateway("edge", "infra"),)),
    },
    "gateway-class": {
        MS: Mistake(
            model_service(httpRoute={"gatewayRef": {"name": "edge", "namespace": "infra"}}),
            "spec.httpRoute.gatewayRef", (gateway("edge", "infra"), class_of("GatewayClass", "other"))),
        LLM: Mistake(
            llm(router=EVERYTHING), "spec.router.route.http.spec.parentRefs[0]",
            (gateway("edge", "infra"), class_of("GatewayClass", "other"))),
        IS: Mistake(
            custom(), "", (CONFIG, gateway("kserve-ingress-gateway", "kserve"), class_of("GatewayClass", "other"))),
    },
    "reference-grant": {
        LLM: Mistake(
            routed({"name": "other", "namespace": "team-b", "port": 80}), "spec.router.route.http.spec", complete=True),
    },
    "backend-group": {
        LLM: Mistake(
            routed({"group": "core", "name": "chat-kserve-workload-svc", "port": 8000}), "spec.router.route.http.spec"),
    },
    "backend-weights": {
        LLM: Mistake(
            routed({"name": "chat-kserve-workload-svc", "port": 8000, "weight": 0}),
            "spec.router.route.http.spec.rules[0].backendRefs"),
    },
    "backend-missing": {
        LLM: Mistake(routed({"name": "chat-kserve-workload-svr", "port": 8000}), "spec.router.route.http.spec"),
    },
    "istio-pool-name": {
        MS: Mistake(model_service("qwen-0.6b"), "metadata.name"),
    },
    "gateway-missing": {
        MS: Mistake(model_service(), "spec.httpRoute", complete=True),
        IS: Mistake(custom(), "", (CONFIG,), complete=True),
    },
    "gateway-admits": {
        MS: Mistake(model_service(), "spec.httpRoute", (gateway("llm-d-infra-inference-gateway", "llm-d"),)),
        LLM: Mistake(llm(router=ROUTE), "spec.router.gateway", (gateway("kserve-ingress-gateway", "kserve"),)),
        IS: Mistake(custom(), "", (CONFIG, gateway("kserve-ingress-gateway", "kserve"))),
    },
    "fetch-credentials": {
        LLM: Mistake(
            llm_inference_service(template={"containers": [{"name": "main", "env": TOKEN}]}), f"{MAIN_PATH}.env"),
        IS: Mistake(model(env=TOKEN), "spec.predictor.model.env", (CONFIG, runtime())),
    },
    "secret-without-keys": {
        LLM: Mistake(llm(model={"uri": "s3://b/m"}), "spec.template", OTHER_KEYS),
        IS: Mistake(model(storageUri="s3://b/m"), "spec.predictor", (CONFIG, runtime(), *OTHER_KEYS)),
    },
    "secret-entry": {
        LLM: Mistake(llm(model={"uri": "s3://b/m"}), "spec.template", S3),
        IS: Mistake(model(storageUri="s3://b/m"), "spec.predictor", (CONFIG, runtime(), *S3)),
    },
    "route-collision": {
        MS: Mistake(model_service(), "spec.httpRoute", others=(named(model_service(), "chat", "team-b"),)),
        LLM: Mistake(
            llm(router=EVERYTHING), "spec.router.route.http.spec", others=(named(llm(router=EVERYTHING), "chat", "team-b"),)),
        IS: Mistake(
            named(custom(), "a-b", "c"), "metadata.name", (CONFIG,), (named(custom(), "a", "b-c"),)),
    },
    "borrowed": {
        LLM: Mistake(
            llm(router={"scheduler": {"pool": {"ref": {"name": "other-inference-pool"}}}}),
            "spec.router.scheduler.pool.ref.name",
            others=(named(llm(router={**ROUTE, "scheduler": {}}), "other", "team-a"),)),
    },
}  # fmt: skip

#: Rule and kind → why that kind cannot make the mistake, or is told in another way.
EXEMPT: dict[tuple[str, str], str] = {
    ("scaled-to-zero", IS): "keeps at least one pod, or an autoscaler starts the first",
    ("data-parallel", IS): "says nothing of copies",
    ("group-differs", MS): "has no groups of pods",
    ("grace-period", MS): "its pods end as the settings say",
    ("memory-volume", MS): "has no volumes of its author's",
    ("group-devices", MS): "has no groups of pods",
    ("engine-beside", MS): "has no containers of its author's",
    ("picker-flag", MS): "its picker's arguments are the operator's own",
    ("picker-flag", IS): "has no picker",
    ("argument-script", MS): "has no command of its author's",
    ("command-replaced", MS): "has no command of its author's",
    ("probe-path", MS): "its probes are the operator's own",
    (
        "gated-field",
        MS,
    ): "its pods have no fields of their author's but a few that every API server knows",
    ("served-name", MS): "the operator passes the name to the engine",
    ("served-name", IS): "says no name for its model but that of its server",
    ("probe-port", MS): "its probes are the operator's own",
    ("probe-scheme", MS): "its probes are the operator's own",
    ("kv-transfer", IS): "has no prefill pods",
    ("pod-security", MS): "its pods are as strict as the strictest level",
    ("claim-lost", MS): "mounts no claim",
    ("queue", MS): "its labels do not reach its pods",
    ("queue-priority", MS): "its labels do not reach its pods",
    ("volume-unmounted", MS): "has no volumes of its author's",
    ("claim-shared", MS): "mounts no claim",
    ("pull-secret-type", MS): "is told as an entry that the Secret does not have",
    ("root-refused", MS): "its pods are as strict as the strictest level",
    ("medium-unknown", MS): "has no volumes of its author's",
    ("probe-impatient", MS): "its probes are the operator's own",
    ("listener-missing", MS): "names no listener",
    ("listener-missing", IS): "names no listener",
    ("reference-grant", MS): "its routes lead to what it makes",
    ("reference-grant", IS): "its routes lead to what it makes",
    ("backend-group", MS): "its routes lead to what it makes",
    ("backend-group", IS): "its routes lead to what it makes",
    ("backend-weights", MS): "its routes have one backend",
    ("backend-weights", IS): "its routes have one backend",
    ("backend-missing", MS): "its routes lead to what it makes",
    ("backend-missing", IS): "its routes lead to what it makes",
    ("kv-role", IS): "has no prefill pods",
    ("kv-connector", IS): "has no prefill pods",
    ("port-nobody", MS): "no Service stands in front of its engines",
    ("port-nobody", IS): "its Services follow the ports of its containers",
    ("pool-empty", MS): "selector and ports of its pool are the operator's own",
    ("pool-empty", IS): "has no pool",
    ("pool-port", MS): "selector and ports of its pool are the operator's own",
    ("pool-port", IS): "has no pool",
    ("cache-scored", IS): "has no picker",
    ("load-unseen", IS): "has no picker",
    ("host-address", IS): "KServe makes its host names",
    ("template-left", LLM): "KServe fills in templates itself, and refuses what it does not know",
    ("devices-missing", MS): "one field gives devices to all its engines",
    ("devices-missing", IS): "KServe gives devices to head and workers",
    ("engine-releases", MS): "all its engines have the same image",
    ("engine-releases", IS): "head and workers have the image of their runtime",
    ("argument-again", MS): "the operator's command begins otherwise",
    ("command-line", MS): "the command is the operator's own",
    ("spread-selector", MS): "its pods have no constraints",
    ("server-argument", MS): "its pods run vLLM",
    ("server-argument", LLM): "its pods run vLLM",
    ("server-model", MS): "its pods run vLLM",
    ("server-model", LLM): "its pods run vLLM",
    ("model-flag", MS): "is told as an argument that contradicts a field",
    ("secret-without-keys", MS): "its model comes from a registry, with pull secrets",
    ("picker-port", MS): "port and Service of its picker are the operator's own",
    ("picker-port", IS): "has no picker",
    ("scale-from-zero", MS): "has no autoscaler",
    ("scale-from-zero", LLM): "scales by a metric that is there without pods",
    ("scale-without-request", MS): "has no autoscaler",
    ("scale-fallback", MS): "has no autoscaler",
    ("scale-fallback", LLM): "has none in 0.17; tests/parity/reports has rows of later releases",
    ("scale-fallback", IS): "KServe gives its ScaledObjects no fallback",
    ("trigger-address", MS): "has no autoscaler",
    ("trigger-address", LLM): "measures at the address of KServe's configuration",
    ("scale-without-request", LLM): "scales by a metric of llm-d",
    ("scaled-twice", MS): "has no autoscaler",
    ("scaled-twice", LLM): "has none in 0.17; tests/parity/reports has rows of later releases",
    ("replicas-scaled", IS): "leaves the number to its autoscaler, or is told to by the class",
    ("model-address", MS): "its model comes from a registry, with pull secrets",
    ("name-impossible", IG): "names nothing but an account, whose name the API judges",
    ("claim-request", MS): "its pods cannot have claims, which is told as resource-claims",
    ("model-not-brought", MS): "has no volumes of its author's",
    ("group-topology", MS): "has no groups of pods",
    ("group-topology", IS): "its groups are Deployments",
    **dict.fromkeys(
        [(f"trigger-{what}", LLM) for what in ("type", "parameter", "metric-type")],
        "has none in 0.17; tests/parity/reports has rows of later releases",
    ),
    ("trigger-type", IS): "its fields name the triggers, and the schema has them all",
    ("trigger-metric-type", IS): "KServe's webhook compares type and target",
    **dict.fromkeys(
        [(f"trigger-{what}", MS) for what in ("type", "parameter", "metric-type")],
        "is scaled by somebody else",
    ),
    ("claim-unused", MS): "its pods cannot have claims, which is told as resource-claims",
    ("prefill-tensor", IS): "has no prefill pods",
    ("prefill-without-proxy", IS): "has no prefill pods",
    ("picker-replicas", LLM): "KServe's webhook refuses a picker without pods",
    ("picker-replicas", IS): "has no picker",
    ("picker-advice", MS): "its picker's configuration is the operator's own",
    ("picker-advice", IS): "has no picker",
    ("picker-later", MS): "its picker's configuration is the operator's own",
    ("picker-later", IS): "has no picker",
    ("istio-pool-name", LLM): "KServe's webhook takes DNS labels only",
    ("istio-pool-name", IS): "has no pool",
    ("gateway-missing", LLM): "router-reference says it in the controller's words",
    ("fetch-credentials", MS): "its model comes from a registry, with pull secrets",
    ("secret-entry", MS): "its model comes from a registry, with pull secrets",
    ("borrowed", MS): "names no pool and no route of others",
    ("borrowed", IS): "names no pool and no route of others",
}

#: Of graphs, by why: their pods run KServe's router and nothing else.
_OF_GRAPHS: dict[str, tuple[str, ...]] = {
    "its router is no engine, and its command line is KServe's own": (
        *("argument-blank", "argument-computed", "argument-twice", "argument-typography", "argument-variable", "argument-quotes"),
        *("argument-shell", "argument-empty"),
        *("engine-arguments", "engine-beside", "engine-flag", "engine-release", "engine-variable", "data-parallel"),
        *("engine-other", "argument-script", "picker-flag", "engine-value", "engine-together", "engine-releases", "served-name"),
        *("command-line", "spread-selector", "command-replaced", "probe-path"),
        *("variable-reference", "server-argument", "server-model", "argument-again", "model-flag", "probe-port", "probe-scheme"),
        *("visible-devices", "probe-impatient", "engine-unreached", "file-unmounted", "cache-memory"),
    ),
    "has no groups of pods": ("group-differs", "group-devices", "group-topology"),
    "its router asks for no devices of its own": (
        *("mixed-devices", "shared-devices", "mig-parallel", "claim-unused", "shared-memory", "devices-missing", "tpu-selector", "device-unit"),
        "claim-request",
    ),
    "its pods have no fields of their author's but a few that every API server knows": (
        *("gated-field", "volume-unmounted", "root-refused", "medium-unknown"),
        *("grace-period", "memory-volume"),
    ),
    "has no prefill pods": (
        *("prefill-without-proxy", "prefill-tensor", "kv-transfer", "kv-role", "kv-connector"),
    ),
    "has no picker": (
        *("picker-replicas", "picker-advice", "picker-later", "picker-port", "pool-empty", "pool-port", "cache-scored", "load-unseen", "istio-pool-name"),
    ),
    "has one container, whose port is KServe's own": ("port-taken", "port-nobody"),
    "KServe makes no route for it": (
        *("gateway-missing", "gateway-admits", "gateway-class", "listener-host", "listener-missing", "host-address"),
        *("reference-grant", "backend-group", "backend-weights", "backend-missing", "route-collision", "borrowed"),
    ),
    "an HPA keeps at least one router": ("scale-from-zero",),
    "has no triggers": (
        *("trigger-address", "trigger-type", "trigger-parameter", "trigger-metric-type", "scale-fallback"),
    ),
    "fetches no model": (
        "model-not-brought",
        *("fetch-credentials", "secret-entry", "secret-without-keys", "model-address"),
    ),
    "names no Secret but for pulling its image": ("key-missing",),
    "mounts no claim": ("claim-lost", "claim-shared"),
}  # fmt: skip
EXEMPT |= {(rule, IG): why for why, rules in _OF_GRAPHS.items() for rule in rules}
