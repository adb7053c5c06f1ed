# SPDX-License-Identifier: GPL-3.0-or-later
"""The endpoint picker of a service. The letters are those of the controller's own test suite."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from ansible_collections.modelops.inference.plugins.module_utils.services.llm_inference_service.children.inference_pools import (
    as_old_pool,
)

from .build import document
from .preset_world import account, children, config_map, preset, refusal

Json = dict[str, Any]

TLS = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "chat-kserve-self-signed-certs", "namespace": "team-a"},
    "data": {"tls.crt": "YQ==", "tls.key": "Yg=="},
}
INLINE = {
    "kind": "EndpointPickerConfig",
    "plugins": [{"type": "custom", "parameters": {"a": "<b>"}}],
}


def picker(
    *manifests: Json, prefill: bool = False, bases: tuple[str, ...] = (), **scheduler: Any
) -> Json:
    """Return the picker's Deployment."""
    fields: Json = {"router": {"scheduler": scheduler}}
    fields |= {"prefill": {}} if prefill else {}
    fields |= {"baseRefs": [{"name": name} for name in bases]} if bases else {}
    found = children(document(**fields), *manifests)
    deployment: Json = found["Deployment", "chat-kserve-router-scheduler"]
    return deployment


def arguments(deployment: Json) -> list[str]:
    (main,) = deployment["spec"]["template"]["spec"]["containers"]
    given: list[str] = main["args"]
    return given


def own(*args: str) -> Json:
    return {"containers": [{"name": "main", "args": list(args)}]}


def base(scheduler: Json) -> Json:
    return preset("base", {"router": {"scheduler": scheduler}}, "team-a")


REFERENCE = {"config": {"ref": {"name": "epp", "key": "epp"}}}


def test_the_configuration_follows_from_the_input() -> None:
    """E1 to E4, E11, E12, E20, E25 to E29."""
    text = '{"kind":"EndpointPickerConfig","plugins":[{"parameters":{"a":"\\u003cb\\u003e"},"type":"custom"}]}'
    assert arguments(picker(config={"inline": INLINE})) == ["--grpc", "--config-text", text]
    given = picker(base({"template": own("--config-text", "mine")}), bases=("base",))
    assert arguments(given) == ["--config-text", "mine"]
    stored = config_map("epp", {"epp": "text: 1\n", "other": "text: 2\n"})
    assert arguments(picker(stored, **REFERENCE))[-1] == "text: 1\n"
    other = {"config": {"ref": {"name": "epp", "key": "other"}}}
    assert arguments(picker(stored, **other))[-1] == "text: 2\n"
    assert arguments(picker(base(REFERENCE), stored, bases=("base",)))[-1] == "text: 1\n"
    inherited = picker(base({"config": {"inline": INLINE}}), bases=("base",))
    assert arguments(inherited)[-1] == text
    both = picker(template=own("--config-file", "x"), config={"inline": INLINE})
    assert arguments(both) == ["--config-file", "x", "--config-text", text]


@pytest.mark.parametrize(
    "flag", ["--config-text", "-config-text", "-configText", "--config-file", "--configFile"]
)
def test_a_flag_with_a_value_is_left_alone(flag: str) -> None:
    assert arguments(picker(template=own(flag, "x"))) == [flag, "x"]
    assert "--config-text" in arguments(picker(template=own("a", flag)))[2:]


def test_by_default_queues_and_prefixes_are_weighed() -> None:
    """E6, E7."""
    text = arguments(picker())[-1]
    assert text.startswith("\napiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: ")
    (profile,) = yaml.safe_load(text)["schedulingProfiles"]
    assert profile["name"] == "default"
    assert {each["pluginRef"]: each.get("weight") for each in profile["plugins"]} == {
        "queue-scorer": 2,
        "prefix-cache-scorer": 3,
        "max-score-picker": None,
    }
    both = yaml.safe_load(arguments(picker(prefill=True))[-1])
    assert [each["name"] for each in both["schedulingProfiles"]] == ["prefill", "decode"]
    assert both["plugins"][-1] == {"type": "pd-profile-handler", "parameters": {"threshold": 0}}


def test_a_shared_configuration_is_found_in_kserves_namespace() -> None:
    """E8."""
    shared = config_map("config-scheduler-system", {"epp": "shared"}, "kserve")
    reference = {"config": {"ref": {"name": "config-scheduler-system", "key": ""}}}
    assert arguments(picker(shared, **reference))[-1] == "shared"


