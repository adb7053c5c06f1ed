# SPDX-License-Identifier: GPL-3.0-or-later
"""The endpoint picker of a service. The letters are those of the controller's own test suite."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from module_utils.kinds.llm_inference_service.children.inference_pools import as_old_pool
from module_utils.kube.manifest import Json

from .build import document
from .preset_world import account, children, config_map, preset, refusal

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


STORED = config_map("epp", {"epp": "text: 1\n", "other": "text: 2\n"})
INLINE_TEXT = '{"kind":"EndpointPickerConfig","plugins":[{"parameters":{"a":"\\u003cb\\u003e"},"type":"custom"}]}'
OTHER_KEY = {"config": {"ref": {"name": "epp", "key": "other"}}}


def live(*args: str, container: str = "main") -> Json:
    """Return a picker that runs with these arguments."""
    pod = {"containers": [{"name": container, "args": list(args)}]}
    metadata = {"name": "chat-kserve-router-scheduler", "namespace": "team-a"}
    spec = {"template": {"spec": pod}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


#: Objects that are there, bases of the service, what it says of its picker, and the arguments that the picker gets.
CONFIGURED: dict[str, tuple[list[Json], tuple[str, ...], Json, list[str]]] = {
    "an inline configuration is passed on": (
        [],
        (),
        {"config": {"inline": INLINE}},
        ["--grpc", "--config-text", INLINE_TEXT],
    ),
    "a base's flag stays as it is": (
        [base({"template": own("--config-text", "mine")})],
        ("base",),
        {},
        ["--config-text", "mine"],
    ),
    "the known key of a ConfigMap is read": (
        [STORED],
        (),
        {"config": {"ref": {"name": "epp", "key": ""}}},
        ["--grpc", "--config-text", "text: 1\n"],
    ),
    "another key of a ConfigMap is read": (
        [STORED],
        (),
        OTHER_KEY,
        ["--grpc", "--config-text", "text: 2\n"],
    ),
    "what the ConfigMap says now counts": (
        [config_map("epp", {"epp": "text: 3\n"})],
        (),
        REFERENCE,
        ["--grpc", "--config-text", "text: 3\n"],
    ),
    "a shared configuration is found in KServe's namespace": (
        [config_map("config-scheduler-system", {"epp": "shared"}, "kserve")],
        (),
        {"config": {"ref": {"name": "config-scheduler-system", "key": ""}}},
        ["--grpc", "--config-text", "shared"],
    ),
    "a base's reference is used": (
        [base(REFERENCE), STORED],
        ("base",),
        {},
        ["--grpc", "--config-text", "text: 1\n"],
    ),
    "a base's inline configuration is used": (
        [base({"config": {"inline": INLINE}})],
        ("base",),
        {},
        ["--grpc", "--config-text", INLINE_TEXT],
    ),
    "an inline configuration beats the live one": (
        [live("--config-text", "old")],
        (),
        {"config": {"inline": INLINE}},
        ["--grpc", "--config-text", INLINE_TEXT],
    ),
    "an inline configuration needs no live picker": (
        [],
        (),
        {"config": {"inline": INLINE}, "replicas": 1},
        ["--grpc", "--config-text", INLINE_TEXT],
    ),
    "a flag of the template is left alone": (
        [],
        (),
        {"template": own("--config-file", "x")},
        ["--config-file", "x"],
    ),
    "an inline configuration comes after a flag of the template": (
        [],
        (),
        {"template": own("--config-file", "x"), "config": {"inline": INLINE}},
        ["--config-file", "x", "--config-text", INLINE_TEXT],
    ),
}


@pytest.mark.parametrize("row", CONFIGURED)
def test_the_configuration_follows_from_the_input(row: str) -> None:
    there, bases, scheduler, wanted = CONFIGURED[row]
    assert arguments(picker(*there, bases=bases, **scheduler)) == wanted


#: A picker that runs already. Ours follows from the input alone: docs/differences.md, L18.
LIVE = {
    "without a live picker the release's own configuration is taken": None,
    "a live configuration is not kept": live("--config-text", "old"),
    "a live configuration of another spelling is not kept": live("-config-text", "old"),
    "a live file is not kept": live("--config-file", "old"),
    "a flag of another container is not looked at": live("--config-text", "old", container="other"),
    "a live flag without a value is not looked at": live("--config-text"),
}


@pytest.mark.parametrize("row", LIVE)
def test_a_live_picker_decides_nothing(row: str) -> None:
    before = LIVE[row]
    assert arguments(picker(*([before] if before else []))) == arguments(picker())


@pytest.mark.parametrize(
    "flag", ["--config-text", "-config-text", "-configText", "--config-file", "--configFile"]
)
def test_a_flag_with_a_value_is_left_alone(flag: str) -> None:
    assert arguments(picker(template=own(flag, "x"))) == [flag, "x"]
    assert "--config-text" in arguments(picker(template=own("a", flag)))[2:]


def test_by_default_queues_and_prefixes_are_weighed() -> None:
    text = arguments(picker())[-1]
    assert text.startswith("\napiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: ")
    (profile,) = yaml.safe_load(text)["schedulingProfiles"]
    assert profile["name"] == "default"
    assert {each["pluginRef"]: each.get("weight") for each in profile["plugins"]} == {
        "queue-scorer": 2,
        "prefix-cache-scorer": 3,
        "max-score-picker": None,
    }


def test_with_prefill_each_role_has_its_profile() -> None:
    both = yaml.safe_load(arguments(picker(prefill=True))[-1])
    assert [each["name"] for each in both["schedulingProfiles"]] == ["prefill", "decode"]
    assert both["plugins"][-1] == {"type": "pd-profile-handler", "parameters": {"threshold": 0}}
    kinds = {each["type"] for each in both["plugins"]}
    assert kinds >= {"prefill-header-handler", "prefill-filter", "decode-filter"}


#: ConfigMaps that are there, and what is told.
MISSING: dict[str, tuple[list[Json], str]] = {
    "a ConfigMap that is not there is told": ([], "ConfigMap / doesn't have key"),
    "a key that is not there is told": (
        [config_map("epp", {"x": "y"})],
        "ConfigMap team-a/epp doesn't have key",
    ),
}


@pytest.mark.parametrize("row", MISSING)
def test_a_missing_configuration_is_told(row: str) -> None:
    there, message = MISSING[row]
    told = refusal(document(router={"scheduler": REFERENCE}), *there)
    assert f'{message} "epp" in data' in told
    assert "spec.router.scheduler.config.ref" in told


FLAG = "--ha-enable-leader-election"
#: What is said of the picker, and how often the flag stands in its arguments.
LEADERS: dict[str, tuple[Json, int]] = {
    "two pickers elect a leader": ({"replicas": 2}, 1),
    "one picker elects none": ({"replicas": 1}, 0),
    "one picker by default elects none": ({}, 0),
    "a flag that is there is not repeated": ({"replicas": 2, "template": own(FLAG)}, 1),
}


@pytest.mark.parametrize("row", LEADERS)
def test_several_pickers_elect_a_leader(row: str) -> None:
    scheduler, flags = LEADERS[row]
    assert arguments(picker(**scheduler)).count(FLAG) == flags


RESTART = "certificates.kserve.io/cert-hash"


def test_a_new_certificate_starts_the_picker_anew() -> None:
    annotations = picker(TLS)["spec"]["template"]["metadata"]["annotations"]
    # SHA-256 of "ab".
    assert annotations[RESTART].startswith("fb8e20fc2e4c3f24")
    assert "annotations" not in picker()["spec"]["template"]["metadata"]


def test_a_picker_that_reads_certificates_anew_is_not_restarted() -> None:
    reloading = picker(TLS, template=own("--enable-cert-reload"))
    assert "annotations" not in reloading["spec"]["template"]["metadata"]


def test_pickers_may_hold_leases() -> None:
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


PASSED_ON: dict[str, Json] = {
    "labels and annotations reach the pods": {
        "labels": {"a": "b"},
        "annotations": {"c": "d"},
    },
    "without them there are none": {},
    "labels alone reach the pods": {"labels": {"a": "b"}},
    "annotations alone reach the pods": {"annotations": {"c": "d"}},
    "any key is passed on": {
        "labels": {"kueue.x-k8s.io/queue-name": "q", "team": "a"},
        "annotations": {"internal.serving.kserve.io/x": "y"},
    },
}


@pytest.mark.parametrize("row", PASSED_ON)
def test_labels_and_annotations_reach_the_pods(row: str) -> None:
    fields = PASSED_ON[row]
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
    """Nothing of a picker, neither its pools."""
    found = children(document(router={"scheduler": {"pool": {"ref": {"name": "theirs"}}}}))
    assert not [name for kind, name in found if "epp" in name or kind == "InferencePool"]


def test_the_old_pool_holds_the_first_port() -> None:
    """One pool in each group, the old one in its own shape."""
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
    spec = children(document(router={"scheduler": {}}))["Service", "chat-epp-service"]["spec"]
    assert [(port["name"], port["port"], port["targetPort"]) for port in spec["ports"]] == [
        ("grpc", 9002, "grpc"),
        ("metrics", 9090, "metrics"),
    ]
