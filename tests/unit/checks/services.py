# SPDX-License-Identifier: GPL-3.0-or-later
"""Services of every kind for tests of checks, and what is around them in a cluster."""

from __future__ import annotations

from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kube.pod_schema import CONTAINER
from tests.unit.kinds.inference_graph.build import document as inference_graph
from tests.unit.kinds.inference_service.build import document as inference_service
from tests.unit.kinds.llm_inference_service.build import document as llm_inference_service
from tests.unit.kinds.model_service.build import document as model_service

Json = dict[str, Any]
#: What makes a container's engine SGLang.
SGLANG = {"image": "lmsysorg/sglang:v0.5.3", "command": ["python3", "-m", "sglang.launch_server"]}


def preset(**container: Any) -> Json:
    """Return the preset of single pods, as a cluster may have it."""
    main = {"name": "main", "image": "example.com/vllm:1", **container}
    return {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceServiceConfig",
        "metadata": {"name": "kserve-config-llm-template", "namespace": "kserve"},
        "spec": {"template": {"containers": [main]}},
    }


def runtime(*args: str) -> Json:
    """Return a runtime whose server has arguments."""
    server = {"name": "kserve-container", "image": "example.com/server:1", "args": list(args)}
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ClusterServingRuntime",
        "metadata": {"name": "own"},
        "spec": {
            "supportedModelFormats": [{"name": "huggingface", "autoSelect": True}],
            "containers": [server],
        },
    }


def hub_server() -> Json:
    """Return a runtime of KServe's huggingfaceserver, which the image starts by itself."""
    found = runtime("--model_name=iris")
    found["spec"]["containers"][0]["image"] = "kserve/huggingfaceserver:v0.17.0"
    return found


def sklearn() -> Json:
    """Return a runtime whose server requests nothing."""
    found = runtime()
    found["spec"]["supportedModelFormats"] = [{"name": "sklearn", "autoSelect": True}]
    return found


def server(*args: str) -> Json:
    """Return the template of an LLMInferenceService's pods whose server is started with arguments."""
    command = ["vllm", "serve", "/mnt/models"]
    return {"containers": [{"name": "main", "command": command, "args": list(args)}]}


def server_with(devices: str) -> Json:
    """Return the same with devices."""
    found = server()
    found["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": devices}}
    return found


def of_image(release: str) -> Json:
    """Return the same of a release of vLLM."""
    found = server()
    found["containers"][0]["image"] = f"example.com/vllm:{release}"
    return found


def llm(
    *args: str, devices: Json | None = None, image: str = "", env: Any = None, **fields: Any
) -> Json:
    """Return an LLMInferenceService whose server has arguments and devices, an image and variables, and fields of the container or the spec."""
    own = {name: fields.pop(name) for name in list(fields) if name in CONTAINER.fields}
    main: Json = {"name": "main", **({"image": image} if image else {}), **own}
    if env:
        main["env"] = env
    if args:
        main["args"] = list(args)
    if devices:
        main["resources"] = {"limits": devices}
    return llm_inference_service(template={"containers": [main]}, **fields)


def custom(*args: str, devices: Json | None = None, **container: Any) -> Json:
    """Return an InferenceService with a server of its own."""
    server: Json = {"name": "kserve-container", "image": "example.com/vllm:1", **container}
    if args:
        server["args"] = list(args)
    if devices:
        server["resources"] = {"limits": devices}
    return inference_service(predictor={"containers": [server]})


def model(*args: str, **fields: Any) -> Json:
    """Return an InferenceService with a model in a bucket."""
    given = {"modelFormat": {"name": "huggingface"}, "storageUri": "hf://acme/chat", **fields}
    return inference_service(
        predictor={"model": {**given, **({"args": list(args)} if args else {})}}
    )


def custom_with(**fields: Any) -> Json:
    """Return an InferenceService with a server of its own and fields of its component."""
    service = custom()
    service["spec"]["predictor"] |= fields
    return service


def annotated(document: Json, *names: str) -> Json:
    """Return a service with annotations."""
    metadata = {**document["metadata"], "annotations": dict.fromkeys(names, "true")}
    return {**document, "metadata": metadata}


def split(**spec: Any) -> Json:
    """Return an LLMInferenceService with prefill pods and a picker."""
    router = {"route": {}, "gateway": {}, "scheduler": {}}
    return llm_inference_service(**{"router": router, "prefill": {"replicas": 1}, **spec})


