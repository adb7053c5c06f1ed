# SPDX-License-Identifier: GPL-3.0-or-later
"""Single lines that come to nothing: annotations that their readers cannot read, items that stand twice, labels that no node has."""

from __future__ import annotations

from tests.unit.checks.services import custom, custom_with, graph, llm, server
from tests.unit.checks.surroundings import CONFIG, NODE
from tests.unit.kinds.llm_inference_service.build import document as llm_inference_service
from tests.unit.kinds.model_service.build import document as model_service

from .mistake import IG, IS, LLM, MS, Json, Mistake

PORTS = {"traffic.sidecar.istio.io/excludeInboundPorts": "http"}
AT_PORTS = 'annotations["traffic.sidecar.istio.io/excludeInboundPorts"]'
ZONE = {"zone": "y"}
SPOT = {"key": "spot", "operator": "Exists"}

BOTH_ZONES = {
    "nodeSelector": {"zone": "z"},
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["z"]}]}
                ]
            }
        }
    },
}
AT_ZONE = (
    "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
    ".matchExpressions[0]"
)
TOKEN = {"name": "VLLM_API_KEY", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "token"}}}
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "hub", "namespace": "team-a"},
    "stringData": {"token": "placeholder\n"},
}
MATCH = {"path": {"type": "PathPrefix", "value": "/v1"}}
TWO_RULES = [{"matches": [MATCH], "backendRefs": [{"name": name, "port": 80}]} for name in "ab"]
BARE = {"autoscalerClass": "keda"}

QUERY = {
    "metric": {
        "backend": "prometheus",
        "serverAddress": "http://prometheus.monitoring.svc:9090",
        "query": "rate(http_requests_total)",
    },
    "target": {"type": "Value", "value": "5"},
}


def annotated_with(document: Json, texts: Json) -> Json:
    """Return a service with annotations."""
    metadata = document["metadata"]
    given = {**(metadata.get("annotations") or {}), **texts}
    return {**document, "metadata": {**metadata, "annotations": given}}


#: Rule → kind → the mistake.
LINES: dict[str, dict[str, Mistake]] = {
    "pod-annotation": {
        LLM: Mistake(llm(annotations=PORTS), f"spec.{AT_PORTS}"),
        IS: Mistake(custom_with(annotations=PORTS), f"spec.predictor.{AT_PORTS}", (CONFIG,)),
        IG: Mistake(
            {**graph(), "metadata": {**graph()["metadata"], "annotations": PORTS}},
            f"metadata.{AT_PORTS}",
            (CONFIG,),
        ),
    },
    "listed-twice": {
        MS: Mistake(
            model_service(
                httpRoute={
                    "gatewayRef": {"name": "edge"},
                    "hostnames": ["a.example.com", "a.example.com"],
                }
            ),
            "spec.httpRoute.hostnames[1]",
        ),
        LLM: Mistake(
            llm_inference_service(template={**server(), "tolerations": [SPOT, SPOT]}),
            "spec.template.tolerations[1]",
        ),
        IS: Mistake(
            custom_with(tolerations=[SPOT, SPOT]), "spec.predictor.tolerations[1]", (CONFIG,)
        ),
        IG: Mistake(graph(tolerations=[SPOT, SPOT]), "spec.tolerations[1]", (CONFIG,)),
    },
    "node-contradiction": {
        LLM: Mistake(
            llm_inference_service(template={**server(), **BOTH_ZONES}), f"spec.template.{AT_ZONE}"
        ),
        IS: Mistake(custom_with(**BOTH_ZONES), f"spec.predictor.{AT_ZONE}", (CONFIG,)),
        IG: Mistake(graph(**BOTH_ZONES), f"spec.{AT_ZONE}", (CONFIG,)),
    },
    "secret-content": {
        LLM: Mistake(llm(env=[TOKEN]), "spec.template.containers[0].env[0]", (SECRET,)),
        IS: Mistake(custom(env=[TOKEN]), "spec.predictor.containers[0].env[0]", (CONFIG, SECRET)),
    },
    "route-shadowed": {
        LLM: Mistake(
            llm_inference_service(router={"route": {"http": {"spec": {"rules": TWO_RULES}}}}),
            "spec.router.route.http.spec.rules[1].matches[0]",
        ),
    },
    "name-prefix": {
        LLM: Mistake(annotated_with(llm(), BARE), "metadata.annotations.autoscalerClass"),
        IS: Mistake(
            annotated_with(custom(), BARE), "metadata.annotations.autoscalerClass", (CONFIG,)
        ),
        IG: Mistake(
            annotated_with(graph(), BARE), "metadata.annotations.autoscalerClass", (CONFIG,)
        ),
    },
    "trigger-query": {
        IS: Mistake(
            annotated_with(
                custom_with(
                    minReplicas=1,
                    maxReplicas=2,
                    autoScaling={"metrics": [{"type": "External", "external": QUERY}]},
                ),
                {"serving.kserve.io/autoscalerClass": "keda"},
            ),
            "spec.predictor.autoScaling.metrics",
            (CONFIG,),
        ),
    },
    "node-absent": {
        MS: Mistake(
            model_service(decode={"nodeSelector": ZONE}), "spec.decode.nodeSelector.zone", (NODE,)
        ),
        LLM: Mistake(
            llm_inference_service(template={**server(), "nodeSelector": ZONE}),
            "spec.template.nodeSelector.zone",
            (NODE,),
        ),
        IS: Mistake(
            custom_with(nodeSelector=ZONE), "spec.predictor.nodeSelector.zone", (CONFIG, NODE)
        ),
        IG: Mistake(graph(nodeSelector=ZONE), "spec.nodeSelector.zone", (CONFIG, NODE)),
    },
}
