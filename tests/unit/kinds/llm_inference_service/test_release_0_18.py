# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe 0.18 does otherwise than 0.17, each by an input of which exactly that differs."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import yaml

from module_utils.kube.manifest import Json

from .build import document, messages_of
from .preset_world import (
    ROUTER,
    account,
    children,
    preset,
    refusal,
    resolved,
    secret,
    system_config,
)
from .release_pairs import CLAIM, differences, settings

SCHEDULER = "Deployment/chat-kserve-router-scheduler spec.template"
POD = "Deployment/chat-kserve spec.template.spec"
#: With a picker its Role differs, whatever else is asked for.
ROLE: Json = {
    **{
        f"Role/chat-epp-role rules[{number}].{field}": both
        for number, field, both in (
            (2, "apiGroups", (["discovery.k8s.io"], ["inference.networking.x-k8s.io"])),
            (
                2,
                "resources",
                (["endpointslices"], ["inferencemodelrewrites", "inferencepoolimports"]),
            ),
            (3, "apiGroups", (["coordination.k8s.io"], ["discovery.k8s.io"])),
            (3, "resources", (["leases"], ["endpointslices"])),
            (4, "apiGroups", (None, ["coordination.k8s.io"])),
            (4, "resources", (None, ["leases"])),
        )
    },
    "Role/chat-epp-role rules[3].verbs": (
        ["get", "list", "watch", "create", "update", "patch", "delete"],
        ["get", "list", "watch"],
    ),
    "Role/chat-epp-role rules[4].verbs": (
        None,
        ["get", "list", "watch", "create", "update", "patch", "delete"],
    ),
}
FETCH = f"{POD}.initContainers[storage-initializer].env"
CERTIFICATE = secret(
    "chat-kserve-self-signed-certs", {"tls.crt": "c", "tls.key": "k", "ca.crt": "c"}
) | {"data": {"tls.crt": "Yw==", "tls.key": "aw==", "ca.crt": "Yw=="}}
HASH = "annotations.certificates.kserve.io/cert-hash"
SERVER: Json = {
    "template": {
        "containers": [
            {
                "name": "main",
                "securityContext": {"runAsNonRoot": True, "readOnlyRootFilesystem": True},
            }
        ]
    }
}
GROUPS: Json = {"worker": {}, "parallelism": {"data": 2, "dataLocal": 1}}
POOL: Json = {
    "pool": {
        "spec": {
            "selector": {"matchLabels": {"app": "mine"}},
            "targetPorts": [{"number": 8000}],
            "endpointPickerRef": {"name": "my-picker", "port": {"number": 9002}},
        }
    }
}
DEFAULT_ACCOUNT = account("default", "registry") | {"imagePullSecrets": [{"name": "pull"}]}
_MODELCAR = {"uidModelcar": 1010}

