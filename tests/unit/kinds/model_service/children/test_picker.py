# SPDX-License-Identifier: GPL-3.0-or-later
"""The endpoint picker: its container, its account and rights, and what reads its metrics."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.model_service.children.picker_cluster_role import (
    picker_cluster_role,
    picker_cluster_role_binding,
)
from module_utils.kinds.model_service.children.picker_config import picker_config
from module_utils.kinds.model_service.children.picker_deployment import picker_deployment
from module_utils.kinds.model_service.children.picker_role import picker_role
from module_utils.kinds.model_service.children.picker_secret import picker_secret
from module_utils.kinds.model_service.children.picker_service import picker_service
from module_utils.kinds.model_service.children.service_monitor import service_monitor
from module_utils.kube.manifest import Json

from .rendered import child, container, manifest

MONITORED = {"podMonitor": {"enabled": True}}


def pool(**picker: Any) -> Json:
    return {"inferencePool": {"endpointPicker": picker}}


def epp(**given: Any) -> Json:
    return container(picker_deployment, "epp", **given)


def test_one_picker_without_a_pool_block() -> None:
    found = manifest(picker_deployment, name="phi-3.5-mini")
    assert found["metadata"]["name"] == "phi-3-5-mini-epp"
    assert found["spec"]["replicas"] == 1
    assert epp(name="phi-3.5-mini")["args"] == [
        "--pool-name=phi-3.5-mini",
        "--pool-namespace=team-a",
        "--pool-group=inference.networking.k8s.io",
        "--config-file=/config/default-plugins.yaml",
        "--grpc-port=9002",
        "--zap-encoder=json",
        "--tracing=false",
    ]


def test_several_pickers_elect_a_leader_and_may_do_so() -> None:
    found = epp(**pool(replicas=2))
    assert "--ha-enable-leader-election" in found["args"]
    assert found["readinessProbe"]["grpc"]["service"] == "readiness"
    assert found["livenessProbe"]["grpc"]["service"] == "liveness"
    assert len(manifest(picker_role, **pool(replicas=2))["rules"]) == 5


@pytest.mark.parametrize("replicas", [0, 1])
def test_single_picker_elects_nobody(replicas: int) -> None:
    found = epp(**pool(replicas=replicas))
    assert "--ha-enable-leader-election" not in found["args"]
    assert found["readinessProbe"]["grpc"]["service"] == "inference-extension"
    assert len(manifest(picker_role, **pool(replicas=replicas))["rules"]) == 3
    assert manifest(picker_deployment, **pool(replicas=replicas))["spec"]["replicas"] == replicas


def test_prefill_changes_configuration_and_rolls_the_pods() -> None:
    modes: list[tuple[Json, str]] = [
        ({}, "default-plugins.yaml"),
        ({"prefill": {}}, "pd-config.yaml"),
    ]
    for spec, key in modes:
        assert list(manifest(picker_config, **spec)["data"]) == [key]
        assert f"--config-file=/config/{key}" in epp(**spec)["args"]
    plain, split = (
        manifest(picker_deployment, **spec)["spec"]["template"]["metadata"]["annotations"]
        for spec, _key in modes
    )
    assert plain["checksum/config"] != split["checksum/config"]


DEFAULT = {"requests": {"cpu": "4", "memory": "8Gi"}, "limits": {"memory": "16Gi"}}
RESOURCES: dict[str, tuple[Json, Json]] = {
    "none": ({}, DEFAULT),
    "empty": ({"resources": {"limits": {}}}, DEFAULT),
    "requests replace all": (
        {"resources": {"requests": {"cpu": "1"}}},
        {"requests": {"cpu": "1"}},
    ),
}


@pytest.mark.parametrize(("picker", "wanted"), RESOURCES.values(), ids=RESOURCES)
def test_resources(picker: Json, wanted: Json) -> None:
    assert epp(**pool(**picker))["resources"] == wanted


def test_port_is_everywhere_the_same() -> None:
    found = epp(**pool(port=9443))
    assert found["ports"][0]["containerPort"] == 9443
    assert "--grpc-port=9443" in found["args"]
    ports = manifest(picker_service, **pool(port=9443))["spec"]["ports"]
    assert [(each["port"], each["targetPort"]) for each in ports] == [(9443, 9443), (9090, 9090)]


def test_tracing_names_the_pod() -> None:
    found = epp(options={"tracing": {"enabled": True, "otel_endpoint": "http://otel:4317"}})
    env = {each["name"]: each for each in found["env"]}
    assert "--tracing=true" in found["args"]
    assert env["OTEL_RESOURCE_ATTRIBUTES"]["value"] == (
        "k8s.namespace.name=$(NAMESPACE),k8s.node.name=$(OTEL_RESOURCE_ATTRIBUTES_NODE_NAME),"
        "k8s.pod.name=$(OTEL_RESOURCE_ATTRIBUTES_POD_NAME)"
    )
    assert list(env) == [
        "NAMESPACE",
        "POD_NAME",
        "OTEL_SERVICE_NAME",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_TRACES_EXPORTER",
        "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME",
        "OTEL_RESOURCE_ATTRIBUTES_POD_NAME",
        "OTEL_RESOURCE_ATTRIBUTES",
        "OTEL_TRACES_SAMPLER",
        "OTEL_TRACES_SAMPLER_ARG",
    ]


#: Pool block, provider, authentication → token Secret, cluster-wide rights.
RIGHTS = [
    (False, "istio", True, False, False),
    (True, "istio", True, True, True),
    (True, "none", True, True, True),
    (True, "gke", True, False, True),
    (True, "istio", False, False, False),
]


@pytest.mark.parametrize(("explicit", "provider", "auth", "secret", "cluster"), RIGHTS)
def test_rights_follow_pool_provider_and_authentication(
    explicit: bool, provider: str, auth: bool, secret: bool, cluster: bool
) -> None:
    given: Json = {
        "options": {"provider": provider, "metrics_endpoint_auth": auth},
        **(pool() if explicit else {}),
    }
    assert (child(picker_secret, **given) is not None) is secret
    assert (child(picker_cluster_role, **given) is not None) is cluster
    assert (child(picker_cluster_role_binding, **given) is not None) is cluster
    assert ("--metrics-endpoint-auth=false" in epp(**given)["args"]) is not auth


def test_cluster_wide_names_hold_the_namespace() -> None:
    found = manifest(picker_cluster_role_binding, name="0.6b", **pool())
    assert found["metadata"]["name"] == "team-a-m-0-6b-epp"
    assert "namespace" not in found["metadata"]
    assert found["roleRef"]["name"] == "team-a-m-0-6b-epp"
    assert found["subjects"] == [
        {"kind": "ServiceAccount", "name": "m-0-6b-epp", "namespace": "team-a"}
    ]


@pytest.mark.parametrize(
    ("given", "there"),
    [
        ({}, False),
        (pool(), False),
        ({"monitoring": MONITORED}, False),
        ({"monitoring": MONITORED, **pool()}, True),
        ({"release": "1.0.1", **pool()}, False),
    ],
)
def test_picker_is_scraped_where_pool_and_monitoring_are_given(given: Json, there: bool) -> None:
    assert (child(service_monitor, **given) is not None) is there


@pytest.mark.parametrize("auth", [True, False])
def test_scraper_brings_a_token_where_it_is_asked_for(auth: bool) -> None:
    options = {"metrics_endpoint_auth": auth}
    found = manifest(service_monitor, options=options, monitoring=MONITORED, **pool())
    (endpoint,) = found["spec"]["endpoints"]
    token = {"name": "chat-epp-sa-metrics-reader-secret", "key": "token"}
    assert endpoint.get("authorization") == ({"credentials": token} if auth else None)
