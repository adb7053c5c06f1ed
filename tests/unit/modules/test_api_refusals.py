# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server refuses is refused for every kind and for workloads that are given, at the field that its author wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from module_utils.kube.manifest import Json
from module_utils.modules import applyset, gpu_resources, llmisvc_reconcile
from tests.unit.accelerators.build import node

from .task import result_of

#: A mistake in a container or in a pod: where it stands, what is written there, and the field that is told.
CONTAINER: Mapping[str, tuple[str, Any, str]] = {
    "image with blanks": ("image", " vllm:1 ", "image"),
    "pull policy": ("imagePullPolicy", "Sometimes", "imagePullPolicy"),
    "name of a variable": ("env", [{"name": "a=b", "value": "c"}], "env[0].name"),
    "no source": ("env", [{"name": "A", "valueFrom": {}}], "env[0].valueFrom"),
    "two sources": (
        "env",
        [{"name": "A", "value": "b", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
        "env[0].valueFrom",
    ),
    "field of no pod": (
        "env",
        [
            {"name": "A", "value": "right"},
            {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "status.phase"}}},
        ],
        "env[1].valueFrom.fieldRef.fieldPath",
    ),
    "request over the limit": (
        "resources",
        {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}},
        "resources.requests.cpu",
    ),
    "name of a resource": ("resources", {"limits": {"gpu": "1"}}, "resources.limits.gpu"),
}
POD: Mapping[str, tuple[str, Any, str]] = {
    "toleration with a value": (
        "tolerations",
        [{"key": "a", "operator": "Exists", "value": "b"}],
        "tolerations[0].value",
    ),
    "effect of a toleration": (
        "tolerations",
        [{"operator": "Exists", "effect": "Never"}],
        "tolerations[0].effect",
    ),
    "key of a node selector": ("nodeSelector", {"a b": "c"}, 'nodeSelector["a b"]'),
    "value of a node selector": ("nodeSelector", {"a": "b/c"}, "nodeSelector.a"),
}
MISTAKES = {**CONTAINER, **POD}


def model_service(name: str, field: str, value: Any) -> tuple[Json, str]:
    role = field == "resources" or name in POD
    spec: Json = {
        "model": {"name": "acme/chat", "image": "models/chat:1"},
        "engine": {"image": "vllm:1"},
        "accelerator": {"type": "cpu"},
        "decode": {},
    }
    spec["decode" if role else "engine"][field] = value
    return of("model.otterscale.io/v1alpha1", "ModelService", spec), (
        "spec.decode" if role else "spec.engine"
    )


def llm_inference_service(name: str, field: str, value: Any) -> tuple[Json, str]:
    template, where = pod(name, field, value, "main")
    spec = {"model": {"uri": "hf://acme/chat"}, "template": template}
    document = of("serving.kserve.io/v1alpha2", "LLMInferenceService", spec)
    return document, f"spec.template{where}"


def inference_service(name: str, field: str, value: Any) -> tuple[Json, str]:
    template, where = pod(name, field, value, "kserve-container")
    document = of("serving.kserve.io/v1beta1", "InferenceService", {"predictor": template})
    return document, f"spec.predictor{where}"


def workload(name: str, field: str, value: Any) -> tuple[Json, str]:
    template, where = pod(name, field, value, "main")
    labels = {"app": "chat"}
    spec = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": template},
    }
    return of("apps/v1", "Deployment", spec), f"spec.template.spec{where}"


def pod(name: str, field: str, value: Any, container: str) -> tuple[Json, str]:
    """Return a pod with a mistake, and where in it that stands."""
    made: Json = {"containers": [{"name": container, "image": "vllm:1"}]}
    if name in POD:
        return {**made, field: value}, ""
    made["containers"][0][field] = value
    return made, ".containers[0]"


