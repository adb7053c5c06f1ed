# SPDX-License-Identifier: GPL-3.0-or-later
"""What the picker's command line says against the objects that are made around it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.modules.task import run

from .services import llm, scheduled

Json = dict[str, Any]
ARGS = "spec.router.scheduler.template.containers[0].args"
RIGHT = ("--pool-name", "chat-inference-pool", "--pool-namespace", "team-a", "--grpc-port", "9002")
CONFIG: Json = {
    "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
    "kind": "EndpointPickerConfig",
    "plugins": [{"type": "queue-scorer"}, {"type": "max-score-picker"}],
    "schedulingProfiles": [
        {
            "name": "default",
            "plugins": [{"pluginRef": "queue-scorer"}, {"pluginRef": "max-score-picker"}],
        }
    ],
}


@pytest.mark.parametrize(
    ("parameters", "read_by"),
    [({"hashBlockSize": 5}, "0.19"), ({"hashBlockSize": 5, "blockSize": 64}, "0.20")],
)
def test_what_kserve_rewrites_of_a_configuration_is_judged_as_the_picker_reads_it(
    parameters: Json, read_by: str
) -> None:
    old = {**CONFIG, "plugins": [*CONFIG["plugins"], {"type": "prefix-cache-scorer"}]}
    old["plugins"][-1]["parameters"] = parameters
    scheduler = {"config": {"inline": old}, "annotations": {"app.kubernetes.io/version": "0.7.0"}}
    service = llm(router={"route": {}, "scheduler": scheduler})

    def said(release: str) -> str:
        result = run(state="rendered", services=[service], releases={"kserve": release})
        assert not result.get("failed"), result["msg"]
        problems = result["services"][0]["problems"]
        return str([each["message"] for each in problems if each["rule"] == "picker-advice"])

    assert "hashBlockSize" in said("0.17")
    assert "hashBlockSize" not in said(read_by)


def told(*args: str, **scheduler: Any) -> list[str]:
    router = scheduled(*args)
    router["scheduler"] |= scheduler
    result = run(state="rendered", services=[llm(router=router)])
    assert not result.get("failed"), result["msg"]
    problems = result["services"][0]["problems"]
    return [
        f"{each['path']}: {each['message']}" for each in problems if each["rule"] == "picker-flag"
    ]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            ("--pool-name=other",),
            f"{ARGS}[0]: --pool-name is other, and for the pool of this service it is chat-inference-pool",
        ),
        ((*RIGHT[:3], "other"), "--pool-namespace is other"),
        (("--zap-encoder=json",), f"{ARGS}: the picker's arguments have no --pool-name"),
        ((*RIGHT, "--metrics-port=9091"), "--metrics-port is 9091, and the ports"),
        ((*RIGHT[:4], "--grpc-port", "9005"), "--grpc-port is 9005"),
        ((*RIGHT, "--grpc-helth-port=9003"), "write --grpc-health-port"),
        (
            (*RIGHT, "--config-file=/own", "--config-text", "{}"),
            "--config-file has no effect beside --config-text",
        ),
        (
            (*RIGHT, "--config-text={}"),
            "beside the one that the controller adds, which the picker reads; write the flag and its value as two items",
        ),
    ],
)
def test_flag_that_contradicts_what_is_made_is_told(args: tuple[str, ...], said: str) -> None:
    (message,) = told(*args)
    assert said in message


def test_text_beside_the_configuration_of_the_service_is_told() -> None:
    (message,) = told(*RIGHT, "--config-text", "{}", config={"inline": CONFIG})
    assert (
        f"{ARGS}[6]: --config-text has no effect beside the one that the controller adds" in message
    )
    assert "keep one of them" in message


@pytest.mark.parametrize(
    "args",
    [
        RIGHT,
        (*RIGHT, "--config-text", "{}", "--v=4", "--own-flag"),
        ("--endpoint-selector=app=x",),
        ("--pool-name=$(POOL)", "--pool-namespace=$(NAMESPACE)"),
    ],
)
def test_flag_that_says_the_same_is_not(args: tuple[str, ...]) -> None:
    assert told(*args) == []