def named(document: Json, name: str, namespace: str) -> Json:
    """Return a service under another name."""
    return {**document, "metadata": {**document["metadata"], "name": name, "namespace": namespace}}


def transfer(role: str, connector: str = "NixlConnector") -> str:
    """Return the flag with which an engine hands its cache over."""
    return f'--kv-transfer-config={{"kv_connector":"{connector}","kv_role":"{role}"}}'


def from_secret(name: str) -> Json:
    """Return a variable from a Secret."""
    return {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": name, "key": "token"}}}


def with_most(service: Json, most: int) -> Json:
    """Return an InferenceService of which an autoscaler may make several pods."""
    service["spec"]["predictor"]["maxReplicas"] = most
    return service


def queued(document: Json, **more: str) -> Json:
    """Return a service whose pods a queue has to let in. more: other labels of Kueue's."""
    names = {
        "queue-name": "team",
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    labels = {f"kueue.x-k8s.io/{name}": value for name, value in names.items()}
    return {**document, "metadata": {**document["metadata"], "labels": labels}}


PRIORITY_LABEL = 'metadata.labels["kueue.x-k8s.io/priority-class"]'


def graph(**fields: Any) -> Json:
    """Return a graph that leads out of the cluster."""
    step = {"serviceUrl": "http://models.example.com/predict"}
    return inference_graph({"root": {"routerType": "Sequence", "steps": [step]}}, **fields)


def alone(**fields: Any) -> Json:
    """Return a graph that nobody scales."""
    return graph(annotations={"autoscalerClass": "none"}, **fields)


def routed(backend: Json) -> Json:
    """Return an LLMInferenceService whose route of its own sends requests somewhere."""
    spec = EVERYTHING["route"]["http"]["spec"]
    rules = [{**spec["rules"][0], "backendRefs": [backend]}]
    return llm(router={"route": {"http": {"spec": {**spec, "rules": rules}}}})


def scheduled(*args: str) -> Json:
    """Return the router of an LLMInferenceService whose picker has arguments of its author's."""
    picker = {"containers": [{"name": "main", "args": list(args)}]}
    return {"route": {}, "gateway": {}, "scheduler": {"template": picker}}


VLLM = ["vllm", "serve", "/mnt/models"]
ROOT = {"runAsNonRoot": True, "runAsUser": 0}
PULLING_ROUTER = {
    "image": "example.com/router:1",
    "imagePullSecrets": ["registry"],
    **dict.fromkeys(("memoryRequest", "memoryLimit"), "1Gi"),
    **dict.fromkeys(("cpuRequest", "cpuLimit"), "1"),
}
SHARED = [{"name": "shared", "emptyDir": {"medium": "memory"}}]
HASTY = {"httpGet": {"path": "/health", "port": 8000}, "failureThreshold": 3, "periodSeconds": 10}
ONE_GPU = {"nvidia.com/gpu": "1"}
SLICES = {"nvidia.com/mig-1g.5gb": "2"}
SHARES = {"nvidia.com/gpu.shared": "2"}
BOTH = {"nvidia.com/gpu": "1", "nvidia.com/mig-1g.5gb": "1"}
CLAIM = {"name": "gpu", "resourceClaimTemplateName": "one-gpu"}
CPU_METRIC = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}},
}
#: A metric of a server that is named without a scheme.
PROMETHEUS = {
    "type": "External",
    "external": {
        "metric": {"backend": "prometheus", "serverAddress": "prometheus:9090", "query": "up"},
        "target": {"type": "Value", "value": "5"},
    },
}
#: A metric of a server for which KServe does not write all that KEDA wants.
GRAPHITE = {
    "type": "External",
    "external": {
        "metric": {
            "backend": "graphite",
            "serverAddress": "http://graphite.monitoring",
            "query": "up",
        },
        "target": {"type": "Value", "value": "5"},
    },
}
PROXY = {"secureProxy": False}
CPU = {"type": "cpu"}
PASSWORD = [{"name": "OPENAI_API_KEY", "value": "sk-not-one-at-all"}]
TOKEN = [{"name": "HF_TOKEN", "value": "x"}]
SERVER_PATH = "spec.predictor.containers[0]"
MAIN_PATH = "spec.template.containers[0]"
EXTRA = {"name": "extra", "emptyDir": {}}
ROUTE = {"route": {}, "gateway": {}}
#: A route that takes every request at a path.
EVERYTHING = {
    "gateway": {},
    "route": {
        "http": {
            "spec": {
                "parentRefs": [{"name": "edge", "namespace": "infra"}],
                "rules": [{"matches": [{"path": {"type": "PathPrefix", "value": "/v1"}}]}],
            }
        }
    },
}
#: An account with a Secret, of which one entry is read by nobody.
S3 = (
    {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": "team-a"},
        "secrets": [{"name": "s3"}],
    },
    {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s3", "namespace": "team-a"},
        "stringData": {
            "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": "b",
            "AWS_SESSION_TOKEN": "c",
        },
    },
)