#: Input and cluster → what differs, beside nothing.
ROWS: dict[str, tuple[Json, list[Json], Json]] = {
    "a service with its model in a volume": (CLAIM, [], {}),
    "a model from Hugging Face": (
        {},
        [],
        {
            f"{FETCH}[{name}].{field}": (None, value)
            for name, text in (
                ("HF_HUB_ENABLE_HF_TRANSFER", "1"),
                ("HF_XET_HIGH_PERFORMANCE", "1"),
                ("HF_XET_NUM_CONCURRENT_RANGE_GETS", "8"),
            )
            for field, value in (("name", name), ("value", text))
        },
    ),
    "a model from S3": ({"model": {"uri": "s3://models/chat"}}, [], {}),
    "a picker": ({**CLAIM, "router": ROUTER}, [], ROLE),
    "a certificate": (
        CLAIM,
        [CERTIFICATE],
        {"Secret/chat-kserve-self-signed-certs data.ca.crt": (None, "Yw==")},
    ),
    "a certificate and a picker": (
        {**CLAIM, "router": ROUTER},
        [CERTIFICATE],
        {
            **ROLE,
            "Secret/chat-kserve-self-signed-certs data.ca.crt": (None, "Yw=="),
            f"{SCHEDULER}.metadata.{HASH}": (
                hashlib.sha256(b"ck").hexdigest(),
                None,
            ),
        },
    ),
    "accounts of groups": (
        {**CLAIM, **GROUPS},
        [DEFAULT_ACCOUNT],
        {
            "ServiceAccount/chat-kserve-mn secrets[registry].name": (None, "registry"),
            "ServiceAccount/chat-kserve-mn imagePullSecrets[pull].name": (None, "pull"),
        },
    ),
    "the picker's account beside a server with one of its own": (
        {**CLAIM, "router": ROUTER, "template": {"serviceAccountName": "mine"}},
        [
            DEFAULT_ACCOUNT,
            account(
                "mine",
                "models",
                annotations={
                    "eks.amazonaws.com/role-arn": "arn:x",
                    "kubectl.kubernetes.io/last-applied-configuration": "{}",
                },
            ),
        ],
        {
            **ROLE,
            "ServiceAccount/chat-epp-sa metadata.annotations.eks.amazonaws.com/role-arn": (
                None,
                "arn:x",
            ),
            "ServiceAccount/chat-epp-sa secrets[models].name": (None, "models"),
        },
    ),
    "a model in an image": (
        {"model": {"uri": "oci://registry.example.com/m:1"}, **SERVER},
        [system_config(storageInitializer=_MODELCAR)],
        {
            f"{POD}.containers[main].securityContext.{field}": (None, True)
            for field in ("runAsNonRoot", "readOnlyRootFilesystem")
        },
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_exactly_this_differs(name: str) -> None:
    spec, manifests, told = ROWS[name]
    found = differences(document(**spec), *manifests, old="0.17", new="0.18")
    assert found == told


GATEWAY = {"name": "g", "namespace": "infra", "sectionName": "https"}
SECTION: Json = {**ROUTER, "gateway": {"refs": [GATEWAY]}}


def test_a_gateway_ref_may_name_a_listener() -> None:
    """The route is bound to the listener alone."""
    told = messages_of(document(**CLAIM, router=SECTION), settings("0.17"))
    assert told == {
        "spec.router.gateway.refs[0].sectionName": "unknown field; KServe 0.18 knows it, and 0.17 would drop it; releases.kserve chooses another release"
    }
    found = children(document(**CLAIM, router=SECTION), settings=settings("0.18"))
    (parent,) = found["HTTPRoute", "chat-kserve-route"]["spec"]["parentRefs"]
    assert (parent["name"], parent["namespace"], parent["sectionName"]) == ("g", "infra", "https")


@pytest.mark.parametrize(("release", "same"), [("0.17", True), ("0.18", False)])
def test_parents_and_gateways_of_different_listeners_conflict(release: str, same: bool) -> None:
    parent = {"name": "g", "namespace": "infra", "sectionName": "http"}
    rules = [{"backendRefs": [{"name": "b", "port": 80}]}]
    route = {"http": {"spec": {"parentRefs": [parent], "rules": rules}}}
    gateway = {"refs": [{"name": "g", "namespace": "infra"}]}
    given = document(**CLAIM, router={"route": route, "gateway": gateway})
    assert (messages_of(given, settings(release)) == {}) is same


@pytest.mark.parametrize("name", ["tracing", "kvCacheOffloading"])
def test_a_field_of_a_later_release_is_named_with_it(name: str) -> None:
    told = messages_of(document(**CLAIM, **{name: {}}), settings("0.18"))[f"spec.{name}"]
    assert told == (
        "unknown field; KServe 0.20 knows it, and 0.18 would drop it; releases.kserve chooses another release"
    )


def test_the_pickers_service_is_called_as_the_pool_says() -> None:
    spec = {**CLAIM, "router": {**ROUTER, "scheduler": POOL}}
    names = {
        release: [
            name
            for kind, name in children(document(**spec), settings=settings(release))
            if kind == "Service"
        ]
        for release in ("0.17", "0.18")
    }
    assert names == {
        "0.17": ["chat-kserve-workload-svc", "chat-epp-service"],
        "0.18": ["chat-kserve-workload-svc", "my-picker"],
    }


def _picker(spec: Json, release: str, *manifests: Json) -> Json:
    found = children(document(**spec), *manifests, settings=settings(release))
    deployment = found["Deployment", "chat-kserve-router-scheduler"]
    pod: Json = deployment["spec"]["template"]["spec"]
    return pod


def _plugins(spec: Json, release: str) -> list[Json]:
    arguments = _picker(spec, release)["containers"][0]["args"]
    plugins: list[Json] = yaml.safe_load(arguments[-1])["plugins"]
    return plugins


def test_prompts_go_elsewhere_by_a_plugin_of_its_own() -> None:
    spec = {**CLAIM, "router": ROUTER, "prefill": {}}
    always = "always-disagg-pd-decider"
    assert _plugins(spec, "0.17")[-1] == {
        "type": "pd-profile-handler",
        "parameters": {"threshold": 0},
    }
    assert _plugins(spec, "0.18")[-2:] == [
        {"type": always},
        {"type": "pd-profile-handler", "parameters": {"deciderPluginName": always}},
    ]
    assert _plugins(CLAIM | {"router": ROUTER}, "0.17") == _plugins(
        CLAIM | {"router": ROUTER}, "0.18"
    )


def test_a_tokenizer_fetches_as_the_account_of_the_server_says() -> None:
    tokenizer = {"template": {"containers": [{"name": "tokenizer", "image": "t:1"}]}}
    given = {
        "template": {"serviceAccountName": "runner"},
        "router": {**ROUTER, "scheduler": tokenizer},
    }
    said = {
        "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/x",
        "serving.kserve.io/s3-verifyssl": "0",
    }
    insecure = account("runner", "keys", annotations=said)
    keys = secret("keys", {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"})
    (fetcher,) = _picker(given, "0.20", insecure, keys)["initContainers"]
    variables = {each["name"]: each.get("value") for each in fetcher["env"]}
    assert variables["S3_VERIFY_SSL"] == "0"
    assert "AWS_ACCESS_KEY_ID" in variables


def test_a_tokenizer_beside_the_picker_gets_the_model_and_is_told_of() -> None:
    tokenizer = {"template": {"containers": [{"name": "tokenizer", "image": "t:1"}]}}
    scorer = {
        "type": "precise-prefix-cache-scorer",
        "parameters": {"indexerConfig": {"tokenProcessorConfig": {"blockSize": 64}}},
    }
    old_scorer = {"type": "prefix-cache-scorer", "parameters": {"blockSize": 16}}
    inline = {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [scorer, old_scorer],
    }
    spec = {"router": {**ROUTER, "scheduler": {**tokenizer, "config": {"inline": inline}}}}
    before, after = (_picker(spec, release) for release in ("0.17", "0.18"))
    assert "initContainers" not in before
    containers = {each["name"]: each for each in after["containers"]}
    assert containers["tokenizer"]["volumeMounts"] == [
        {"name": "kserve-provision-location", "mountPath": "/mnt/models/base", "readOnly": True}
    ]
    (fetcher,) = after["initContainers"]
    assert fetcher["args"] == ["hf://acme/chat-8b", "/mnt/models"]
    patterns = {each["name"]: each["value"] for each in fetcher["env"]}["STORAGE_ALLOW_PATTERNS"]
    assert "tokenizer.json" in yaml.safe_load(patterns)
    precise, prefix = yaml.safe_load(containers["main"]["args"][-1])["plugins"]
    assert precise["parameters"]["tokenProcessorConfig"] == {"blockSize": 64}
    assert precise["parameters"]["indexerConfig"]["tokenizersPoolConfig"] == {
        "modelName": "base",
        "uds": {"socketFile": "/tmp/tokenizer/tokenizer-uds.socket"},
    }
    assert prefix["parameters"] == {"blockSize": 16, "blockSizeTokens": 16}


@pytest.mark.parametrize(("configured", "scheme"), [(True, "HTTPS"), (False, "HTTP")])
def test_templates_know_whether_pods_speak_tls(configured: bool, scheme: str) -> None:
    probe = {
        "httpGet": {
            "path": "/",
            "port": 1,
            "scheme": "{{ if .GlobalConfig.EnableTLS }}HTTPS{{ else }}HTTP{{ end }}",
        }
    }
    pod = {"template": {"containers": [{"name": "main", "readinessProbe": probe}]}}
    asking = preset("kserve-config-llm-template", pod)
    config = system_config(ingress={"enableLLMInferenceServiceTLS": configured})
    found = resolved(document(**CLAIM), asking, config, settings=settings("0.18"))
    (main,) = found.at("template", "containers")
    assert main["readinessProbe"]["httpGet"]["scheme"] == scheme
    assert "can't evaluate field EnableTLS" in refusal(document(**CLAIM), asking, config)


def test_decode_and_prefill_scale_by_the_same_means() -> None:
    wanted = {"maxReplicas": 3, "wva": {"hpa": {}}}
    other = {"maxReplicas": 3, "wva": {"keda": {}}}
    mixed = document(scaling=wanted, prefill={"scaling": other})
    assert messages_of(mixed, settings("0.17")) == {}
    told = messages_of(mixed, settings("0.18"))
    assert list(told) == ["spec.prefill.scaling.wva"]
    assert "decode uses hpa but prefill uses keda" in told["spec.prefill.scaling.wva"]
    same = document(scaling=wanted, prefill={"scaling": wanted})
    assert messages_of(same, settings("0.18")) == {}


@pytest.mark.parametrize(
    "parameters", ["text", {"indexerConfig": []}, {"indexerConfig": {"tokenizersPoolConfig": 7}}]
)
def test_a_configuration_that_cannot_be_told_of_the_tokenizer_is_refused(parameters: Any) -> None:
    tokenizer = {"template": {"containers": [{"name": "tokenizer", "image": "t:1"}]}}
    scorer = {"type": "precise-prefix-cache-scorer", "parameters": parameters}
    inline = {"kind": "EndpointPickerConfig", "plugins": [scorer]}
    spec = {"router": {**ROUTER, "scheduler": {**tokenizer, "config": {"inline": inline}}}}
    told = refusal(document(**spec), settings=settings("0.18"))
    assert "where a map belongs" in told
    assert "spec.router.scheduler.config" in told


@pytest.mark.parametrize("text", ["not: [closed", "text", "[1, 2]", "plugins: []"])
def test_what_is_no_configuration_stays(text: str) -> None:
    main = {"name": "main", "args": ["--config-text", text]}
    containers = [main, {"name": "tokenizer", "image": "t:1"}]
    spec = {"router": {**ROUTER, "scheduler": {"template": {"containers": containers}}}}
    assert _picker(spec, "0.18")["containers"][0]["args"][-1] == text
