# SPDX-License-Identifier: GPL-3.0-or-later
"""The presets with which KServe's controller was recorded are known, taken and filled in."""

from __future__ import annotations

from typing import Any

import pytest

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.presets.admission_sample import template_refusal
from module_utils.kinds.llm_inference_service.presets.resolve import resolve
from module_utils.kinds.llm_inference_service.presets.selection import WELL_KNOWN
from module_utils.kinds.llm_inference_service.schema import config_schema
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import Json
from module_utils.kube.schema_check import check

from .recorded_llm_services import RECORDINGS, Recorded, read_all

CONTEXT = [
    one for path in sorted((RECORDINGS / "context").glob("*.yaml")) for one in read_all(path)
]
PRESETS = {
    one["metadata"]["name"]: one["spec"]
    for one in CONTEXT
    if one["kind"] == "LLMInferenceServiceConfig"
}


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_taken(name: str) -> None:
    assert check(config_schema(KServe.V0_17), PRESETS[name], "spec", keep_empty=True).problems == ()
    assert template_refusal(name, PRESETS[name], Settings()) is None


def test_every_well_known_name_has_its_preset() -> None:
    assert {name.removeprefix("kserve-") for name in PRESETS} == set(WELL_KNOWN)


def spec_of(**spec: Any) -> Json:
    """Return what a service with these presets comes to."""
    document = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "test-llm-preset", "namespace": "team-a"},
        "spec": {"model": {"uri": "hf://acme/chat", "name": "chat"}, **spec},
    }
    service = load(document, Settings()).service
    assert service is not None
    return resolve(service, Settings(), Recorded(CONTEXT)).spec


GROUPS: Json = {
    "parallelism": {"data": 4, "dataLocal": 2, "tensor": 1, "expert": True},
    "worker": {"containers": []},
}


@pytest.mark.parametrize(
    ("asked", "port", "words"),
    [
        ({}, 8000, ["serve /mnt/models", "--served-as chat", "--listen 8000"]),
        (
            {**GROUPS, "prefill": {}},
            8001,
            ["--listen 8001", "--expert=yes", "--tensor=1", "--data=4", "--data-local=2"],
        ),
    ],
    ids=["a single server", "a group of servers beside prefill"],
)
def test_a_preset_is_filled_in(asked: Json, port: int, words: list[str]) -> None:
    pod = spec_of(**asked)["template"]
    (main,) = pod["containers"]
    command = " ".join(main["command"])
    assert all(word in command for word in words)
    assert main["ports"] == [{"containerPort": port, "protocol": "TCP"}]
    (certificate,) = [each["secret"] for each in pod["volumes"] if "secret" in each]
    assert certificate == {"secretName": "test-llm-preset-kserve-self-signed-certs"}