def role_limits(**limits: str) -> Json:
    """Return a ModelService without devices of its own that asks for some by hand."""
    return model_service(accelerator=CPU, decode={"resources": {"limits": limits}})


#: An account with a Secret whose entries KServe does not read.
SPREAD = [
    {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "somebody-else"}},
    }
]
OTHER_KEYS = (
    S3[0],
    {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s3", "namespace": "team-a"},
        "stringData": {"accessKey": "a", "secretKey": "b"},
    },
)


def pooled(labels: Json, number: int) -> Json:
    """Return an LLMInferenceService with a pool of its author's."""
    spec = {
        "selector": {"matchLabels": labels},
        "targetPorts": [{"number": number}],
        "endpointPickerRef": {"name": "chat-epp-service", "port": {"number": 9002}},
    }
    return llm(router={**ROUTE, "scheduler": {"pool": {"spec": spec}}})


def grouped(leader: Json, worker: Json) -> Json:
    """Return an LLMInferenceService with a group of pods that hold two copies of the model."""
    sizes = {"data": 2, "dataLocal": 1}
    return llm_inference_service(template=leader, worker=worker, parallelism=sizes)


def of_vendor(device: str) -> Json:
    """Return the pods of a server with one device."""
    found = server()
    found["containers"][0]["resources"] = {"limits": {device: "1"}}
    return found


def multi_node(**worker: Any) -> Json:
    """Return an InferenceService over two nodes. worker: fields of its worker's container."""
    container = {"name": "worker-container", **worker}
    service = model(storageUri="pvc://models/chat")
    service["metadata"]["annotations"]["serving.kserve.io/autoscalerClass"] = "none"
    service["spec"]["predictor"]["workerSpec"] = {"containers": [container]}
    return service


def runtime_of_group(*args: str) -> Json:
    """Return a runtime for two nodes whose head has arguments."""
    found = runtime(*args)
    worker = {"name": "worker-container", "image": "example.com/server:1"}
    sizes = {"pipelineParallelSize": 2, "tensorParallelSize": 1}
    found["spec"]["workerSpec"] = {**sizes, "containers": [worker]}
    return found


def with_memory(name: str, limit: str, size: str) -> Json:
    """Return a pod with a volume in memory, and a limit of memory."""
    container = {
        "name": name,
        "image": "example.com/vllm:1",
        "resources": {"limits": {"memory": limit}},
        "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],
    }
    volume = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": size}}
    return {"containers": [container], "volumes": [volume]}


SLEEPY = {"preStop": {"exec": {"command": ["sh", "-c", "sleep 120"]}}}
X86 = {"kubernetes.io/arch": "x86_64"}
SELECTOR = 'nodeSelector["kubernetes.io/arch"]'
PLAIN_KEY = "token-abc-123"
COLLECTOR = "http://localhost:4317"


def claiming(document: Json, part: str) -> Json:
    """Return a service whose container asks for a request that its claim of a device does not have."""
    pod = document["spec"][part]
    pod["resourceClaims"] = [CLAIM]
    pod["containers"][0]["resources"] = {"claims": [{"name": "gpu", "request": "other"}]}
    return document


def diverted(document: Json) -> Json:
    """Return an InferenceService that mounts KServe's volume of the model elsewhere."""
    name = "kserve-provision-location"
    predictor = document["spec"]["predictor"]
    predictor["volumes"] = [{"name": name, "emptyDir": {}}]
    predictor["model"]["volumeMounts"] = [{"name": name, "mountPath": "/cache"}]
    return document


def apart(document: Json) -> Json:
    """Return a service whose groups of pods are kept apart by a label that no node has."""
    found = annotated(document, "leaderworkerset.sigs.k8s.io/exclusive-topology")
    annotation = found["metadata"]["annotations"]
    annotation["leaderworkerset.sigs.k8s.io/exclusive-topology"] = "rack"
    return found
