# SPDX-License-Identifier: GPL-3.0-or-later
"""What a list takes away from a baseRef is named, at the list that takes it away."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.checks.checked import told_by
from tests.unit.kinds.llm_inference_service.build import document

Json = dict[str, Any]


def base(name: str = "base", **spec: Any) -> Json:
    return {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceServiceConfig",
        "metadata": {"name": name, "namespace": "team-a"},
        "spec": spec,
    }


def pod(**main: Any) -> Json:
    return {"containers": [{"name": "main", **main}]}


def adapter(name: str) -> Json:
    return {"name": name, "uri": f"hf://acme/{name}"}


def needs(label: str) -> Json:
    term = {"matchExpressions": [{"key": label, "operator": "Exists"}]}
    required = {"nodeSelectorTerms": [term]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def told(*bases: Json, release: str = "0.17", **spec: Any) -> list[str]:
    names = [{"name": each["metadata"]["name"]} for each in bases]
    return told_by(("list-replaced",), document(baseRefs=names, **spec), *bases, release=release)


@pytest.mark.parametrize("release", ["0.17", "0.20"])
def test_lost_arguments_are_named(release: str) -> None:
    given = base(
        template=pod(args=["--max-model-len=8192", "--api-key=sk-1234567890abcdef", "--x"])
    )
    (message,) = told(given, template=pod(args=["--x", "--max-num-seqs=8"]), release=release)
    assert message.startswith("spec.template.containers[0].args: ")
    assert "--max-model-len=8192, --api-key=" in message
    assert " are lost" in message
    assert "sk-1234" not in message
    assert "--x" not in message


@pytest.mark.parametrize(
    ("lower", "upper", "field", "lost"),
    [
        ({"template": pod(command=["start.sh", "--fast"])}, {"template": pod(command=["vllm"])}, "spec.template.containers[0].command", "--fast is lost"),
        ({"template": pod(args=["launch", "--a=1"])}, {"template": pod(args=["--a=2"])}, "spec.template.containers[0].args", "launch is lost"),
        ({"prefill": {"template": pod(args=["--a=1"])}}, {"prefill": {"template": pod(args=["--b"])}}, "spec.prefill.template.containers[0].args",
            "--a=1 is lost"),
        ({"router": {"scheduler": {"template": pod(args=["--own=1"])}}}, {"router": {"scheduler": {"template": pod(args=["--v=4"])}}},
            "spec.router.scheduler.template.containers[0].args", "--own=1 is lost"),
        ({"template": {**pod(), "tolerations": [{"key": "gpu", "operator": "Exists"}]}}, {"template": {
            **pod(), "tolerations": [{"key": "spot", "operator": "Exists"}]}}, "spec.template.tolerations", "gpu is lost"),
        ({"model": {"uri": "hf://acme/chat", "lora": {"adapters": [adapter("a"), adapter("b")]}}}, {"model": {
            "uri": "hf://acme/chat", "lora": {"adapters": [adapter("b")]}}}, "spec.model.lora.adapters", "a is lost"),
        ({"router": {"gateway": {"refs": [{"name": "in", "namespace": "x"}]}}}, {"router": {"gateway": {"refs": [{
            "name": "out", "namespace": "x"}]}}}, "spec.router.gateway.refs", "in is lost"),
        ({"template": {**pod(), "affinity": needs("a.com/b")}}, {"template": {**pod(), "affinity": needs("a.com/c")}},
            "spec.template.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms", "nodeSelectorTerms[0] is lost"),
    ],
)  # fmt: skip
def test_every_list_that_is_replaced_is_looked_at(
    lower: Json, upper: Json, field: str, lost: str
) -> None:
    (message,) = told(base(**lower), **upper)
    assert message.startswith(f"{field}: ")
    assert lost in message


def test_a_baseref_that_replaces_another_is_named() -> None:
    first, second = (base(each, template=pod(args=[f"--{each}"])) for each in ("one", "two"))
    (message,) = told(first, second)
    assert message.startswith("spec.baseRefs[1].name: ")
    assert "--one is lost" in message


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        (pod(args=["--a=1", "--b"]), pod(args=["--b", "--a=2"])),
        (pod(args=["--a=1"]), pod(command=["vllm", "serve", "m", "--a=1"], args=["--b"])),
        (pod(args=["--a=1"]), pod(env=[{"name": "A", "value": "b"}])),
        (pod(args=["--a=1"]), {"containers": [{"name": "other", "image": "x", "args": ["--b"]}]}),
    ],
)
def test_what_is_kept_is_not_told(lower: Json, upper: Json) -> None:
    assert told(base(template=lower), template=upper) == []
