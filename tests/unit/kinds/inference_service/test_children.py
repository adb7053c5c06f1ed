# SPDX-License-Identifier: GPL-3.0-or-later
"""What a service wants to exist, where no recording shows what a user would notice."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kinds.inference_service.settings import Settings
from module_utils.kinds.inference_service.spec import InferenceService
from module_utils.kube.intent import Child
from module_utils.kube.manifest import Json
from module_utils.kube.problem import Complaint, InputError
from tests.parity.recorded_llm_services import Recorded
from tests.unit.kinds.refusals import api_refusals

from .world import NAME, NAMESPACE, config, model, runtime, takes

STANDARD = {"serving.kserve.io/deploymentMode": "Standard"}
KNATIVE = {"serving.kserve.io/deploymentMode": "Knative"}
SERVING = runtime("served", takes())
UTILIZATION = {"type": "Utilization", "averageUtilization": 60}
WEBHOOK = Settings(pod_mutation="webhook")
OWN: Json = {"containers": [{"name": "kserve-container", "image": "a:1"}]}


def config_map(name: str, namespace: str, **data: str) -> Json:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


AUTOSCALER = config_map("config-autoscaler", "knative-serving")
DOMAIN = {**config_map("config-domain", "knative-serving"), "data": {"example.com": ""}}


def wanted(
    predictor: Json,
    *manifests: Json,
    annotations: Json | None = None,
    labels: Json | None = None,
    settings: Settings = WEBHOOK,
    **parts: Any,
) -> dict[str, Child]:
    """Return the children of a service by kind and name, the service in the front left out."""
    given = service_of(
        predictor,
        *manifests,
        annotations=annotations,
        labels=labels,
        settings=settings,
        **parts,
    )
    children = compile_service(*given).children
    return {f"{child.manifest.kind}/{child.manifest.name}": child for child in children}


def service_of(
    predictor: Json,
    *manifests: Json,
    annotations: Json | None = None,
    labels: Json | None = None,
    settings: Settings = WEBHOOK,
    **parts: Any,
) -> tuple[InferenceService, Settings, Recorded]:
    """Return a service, its settings and the cluster in which it is compiled."""
    annotations = {**STANDARD, **(annotations or {})}
    spec = {"predictor": predictor, **parts}
    metadata = {"name": NAME, "namespace": NAMESPACE, "annotations": annotations}
    document = {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": metadata,
        "spec": spec,
    }
    service = InferenceService(document, NAME, NAMESPACE, labels or {}, annotations, spec)
    reader = Recorded([SERVING, *manifests])
    return service, settings, reader


def spec_of(child: Child) -> Json:
    found: Json = child.manifest.to_dict()["spec"]
    return found


def refusal(predictor: Json, *manifests: Json, **rest: Any) -> str:
    """Return why a service cannot be built, or what the API would refuse of its objects."""
    try:
        found = api_refusals(*service_of(predictor, *manifests, **rest))
    except InputError as error:
        return str(error)
    return str(Complaint(NAME, tuple(found)))


def test_nothing_of_a_stopped_service_is_wanted() -> None:
    for mode in (STANDARD, KNATIVE):
        asked = {**mode, "serving.kserve.io/stop": "True"}
        assert wanted(model(), AUTOSCALER, DOMAIN, annotations=asked) == {}


@pytest.mark.parametrize(
    ("autoscaler", "kinds"),
    [
        ("hpa", {"HorizontalPodAutoscaler"}),
        ("external", set()),
        ("none", set()),
        ("keda", {"ScaledObject"}),
    ],
)
def test_an_autoscaler_class_has_one_autoscaler(autoscaler: str, kinds: set[str]) -> None:
    cpu = {"type": "Resource", "resource": {"name": "cpu", "target": UTILIZATION}}
    annotations = {"serving.kserve.io/autoscalerClass": autoscaler}
    found = wanted({**model(), "autoScaling": {"metrics": [cpu]}}, annotations=annotations)
    scalers = {"HorizontalPodAutoscaler", "ScaledObject"}
    assert {key.partition("/")[0] for key in found} & scalers == kinds


@pytest.mark.parametrize(
    ("autoscaler", "replicas", "unclaimed"),
    [
        ("none", 3, ()),
        ("hpa", None, (("spec", "replicas"),)),
        ("external", None, (("spec", "replicas"),)),
    ],
)
def test_replicas_belong_to_whoever_scales(
    autoscaler: str, replicas: int | None, unclaimed: tuple[Any, ...]
) -> None:
    annotations = {"serving.kserve.io/autoscalerClass": autoscaler}
    found = wanted({**model(), "minReplicas": 3}, annotations=annotations)
    deployment = found["Deployment/chat-predictor"]
    assert spec_of(deployment).get("replicas") == replicas
    assert deployment.unclaimed == unclaimed


@pytest.mark.parametrize(
    ("least", "most", "expected"), [(0, None, (1, 1)), (3, 2, (3, 3)), (None, 5, (1, 5))]
)
def test_an_autoscaler_keeps_one_pod_at_least(
    least: int | None, most: int | None, expected: tuple[int, int]
) -> None:
    given = {"minReplicas": least, "maxReplicas": most}
    predictor = {**model(), **{key: value for key, value in given.items() if value is not None}}
    spec = spec_of(wanted(predictor)["HorizontalPodAutoscaler/chat-predictor"])
    assert (spec["minReplicas"], spec["maxReplicas"]) == expected


def test_an_unknown_autoscaler_is_refused() -> None:
    told = refusal(model(), annotations={"serving.kserve.io/autoscalerClass": "kpa"})
    assert "unknown autoscaler class type: kpa" in told
    assert "write one of hpa, keda, external, none" in told


EXTERNAL = {
    "metric": {
        "backend": "prometheus",
        "serverAddress": "http://p",
        "query": "q",
        "namespace": "n",
    },
    "target": {"type": "Value", "value": "4.5"},
    "authenticationRef": {"authModes": "bearer", "authenticationRef": {"name": "auth"}},
}


def test_an_external_metric_becomes_a_trigger() -> None:
    metrics = [{"type": "External", "external": EXTERNAL}]
    annotations = {"serving.kserve.io/autoscalerClass": "keda"}
    found = wanted({**model(), "autoScaling": {"metrics": metrics}}, annotations=annotations)
    (trigger,) = spec_of(found["ScaledObject/chat-predictor"])["triggers"]
    assert trigger == {
        "type": "prometheus",
        "metadata": {
            "serverAddress": "http://p",
            "query": "q",
            "threshold": "4.5",
            "namespace": "n",
            "authModes": "bearer",
        },
        "authenticationRef": {"name": "auth"},
    }


def test_the_services_own_windows_come_before_the_configured_ones() -> None:
    cpu = {"type": "Resource", "resource": {"name": "cpu", "target": UTILIZATION}}
    scaling = {"metrics": [cpu], "behavior": {"scaleDown": {"stabilizationWindowSeconds": 7}}}
    found = wanted(
        {**model(), "autoScaling": scaling},
        annotations={"serving.kserve.io/autoscalerClass": "keda"},
    )
    advanced = spec_of(found["ScaledObject/chat-predictor"])["advanced"]
    assert advanced["horizontalPodAutoscalerConfig"]["behavior"] == {
        "scaleUp": {"stabilizationWindowSeconds": 0},
        "scaleDown": {"stabilizationWindowSeconds": 7},
    }


def test_the_transformer_beside_the_model_server_takes_the_requests() -> None:
    transformer = {
        "name": "transformer-container",
        "image": "t:1",
        "ports": [{"containerPort": 9000}],
    }
    server = {"name": "kserve-container", "image": "a:1", "ports": [{"containerPort": 8085}]}
    spec = spec_of(wanted({"containers": [server, transformer]})["Service/chat-predictor"])
    assert spec["ports"] == [{"port": 80, "targetPort": 9000}]


@pytest.mark.parametrize("part", ["logger", "batcher"])
def test_requests_go_through_the_agent_first(part: str) -> None:
    spec = spec_of(wanted({**model(), part: {"mode": "all"}})["Service/chat-predictor"])
    assert spec["ports"][0]["targetPort"] == 9081


ROUTES = ("Ingress", "HTTPRoute", "VirtualService")


@pytest.mark.parametrize(
    ("labels", "ingress", "expected"),
    [
        ({}, {}, {"Ingress/chat"}),
        ({}, {"enableGatewayApi": True}, {"HTTPRoute/chat", "HTTPRoute/chat-predictor"}),
        ({"networking.kserve.io/visibility": "cluster-local"}, {}, set()),
        ({}, {"ingressDomain": "svc.cluster.local"}, set()),
        ({}, {"disableIngressCreation": True}, set()),
    ],
)
def test_who_is_to_be_reached_has_a_way_at_once(
    labels: Json, ingress: Json, expected: set[str]
) -> None:
    found = wanted(model(), config(ingress={"enableGatewayApi": False, **ingress}), labels=labels)
    assert {key for key in found if key.partition("/")[0] in ROUTES} == expected


def test_a_name_that_only_the_status_shows_is_checked_too() -> None:
    path = {"pathTemplate": "serve/{{ .Name }}", "ingressDomain": "example.com"}
    plain = config(ingress={**path, "disableIstioVirtualHost": True})
    told = refusal(model(), AUTOSCALER, DOMAIN, plain, annotations=KNATIVE)
    assert 'invalid url path "serve/chat"' in told


def test_an_ingress_has_every_annotation_of_its_service() -> None:
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "a": "1"}
    found = wanted(model(), config(ingress={"enableGatewayApi": False}), annotations=annotations)
    has = found["Ingress/chat"].manifest.annotations
    assert {**has, **STANDARD, **annotations} == has
    assert has["modelFormat"] == "sklearn"


def test_a_transformers_host_leads_to_the_predictor_as_with_the_controller() -> None:
    found = wanted(
        model(),
        config(ingress={"enableGatewayApi": False}),
        transformer={"containers": OWN["containers"]},
    )
    ways = [
        (rule["host"].partition(".")[0], rule["http"]["paths"][0]["backend"]["service"]["name"])
        for rule in spec_of(found["Ingress/chat"])["rules"]
    ]
    assert ways == [
        ("chat-team-a", "chat-transformer"),
        ("chat-transformer-team-a", "chat-predictor"),
        ("chat-predictor-team-a", "chat-predictor"),
    ]


def knative(*manifests: Json, labels: Json | None = None, **predictor: Any) -> dict[str, Child]:
    return wanted(
        {**model(), **predictor}, AUTOSCALER, *manifests, annotations=KNATIVE, labels=labels
    )


def hosts(found: dict[str, Child]) -> list[str]:
    hosts: list[str] = spec_of(found["VirtualService/chat"])["hosts"]
    return hosts


INSIDE = "chat.team-a.svc.cluster.local"


def test_a_knative_service_is_reached_under_the_name_that_knative_will_give() -> None:
    assert hosts(knative(DOMAIN)) == [INSIDE, "chat.team-a.example.com"]
    local = {"networking.knative.dev/visibility": "cluster-local"}
    assert hosts(knative(DOMAIN, labels=local)) == [INSIDE]


def test_the_name_that_knative_reports_counts() -> None:
    metadata = {"name": "chat-predictor", "namespace": NAMESPACE}
    live = {
        "apiVersion": "serving.knative.dev/v1",
        "kind": "Service",
        "metadata": metadata,
        "status": {"url": "http://chat-predictor.ml.example.org"},
    }
    assert hosts(knative(DOMAIN, live)) == [INSIDE, "chat.ml.example.org"]


def test_a_switch_for_ingresses_speaks_of_standard_mode_alone() -> None:
    closed = config(ingress={"disableIngressCreation": True})
    assert {"Service/chat", "VirtualService/chat"} <= knative(DOMAIN, closed).keys()


def test_without_istio_the_name_is_knatives_own() -> None:
    plain = config(ingress={"disableIstioVirtualHost": True})
    assert knative(DOMAIN, plain).keys() == {"Service/chat-predictor"}


def test_without_a_name_there_is_no_way_yet() -> None:
    assert "VirtualService/chat" not in knative()


@pytest.mark.parametrize(("given", "kept"), [("0", None), ("two", None), ("3", "3")])
def test_a_first_number_of_pods_that_knative_refuses_is_left_out(
    given: str, kept: str | None
) -> None:
    key = "autoscaling.knative.dev/initial-scale"
    found = wanted(model(), AUTOSCALER, DOMAIN, annotations={**KNATIVE, key: given})
    template = spec_of(found["Service/chat-predictor"])["template"]
    assert template["metadata"]["annotations"].get(key) == kept
    assert found["VirtualService/chat"].manifest.annotations.get(key) == kept


def test_a_canary_needs_a_revision_that_was_rolled_out() -> None:
    status = {"components": {"predictor": {"latestRolledoutRevision": "chat-predictor-00001"}}}
    metadata = {"name": NAME, "namespace": NAMESPACE}
    parent = {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": metadata,
        "status": status,
    }
    first = spec_of(knative(DOMAIN, canaryTrafficPercent=10)["Service/chat-predictor"])
    later = spec_of(knative(DOMAIN, parent, canaryTrafficPercent=10)["Service/chat-predictor"])
    assert [part["percent"] for part in first["traffic"]] == [100]
    assert [part["percent"] for part in later["traffic"]] == [10, 90]
    assert later["traffic"][1]["tag"] == "prev"


def test_a_canary_has_no_effect_on_deployments() -> None:
    assert wanted({**model(), "canaryTrafficPercent": 10}).keys() == wanted(model()).keys()


def test_certificates_are_copied_into_the_namespace() -> None:
    kept = {**config_map("certs", "kserve"), "data": {"cabundle.crt": "PEM"}}
    found = wanted(model(), kept, config(storageInitializer={"caBundleConfigMapName": "certs"}))
    copy = found["ConfigMap/global-ca-bundle"].manifest
    assert (copy.namespace, copy.body["data"]) == (NAMESPACE, {"cabundle.crt": "PEM"})


def test_pods_that_the_api_refuses_are_refused_before_any_write() -> None:
    mounted = {**OWN["containers"][0], "volumeMounts": [{"name": "gone", "mountPath": "/a"}]}
    greedy = {**OWN["containers"][0], "resources": {"requests": {"cpu": "2"}}}
    for mode in (STANDARD, KNATIVE):
        told = refusal({"containers": [mounted]}, AUTOSCALER, DOMAIN, annotations=mode)
        assert '"gone" is none of the pod\'s volumes' in told
        told = refusal({"containers": [greedy]}, AUTOSCALER, DOMAIN, annotations=mode)
        assert "limit" in told


WEBHOOKS = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "MutatingWebhookConfiguration",
    "metadata": {"name": "inferenceservice.serving.kserve.io"},
    "webhooks": [{"name": "inferenceservice.kserve-webhook-server.pod-mutator"}],
}


@pytest.mark.parametrize(
    ("mutation", "webhooks", "rendered"),
    [
        ("auto", [], True),
        ("auto", [WEBHOOKS], False),
        ("rendered", [WEBHOOKS], True),
        ("webhook", [], False),
    ],
)
@pytest.mark.parametrize("mode", [STANDARD, KNATIVE])
def test_pods_get_their_model_from_us_where_no_webhook_brings_it(
    mode: Json, mutation: Any, webhooks: list[Json], rendered: bool
) -> None:
    found = wanted(
        model(),
        AUTOSCALER,
        DOMAIN,
        *webhooks,
        annotations=mode,
        settings=Settings(pod_mutation=mutation),
    )
    workload = "Deployment" if mode is STANDARD else "Service"
    pod = spec_of(found[f"{workload}/chat-predictor"])["template"]["spec"]
    names = [container["name"] for container in pod.get("initContainers") or ()]
    assert names == (["storage-initializer"] if rendered else [])