def of(api_version: str, kind: str, spec: Json) -> Json:
    metadata = {"name": "chat", "namespace": "team-a"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def told(module: Any, **options: Any) -> str:
    """Return what a module fails with."""
    result = result_of(module, options)
    assert result.get("failed"), result
    message: str = result["msg"]
    assert "Traceback" not in message
    return message


def rendered(document: Json) -> str:
    return told(llmisvc_reconcile, state="rendered", services=[document])


def judged(document: Json) -> str:
    return told(gpu_resources, state="gathered", services=[document], cluster_objects=[node("a")])


def installed(document: Json) -> str:
    return told(applyset, state="rendered", name="set", namespace="sets", definition=[document])


DOORS = {
    "ModelService": (model_service, rendered),
    "LLMInferenceService": (llm_inference_service, rendered),
    "InferenceService": (inference_service, rendered),
    "service of gpu_resources": (llm_inference_service, judged),
    "workload of gpu_resources": (workload, judged),
    "workload of applyset": (workload, installed),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("door", DOORS)
def test_what_the_api_refuses_is_refused_at_the_field_of_its_author(
    door: str, mistake: str
) -> None:
    make, ask = DOORS[door]
    field, value, path = MISTAKES[mistake]
    document, where = make(mistake, field, value)
    assert f"  {where}.{path}: " in ask(document)


@pytest.mark.parametrize("door", DOORS)
def test_a_mistake_is_told_once(door: str) -> None:
    make, ask = DOORS[door]
    document, dummy = make("pull policy", "imagePullPolicy", "Sometimes")
    assert ask(document).count('"Sometimes"') == 1


def test_what_a_preset_says_is_told_of_the_preset() -> None:
    preset = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceServiceConfig",
        "metadata": {"name": "mine", "namespace": "team-a"},
        "spec": {
            "template": {"containers": [{"name": "main", "imagePullPolicy": "Sometimes"}]},
        },
    }
    spec = {"model": {"uri": "hf://acme/chat"}, "baseRefs": [{"name": "mine"}]}
    document = of("serving.kserve.io/v1alpha2", "LLMInferenceService", spec)
    message = told(
        llmisvc_reconcile, state="rendered", services=[document], cluster_objects=[preset]
    )
    place = "LLMInferenceServiceConfig team-a/mine: spec.template.containers[0].imagePullPolicy: "
    assert place in message


def test_what_a_runtime_says_is_told_of_the_runtime() -> None:
    runtime = {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ClusterServingRuntime",
        "metadata": {"name": "sklearn"},
        "spec": {
            "supportedModelFormats": [{"name": "sklearn", "autoSelect": True}],
            "containers": [{"name": "kserve-container", "image": "sklearn:1"}],
            "tolerations": [{"key": "a", "operator": "Exists", "value": "b"}],
        },
    }
    spec = {"predictor": {"model": {"modelFormat": {"name": "sklearn"}, "storageUri": "pvc://a/b"}}}
    document = of("serving.kserve.io/v1beta1", "InferenceService", spec)
    message = told(
        llmisvc_reconcile, state="rendered", services=[document], cluster_objects=[runtime]
    )
    assert "ClusterServingRuntime sklearn: spec.tolerations[0].value: " in message


#: A mistake that the schema refuses, and one that only a look at the compiled service finds.
OTHERS = {
    "schema": ("spec.predictor.storageUris[0].uri", {"storageUris": [{"uri": 3}]}),
    "compile": (
        "spec.predictor.model.modelFormat",
        {"model": {"modelFormat": {"name": "nobody-serves-this"}, "storageUri": "s3://a/b"}},
    ),
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize(
    "make",
    [model_service, llm_inference_service, inference_service],
    ids=lambda make: make.__name__,
)
def test_what_the_api_refuses_is_told_with_what_is_wrong_with_other_services(
    make: Any, other: str
) -> None:
    refused, where = make("pull policy", "imagePullPolicy", "Sometimes")
    path, predictor = OTHERS[other]
    wrong = of("serving.kserve.io/v1beta1", "InferenceService", {"predictor": predictor})
    wrong["metadata"] = {"name": "other", "namespace": "team-a"}
    message = told(llmisvc_reconcile, state="rendered", services=[refused, wrong])
    assert f"  {where}.imagePullPolicy: " in message
    assert f"  {path}: " in message
