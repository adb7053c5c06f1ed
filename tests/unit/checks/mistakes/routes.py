# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes on the way of a request: gateways, routes, pools, pickers, ports, and how many pods there are."""

from __future__ import annotations

from tests.unit.checks.services import (
    CPU_METRIC,
    EVERYTHING,
    GRAPHITE,
    MAIN_PATH,
    PROMETHEUS,
    PROXY,
    ROUTE,
    alone,
    custom,
    graph,
    llm,
    named,
    pooled,
    preset,
    routed,
    scheduled,
    sklearn,
)
from tests.unit.checks.surroundings import CONFIG, autoscaler, class_of, gateway, hosts
from tests.unit.kinds.inference_service.build import document as inference_service
from tests.unit.kinds.llm_inference_service.build import document as llm_inference_service
from tests.unit.kinds.model_service.build import document as model_service

from .mistake import IG, IS, LLM, MS, Mistake

#: Rule → kind → the mistake.
ROUTES: dict[str, dict[str, Mistake]] = {
    "scaled-to-zero": {
        MS: Mistake(model_service(decode={"replicas": 0}), "spec.decode.replicas"),
        LLM: Mistake(llm(replicas=0), "spec.replicas"),
        IG: Mistake(alone(minReplicas=0), "spec.minReplicas", (CONFIG,)),
    },
    "picker-flag": {
        LLM: Mistake(
            llm(router=scheduled("--pool-name=other", "--pool-namespace=team-a")),
            "spec.router.scheduler.template.containers[0].args[0]",
        ),
    },
    "host-address": {
        MS: Mistake(model_service(httpRoute={"gatewayRef": {"name": "edge"}, "hostnames": ["10.0.0.5"]}), "spec.httpRoute.hostnames"),
        LLM: Mistake(
            llm(router={"gateway": {}, "route": {"http": {"spec": {**EVERYTHING["route"]["http"]["spec"], "hostnames": ["10.0.0.5"]}}}}),
            "spec.router.route.http.spec"),
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
    "scaler-elsewhere": {
        MS: Mistake(model_service(decode={}), "spec.decode.replicas", (autoscaler("chat"),)),
        LLM: Mistake(llm_inference_service(), "spec.replicas", (preset(), autoscaler("chat"))),
        IS: Mistake(
            inference_service(predictor={"minReplicas": 1}, annotations={"deploymentMode": "Standard"}),
            "spec.predictor.minReplicas", (CONFIG, sklearn(), autoscaler("iris"))),
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
    "trigger-parameter": {
        IS: Mistake(
            inference_service(
                predictor={"minReplicas": 1, "autoScaling": {"metrics": [GRAPHITE]}},
                annotations={"deploymentMode": "Standard", "autoscalerClass": "keda"}),
            "spec.predictor.autoScaling.metrics", (CONFIG, sklearn())),
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
