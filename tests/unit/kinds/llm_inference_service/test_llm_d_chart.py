# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of llm-d's chart become a service that renders; what is not carried over is told, and nothing is lost in silence."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

from module_utils.kinds.llm_inference_service.llm_d_chart.convert import Converted, convert
from module_utils.kube.manifest import Json
from module_utils.kube.problem import InputError
from module_utils.modules import llmisvc_reconcile as entry


def container(**more: Any) -> Json:
    """Return a container as the chart takes it."""
    return {"name": "vllm", "image": "acme/vllm:1", "modelCommand": "vllmServe", **more}


def values(decode: Json | None = None, **more: Any) -> Json:
    """Return values with one decode pod."""
    return {
        "modelArtifacts": {"name": "acme/chat", "uri": "hf://acme/chat"},
        "decode": {"containers": [container()], **(decode or {})},
        **more,
    }


def converted(given: Json) -> Converted:
    return convert(given, "chat", "team-a")


def main_of(found: Converted, *, role: str = "") -> Json:
    spec = found.service["spec"]
    part = spec[role] if role else spec
    (first, *dummy) = part["template"]["containers"]
    assert first["name"] == "main"
    return dict(first)


#: Values, and what they become: path in the spec → value.
CARRIED: list[tuple[Json, str, Any]] = [
    (values(), "model", {"uri": "hf://acme/chat", "name": "acme/chat"}),
    (values(), "router", {"gateway": {}, "route": {}, "scheduler": {}}),
    (values({"replicas": 3}), "replicas", 3),
    (values({"replicas": "3"}), "replicas", 3),
    (values({"parallelism": {"tensor": 4}}), "parallelism", {"tensor": 4}),
    (
        values({"parallelism": {"data": 16, "dataLocal": 8}}),
        "parallelism",
        {"data": 16, "dataLocal": 8},
    ),
    (
        values({"parallelism": {"dataLocal": 8, "workers": 2}}, multinode=True),
        "parallelism",
        {"data": 16, "dataLocal": 8},
    ),
    (
        values({"parallelism": {"data": 16, "workers": 2}}, multinode=True),
        "parallelism",
        {"data": 16, "dataLocal": 8},
    ),
    (values({"nodeSelector": {"a": "b"}}), "template.nodeSelector", {"a": "b"}),
    (values({"schedulerName": "own"}, schedulerName="all"), "template.schedulerName", "own"),
    (values(schedulerName="all"), "template.schedulerName", "all"),
    (values({"priorityClassName": "high"}), "template.priorityClassName", "high"),
    (values({"priorityClassName": "None"}), "template.priorityClassName", None),
    (values({"extraConfig": {"dnsPolicy": "Default"}}), "template.dnsPolicy", "Default"),
    (values({"podSecurityContext": {"fsGroup": 7}}), "template.securityContext", {"fsGroup": 7}),
    (values({"podAnnotations": {"a": "b"}}), "annotations", {"a": "b"}),
    (values({"autoscaling": {"enabled": True}}), "replicas", None),
    (values(serviceAccountOverride="own"), "template.serviceAccountName", "own"),
    (
        values(tracing={"enabled": True, "sampling": {"samplerArg": 0.1}}),
        "tracing.samplerArg",
        "0.1",
    ),
    (values(prefill={"replicas": 2, "containers": [container()]}), "prefill.replicas", 2),
    (values(prefill={"replicas": 0, "containers": [container()]}), "prefill", None),
    (values(prefill={"create": False, "replicas": 2}), "prefill", None),
]


def at(service: Json, path: str) -> Any:
    found: Any = service["spec"]
    for name in path.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found


@pytest.mark.parametrize(("given", "path", "wanted"), CARRIED)
def test_value_is_carried_over(given: Json, path: str, wanted: Any) -> None:
    assert at(converted(given).service, path) == wanted


#: Accelerator and sizes, image, and the limits of the container.
DEVICES: list[tuple[Json, Json, str, Json]] = [
    ({}, {}, "acme/vllm:1", {"nvidia.com/gpu": "1"}),
    ({"type": "amd"}, {"tensor": 2, "dataLocal": 2}, "acme/vllm:1", {"amd.com/gpu": "4"}),
    ({"type": "cpu"}, {}, "acme/vllm:1", {}),
    ({"type": "nvidia"}, {"tensor": 2}, "ghcr.io/llm-d/llm-d-inference-sim:1", {}),
    ({"resources": {"nvidia": "acme.com/gpu"}}, {}, "acme/vllm:1", {"acme.com/gpu": "1"}),
    ({"type": "of-tomorrow"}, {}, "acme/vllm:1", {"nvidia.com/gpu": "1"}),
]


