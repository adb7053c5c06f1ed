# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes in pods and in what they ask of a cluster: devices, amounts, volumes, names, credentials, probes, quotas."""

from __future__ import annotations

from tests.unit.checks.services import (
    BOTH,
    CLAIM,
    EXTRA,
    HASTY,
    MAIN_PATH,
    ONE_GPU,
    OTHER_KEYS,
    PRIORITY_LABEL,
    PULLING_ROUTER,
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
    apart,
    claiming,
    custom,
    custom_with,
    diverted,
    from_secret,
    graph,
    grouped,
    llm,
    model,
    multi_node,
    of_vendor,
    preset,
    queued,
    role_limits,
    runtime,
    runtime_of_group,
    server,
    server_with,
    sklearn,
    split,
    with_memory,
    with_most,
)
from tests.unit.checks.surroundings import (
    CLAIMS,
    CONFIG,
    FLAT_CLAIMS,
    NAMESPACE,
    NODE,
    PRIORITY,
    QUEUES,
    class_of,
    counting,
    opaque,
    secret,
    strict,
    volume,
)
from tests.unit.kinds.inference_service.build import config_map
from tests.unit.kinds.inference_service.build import document as inference_service
from tests.unit.kinds.llm_inference_service.build import document as llm_inference_service
from tests.unit.kinds.model_service.build import document as model_service

from .mistake import IG, IS, LLM, MS, Mistake

#: The claim of one object, which all pods name.
ONE_CLAIM = {"name": "gpu", "resourceClaimName": "one"}
#: Rule → kind → the mistake.
PODS: dict[str, dict[str, Mistake]] = {
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
    "probe-path": {
        LLM: Mistake(llm(command=VLLM, livenessProbe={"httpGet": {"path": "/healthz", "port": 8000}}), f"{MAIN_PATH}.livenessProbe.httpGet.path"),
        IS: Mistake(
            custom(command=VLLM, readinessProbe={"httpGet": {"path": "/v2/health/ready", "port": 8000}}),
            f"{SERVER_PATH}.readinessProbe.httpGet.path"),
    },
    "spread-selector": {
        LLM: Mistake(
            llm_inference_service(template={"topologySpreadConstraints": SPREAD}), "spec.template.topologySpreadConstraints[0]"),
        IS: Mistake(custom_with(topologySpreadConstraints=SPREAD), "spec.predictor.topologySpreadConstraints[0]", (CONFIG,)),
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
    "tpu-selector": {
        MS: Mistake(model_service(accelerator={"type": "google"}), "spec.decode.resources"),
        LLM: Mistake(llm(devices={"google.com/tpu": "4"}), f"{MAIN_PATH}.resources"),
        IS: Mistake(custom(devices={"google.com/tpu": "4"}), f"{SERVER_PATH}.resources", (CONFIG,)),
    },
    "devices-missing": {
        LLM: Mistake(split(template=server_with("1"), prefill={"template": server()}), "spec.prefill.template.containers[0].resources"),
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
    "claim-of-several": {
        LLM: Mistake(
            llm_inference_service(replicas=3, template={"resourceClaims": [ONE_CLAIM], "containers": [{"name": "main"}]}),
            "spec.template.resourceClaims[0].resourceClaimName"),
        IS: Mistake(
            {**custom(), "spec": {"predictor": {**custom()["spec"]["predictor"], "minReplicas": 2, "resourceClaims": [ONE_CLAIM]}},
             "metadata": {**custom()["metadata"], "annotations": {
                 "serving.kserve.io/deploymentMode": "Standard", "serving.kserve.io/autoscalerClass": "none"}}},
            "spec.predictor.resourceClaims[0].resourceClaimName", (CONFIG,)),
    },
    "claim-request": {
        LLM: Mistake(
            claiming(llm_inference_service(template={"containers": [{"name": "main"}]}), "template"),
            f"{MAIN_PATH}.resources.claims[0].request", (CLAIMS,)),
        IS: Mistake(claiming(custom(), "predictor"), f"{SERVER_PATH}.resources.claims[0].request", (CONFIG, CLAIMS)),
    },
    "claim-form": {
        LLM: Mistake(
            claiming(llm_inference_service(template={"containers": [{"name": "main"}]}), "template"),
            "spec.template.resourceClaims[0]", (FLAT_CLAIMS,)),
        IS: Mistake(claiming(custom(), "predictor"), "spec.predictor.resourceClaims[0]", (CONFIG, FLAT_CLAIMS)),
    },
    "model-not-brought": {
        LLM: Mistake(
            llm(command=VLLM, volumeMounts=[{"name": "kserve-provision-location", "mountPath": "/cache"}]),
            f"{MAIN_PATH}.volumeMounts[0]"),
        IS: Mistake(
            diverted(model()), "spec.predictor.model.volumeMounts[0]", (CONFIG, runtime("--model_dir=/mnt/models"))),
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
    "working-dir": {
        LLM: Mistake(llm(workingDir="models"), f"{MAIN_PATH}.workingDir", stops=True),
        IS: Mistake(custom(workingDir="models"), f"{SERVER_PATH}.workingDir", (CONFIG,), stops=True),
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
}  # fmt: skip