def test_a_missing_configuration_is_told() -> None:
    """E9, E10."""
    given = document(router={"scheduler": REFERENCE})
    assert 'ConfigMap / doesn\'t have key "epp" in data' in refusal(given)
    told = refusal(given, config_map("epp", {"x": "y"}))
    assert 'ConfigMap team-a/epp doesn\'t have key "epp" in data' in told
    assert "spec.router.scheduler.config.ref" in told


@pytest.mark.parametrize(("replicas", "flags"), [(2, 1), (1, 0), (None, 0)])
def test_several_pickers_elect_a_leader(replicas: int | None, flags: int) -> None:
    """E13 to E16."""
    given = {} if replicas is None else {"replicas": replicas}
    flag = "--ha-enable-leader-election"
    assert arguments(picker(**given)).count(flag) == flags
    assert arguments(picker(template=own(flag), **given)).count(flag) == 1


def test_a_new_certificate_starts_the_picker_anew() -> None:
    """E17, E18."""
    key = "certificates.kserve.io/cert-hash"
    annotations = picker(TLS)["spec"]["template"]["metadata"]["annotations"]
    # SHA-256 of "ab".
    assert annotations[key].startswith("fb8e20fc2e4c3f24")
    assert "annotations" not in picker()["spec"]["template"]["metadata"]
    reloading = picker(TLS, template=own("--enable-cert-reload"))
    assert "annotations" not in reloading["spec"]["template"]["metadata"]


def test_pickers_may_hold_leases() -> None:
    """E19."""
    rules = children(document(router={"scheduler": {}}))["Role", "chat-epp-role"]["rules"]
    (leases,) = [rule for rule in rules if rule["resources"] == ["leases"]]
    assert sorted(leases["verbs"]) == [
        "create",
        "delete",
        "get",
        "list",
        "patch",
        "update",
        "watch",
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"labels": {"a": "b"}},
        {"annotations": {"c": "d"}},
        {"labels": {"a": "b"}, "annotations": {"c": "d"}},
    ],
)
def test_labels_and_annotations_reach_the_pods(fields: Json) -> None:
    """E30 to E34."""
    deployment = picker(**fields)
    metadata = deployment["spec"]["template"]["metadata"]
    assert fields.get("labels", {}).items() <= metadata["labels"].items()
    assert metadata.get("annotations", {}) == fields.get("annotations", {})
    assert deployment["spec"]["selector"]["matchLabels"] == metadata["labels"]


def test_the_authors_account_is_used() -> None:
    template = {"serviceAccountName": "own", **own("--x")}
    given = document(router={"scheduler": {"template": template}})
    found = children(given, account("own"))
    assert ("ServiceAccount", "chat-epp-sa") not in found
    for kind, name in (
        ("RoleBinding", "chat-epp-rb"),
        ("ClusterRoleBinding", "team-a-chat-epp-auth-rb"),
    ):
        assert found[kind, name]["subjects"][0]["name"] == "own"
    assert 'ServiceAccount "own" not found' in refusal(given)


def test_somebody_elses_pool_means_no_picker() -> None:
    """B6: nothing of a picker, neither its pools."""
    found = children(document(router={"scheduler": {"pool": {"ref": {"name": "theirs"}}}}))
    assert not [name for kind, name in found if "epp" in name or kind == "InferencePool"]


def test_the_old_pool_holds_the_first_port() -> None:
    """G1: one pool in each group, the old one in its own shape."""
    spec = {
        "selector": {"matchLabels": {"a": "b"}},
        "targetPorts": [{"number": 8000}, {"number": 8001}],
        "endpointPickerRef": {
            "group": "",
            "kind": "Service",
            "name": "epp",
            "port": {"number": 9002},
        },
    }
    assert as_old_pool(spec) == {
        "selector": {"a": "b"},
        "targetPortNumber": 8000,
        "extensionRef": {"group": "", "kind": "Service", "name": "epp", "portNumber": 9002},
    }


def test_the_service_has_the_pickers_known_ports() -> None:
    """B5."""
    spec = children(document(router={"scheduler": {}}))["Service", "chat-epp-service"]["spec"]
    assert [(port["name"], port["port"], port["targetPort"]) for port in spec["ports"]] == [
        ("grpc", 9002, "grpc"),
        ("metrics", 9090, "metrics"),
    ]