@pytest.mark.parametrize(("accelerator", "sizes", "image", "limits"), DEVICES)
def test_devices_follow_from_accelerator_and_parallelism(
    accelerator: Json, sizes: Json, image: str, limits: Json
) -> None:
    given = values(
        {"parallelism": sizes, "containers": [container(image=image)]}, accelerator=accelerator
    )
    assert main_of(converted(given)).get("resources", {}).get("limits", {}) == limits


def test_devices_that_the_author_gives_stay() -> None:
    own = container(resources={"limits": {"google.com/tpu": "4", "cpu": "8"}})
    given = values(
        {"containers": [own], "parallelism": {"tensor": 8}, "accelerator": {"type": "google"}}
    )
    limits = main_of(converted(given))["resources"]["limits"]
    assert limits == {"google.com/tpu": "4", "cpu": "8"}


def test_flags_of_the_preset_are_left_to_it() -> None:
    words = ["--port", "9000", "--max-model-len", "8", "--served-model-name=x", "--enforce-eager"]
    found = converted(values({"containers": [container(args=words)]}))
    assert main_of(found)["args"] == ["--max-model-len", "8", "--enforce-eager"]
    assert {path for path in found.left if ".args" in path} == {
        "decode.containers[0].args[0]",
        "decode.containers[0].args[4]",
    }


def test_own_command_is_carried_with_the_variables_that_the_chart_gives_it() -> None:
    own = container(modelCommand="custom", command=["sh", "-c"], args=["serve $TP_SIZE"])
    found = converted(values({"containers": [own], "parallelism": {"tensor": 2}}))
    main = main_of(found)
    assert (main["command"], main["args"]) == (["sh", "-c"], ["serve $TP_SIZE"])
    assert {"name": "TP_SIZE", "value": "2"} in main["env"]
    assert "decode.containers[0].command" in found.left


def test_variable_of_the_author_goes_before_that_of_the_accelerator() -> None:
    own = {"name": "VLLM_USE_V1", "value": "0"}
    given = values({"containers": [container(env=[own])]}, accelerator={"type": "intel-i915"})
    variables = main_of(converted(given))["env"]
    assert [each for each in variables if each["name"] == "VLLM_USE_V1"] == [own]
    assert len(variables) == 3


def test_token_gets_an_account_that_fetches_the_model() -> None:
    given = values()
    given["modelArtifacts"]["authSecretName"] = "hf"
    found = converted(given)
    (account,) = found.objects
    assert account["secrets"] == [{"name": "hf"}]
    assert found.service["spec"]["template"]["serviceAccountName"] == account["metadata"]["name"]


def test_groups_have_workers_like_their_leader() -> None:
    spec = converted(
        values({"parallelism": {"dataLocal": 8, "workers": 2}}, multinode=True)
    ).service["spec"]
    assert spec["worker"] == spec["template"]
    assert spec["worker"] is not spec["template"]


@pytest.mark.parametrize(
    ("uri", "wanted"),
    [
        ("hf://{{ .Values.modelArtifacts.name }}", "hf://acme/chat"),
        ('hf://"{{ .Values.modelArtifacts.name | quote }}"', "hf://acme/chat"),
        ("pvc://models/chat", "pvc://models/chat"),
        ("oci://acme/chat:1", "oci://acme/chat:1"),
        ("pvc+hf://cache/hub/acme/chat", "hf://acme/chat"),
    ],
)
def test_address_of_the_model(uri: str, wanted: str) -> None:
    given = values()
    given["modelArtifacts"]["uri"] = uri
    assert converted(given).service["spec"]["model"]["uri"] == wanted


def test_template_of_helm_is_told() -> None:
    own = {"name": "URL", "value": "http://{{ .Release.Name }}"}
    left = converted(values({"containers": [container(env=[own])]})).left
    assert "template of Helm" in left["spec.template.containers[0].env[0].value"]


#: Values that cannot be, and a part of what is said at which path.
REFUSED: list[tuple[Json, str, str]] = [
    (values({"create": False}), "decode.create", "leave it out"),
    (values({"replicas": "many"}), "decode.replicas", "not a whole number"),
    (values({"parallelism": {"tensor": 0}}), "decode.parallelism.tensor", "below 1"),
    (values({"parallelism": {"data": 3, "dataLocal": 2}}), "decode.parallelism.data", "multiple"),
    (values({"containers": {}}), "decode.containers", "not a list"),
    (values({"containers": ["vllm"]}), "decode.containers[0]", "not a mapping"),
    (values({"containers": [container(modelCommand="x")]}), "modelCommand", "none of"),
    (values({"containers": [{"name": "vllm"}]}), "decode.containers[0].command", "needs a command"),
    (values(multinode="yes"), "multinode", "not true or false"),
    (values(modelArtifacts=[]), "modelArtifacts", "not a mapping"),
    (values(modelArtifacts={"uri": "https://a"}), "modelArtifacts.uri", "begins with none"),
]


