# SPDX-License-Identifier: GPL-3.0-or-later
"""A logger that sends to no address is told at its field, in every component that can have one."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kube.manifest import Json
from tests.unit.checks.services import inference_service, runtime
from tests.unit.checks.surroundings import CONFIG
from tests.unit.modules.task import run

MODEL = {"modelFormat": {"name": "huggingface"}, "storageUri": "hf://acme/chat"}
STORE = {"path": "/logs", "key": "s3", "parameters": {"type": "s3"}}
TRANSFORMER = {"containers": [{"name": "kserve-container", "image": "example.com/t:1"}]}


def told(role: str, **logger: Any) -> list[str]:
    spec: Json = {"predictor": {"model": MODEL}, "transformer": dict(TRANSFORMER)}
    spec[role]["logger"] = {"mode": "all", **logger}
    document = {**inference_service(), "spec": spec}
    result = run(state="rendered", services=[document], cluster_objects=[CONFIG, runtime()])
    assert not result.get("failed"), result["msg"]
    problems = result["services"][0]["problems"]
    return [
        f"{each['path']}: {each['message']}" for each in problems if each["rule"] == "logger-url"
    ]


@pytest.mark.parametrize("role", ["predictor", "transformer"])
@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("sink.team-a.svc", "write http://sink.team-a.svc"),
        ("sink:8080", "write http://sink:8080"),
        ("htp://sink", "write http://sink"),
        ("http://", "write http://host"),
        ("http://a b", "a host"),
        ("http://sink:99999", "a host"),
        ("s3://bucket/logs", "write http://"),
    ],
)
def test_logger_without_an_address_is_told(role: str, url: str, wanted: str) -> None:
    (message,) = told(role, url=url)
    assert message.startswith(f'spec.{role}.logger.url: "{url}" is not a URL')
    assert wanted in message


@pytest.mark.parametrize(
    "logger",
    [
        {},
        {"url": "http://sink"},
        {"url": "https://sink.team-a.svc:8443/a?b"},
        {"url": "s3://bucket/logs", "storage": STORE},
    ],
)
def test_logger_with_an_address_is_not(logger: Json) -> None:
    assert told("predictor", **logger) == []


def test_address_of_what_shapes_events_is_told_as_well() -> None:
    (message,) = told("predictor", url="http://sink", marshallerUrl="shaper:80")
    assert message.startswith("spec.predictor.logger.marshallerUrl")