@pytest.mark.parametrize(("given", "path", "words"), REFUSED)
def test_wrong_value_is_told_at_its_path(given: Json, path: str, words: str) -> None:
    with pytest.raises(InputError) as told:
        converted(given)
    assert path in str(told.value)
    assert words in str(told.value)


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(InputError) as told:
        converted(values({"replicas": "many", "create": False}, multinode="yes"))
    assert "3 problems" in str(told.value)


WIDE = values(
    {
        "replicas": 2,
        "parallelism": {"tensor": 2},
        "strategy": {"type": "Recreate"},
        "subGroupPolicy": {"subGroupSize": 8},
        "tolerations": [{"operator": "Exists"}],
        "volumes": [{"name": "tmp", "emptyDir": {}}],
        "initContainers": [{"name": "first", "image": "acme/first:1"}],
        "acceleratorTypes": {"labelKey": "gpu", "labelValues": ["h100"]},
        "monitoring": {"podmonitor": {"enabled": True, "interval": "10s"}},
        "containers": [
            container(ports=[{"containerPort": 8200}], tty=True),
            {"name": "log", "image": "acme/log:1"},
        ],
        "of-tomorrow": {"deep": [{"er": 7}]},
    },
    prefill={"replicas": 1, "containers": [container()]},
    accelerator={"type": "nvidia"},
    routing={"servicePort": 8080, "proxy": {"zapLogLevel": "info"}},
    extraObjects=[{"kind": "ConfigMap"}],
    fullnameOverride="own",
    requester={"enable": True},
)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, below in value.items():
            yield from leaves(below, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from leaves(below, f"{path}[{index}]")
    else:
        yield path, value


def without(given: Json, path: str) -> Json:
    """Return values without one leaf, and without what is empty then."""
    parts = path.replace("[", ".[").split(".")
    found = copy.deepcopy(given)
    chain: list[tuple[Any, Any]] = []
    here: Any = found
    for part in parts:
        key = int(part[1:-1]) if part.startswith("[") else part
        chain.append((here, key))
        here = here[key]
    for holder, key in reversed(chain):
        del holder[key]
        if holder:
            break
    return found


#: What the chart's defaults say as well, so that it may be left out unseen.
SAME_AS_DEFAULT = {
    "modelArtifacts.uri",
    "accelerator.type",
    "decode.containers[0].name",
    "prefill.containers[0].name",
}


@pytest.mark.parametrize(
    "path", [path for path, dummy in leaves(WIDE) if path not in SAME_AS_DEFAULT]
)
def test_no_value_is_lost_in_silence(path: str) -> None:
    """Without a value the service is another one, or the report is: each one is carried over or told."""
    try:
        other = converted(without(WIDE, path)).to_json()
    except InputError:
        return
    assert other != converted(WIDE).to_json()


@pytest.mark.parametrize("seed", range(40))
def test_value_that_nobody_knows_is_told(seed: int) -> None:
    chance = random.Random(seed)
    given = copy.deepcopy(WIDE)
    holders = [given, given["decode"], given["prefill"], given["routing"], given["modelArtifacts"]]
    holders += [given["decode"]["containers"][0], given["decode"]["parallelism"]]
    holder = chance.choice(holders)
    name = f"unheard-{seed}"
    holder[name] = chance.choice([7, "text", True, {"a": 1}, [{"b": 2}], ["c"]])
    assert any(name in path for path in converted(given).left)


def test_service_of_wide_values_renders() -> None:
    found = converted(WIDE)
    params = {
        **{name: option.get("default") for name, option in entry.ARGUMENT_SPEC.items()},
        "state": "rendered",
        "services": [found.service],
        "settings": {"config_prefix": "modelops-"},
    }
    made = entry.run(params, check_mode=False, diff=False, environment={}, progress=print)
    kinds = [each["kind"] for each in made["manifests"]]
    assert kinds.count("Deployment") == 3
    wrong = [
        problem
        for each in made["services"]
        for problem in each["problems"]
        if problem["severity"] == "error"
    ]
    assert wrong == []
