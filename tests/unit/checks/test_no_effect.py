# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that change nothing are named with the reason, and no line that does."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.modelops.inference.plugins.module_utils.kinds.metadata_names import meant
from tests.parity.recorded_llm_services import RECORDINGS, read_all

from .checked import problems_of
from .services import annotated, custom, custom_with, llm, model_service, runtime
from .surroundings import CONFIG

Json = dict[str, Any]
#: KServe's own presets and configuration, as they were recorded.
SHIPPED = [
    one for path in sorted((RECORDINGS / "context").glob("*.yaml")) for one in read_all(path)
]
SCALING = {"minReplicas": 1, "maxReplicas": 3, "wva": {"hpa": {}}}
KNATIVE_SCALE = 'metadata.annotations["autoscaling.knative.dev/max-scale"]'
ADAPTERS = {"uri": "hf://a/b", "lora": {"adapters": [{"name": "x", "uri": "hf://a/x"}]}}
MAIN = {"name": "main"}


def told(service: Json, *objects: Json, release: str = "0.17") -> dict[str, str]:
    """Return what is said to have no effect: path → message."""
    return {
        each["path"]: each["message"]
        for each in problems_of(service, *objects, release=release)
        if each["rule"] == "no-effect"
    }


@pytest.mark.parametrize(
    ("service", "objects", "path", "text"),
    [
        (llm(parallelism={"tensor": 2}), SHIPPED, "spec.parallelism.tensor", "args of the container main"),
        (
            llm(parallelism={"tensor": 2}, prefill={"parallelism": {"tensor": 2, "expert": True}}),
            SHIPPED,
            "spec.prefill.parallelism",
            "spec.prefill.worker",
        ),
        (llm(model=ADAPTERS), [], "spec.model.lora", "--lora-modules"),
        (llm(scaling=SCALING), [], "spec.scaling", "from 0.18 on"),
        (annotated(llm(), "autoscaling.knative.dev/max-scale"), [], KNATIVE_SCALE, "Knative reads it on its own objects"),
        (
            annotated(llm(), "serving.kserve.io/deployMode"),
            [],
            'metadata.annotations["serving.kserve.io/deployMode"]',
            'did you mean "serving.kserve.io/deploymentMode"?',
        ),
        (
            annotated(custom(), "serving.kserve.io/deployMode"),
            [CONFIG],
            'metadata.annotations["serving.kserve.io/deployMode"]',
            'did you mean "serving.kserve.io/deploymentMode"?',
        ),
        (
            annotated(llm(), "serving.kserve.io/exp-dra-device-class"),
            [],
            'metadata.annotations["serving.kserve.io/exp-dra-device-class"]',
            "from 0.20 on",
        ),
        (
            annotated(llm(), "kueue.x-k8s.io/queue-name"),
            [],
            'metadata.annotations["kueue.x-k8s.io/queue-name"]',
            "reads it as a label",
        ),
        (
            annotated(llm(), "sidecar.istio.io/inject"),
            [],
            'metadata.annotations["sidecar.istio.io/inject"]',
            "write it in spec.annotations",
        ),
        (
            annotated(model_service(), "sidecar.istio.io/inject"),
            [],
            'metadata.annotations["sidecar.istio.io/inject"]',
            "spec.decode.annotations",
        ),
        (
            annotated(custom(), "autoscaling.knative.dev/max-scale"),
            [CONFIG],
            KNATIVE_SCALE,
            "set maxReplicas",
        ),
        (
            custom_with(storageUris=[{"uri": "oci://r.example.com/m:1", "mountPath": "/mnt/x"}]),
            [CONFIG],
            "spec.predictor.storageUris",
            "give the image as storageUri",
        ),
        (
            {**model_service(), "metadata": {**model_service()["metadata"], "labels": {"kueue.x-k8s.io/queue-name": "gold"}}},
            [],
            'metadata.labels["kueue.x-k8s.io/queue-name"]',
            "gives pods no other labels",
        ),
        (
            annotated(llm(), "serving.kserve.io/deploymentMode"),
            [],
            'metadata.annotations["serving.kserve.io/deploymentMode"]',
            "nothing reads it on this LLMInferenceService",
        ),
        (custom_with(containerConcurrency=4), [CONFIG], "spec.predictor.containerConcurrency", "use Knative mode"),
        (
            model_service(monitoring={"podMonitor": {"enabled": False, "path": "/x"}}),
            [],
            "spec.monitoring.podMonitor.path",
            "set enabled: true",
        ),
        (
            model_service(engine={"env": [{"name": "VLLM_ADDITIONAL_ARGS", "value": "-q"}]}),
            [],
            "spec.engine.env[0]",
            "no command of the container",
        ),
    ],
)  # fmt: skip
def test_line_without_effect_is_named_with_what_to_do(
    service: Json, objects: list[Json], path: str, text: str
) -> None:
    assert text in told(service, *objects).get(path, ""), told(service, *objects)


@pytest.mark.parametrize(
    ("service", "objects"),
    [
        (llm(parallelism={"tensor": 2}), []),
        (
            llm(
                parallelism={"tensor": 2, "data": 2, "dataLocal": 1}, worker={"containers": [MAIN]}
            ),
            [],
        ),
        (llm(replicas=1, storageInitializer={"enabled": True}), []),
        (annotated(llm(), "serving.kserve.io/stop"), []),
        (annotated(llm(), "team.example.com/note"), []),
        (llm(annotations={"sidecar.istio.io/inject": "false"}), []),
        (annotated(custom(), "serving.kserve.io/enable-prometheus-scraping"), [CONFIG]),
        (custom_with(minReplicas=1), [CONFIG]),
        (custom_with(logger={"mode": "all", "url": "http://sink.example.com"}), [CONFIG]),
        (model_service(decode={"replicas": 1, "parallelism": {"tensor": 1}}), []),
    ],
)
def test_line_with_an_effect_is_not_named(service: Json, objects: list[Json]) -> None:
    """A line that repeats a default has one: another value would change something."""
    assert told(service, *objects, runtime()) == {}


def test_storage_container_of_another_kind_is_named() -> None:
    container = {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ClusterStorageContainer",
        "metadata": {"name": "mirror"},
        "spec": {"container": {"name": "x"}, "supportedUriFormats": [{"regex": "s3://.+/m"}]},
    }
    fetched = told(llm(model={"uri": "s3://b/m"}), container)
    assert "ClusterStorageContainer mirror" in fetched["spec.model.uri"]
    assert told(llm(model={"uri": "s3://b/n"}), container) == {}
    assert told(llm(model={"uri": "pvc://b/m"}), container) == {}


def test_cache_of_another_kind_is_named_under_a_release_that_does_not_ask_for_it() -> None:
    cache = {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "LocalModelCache",
        "metadata": {"name": "big"},
        "spec": {"sourceModelUri": "hf://a/b", "nodeGroups": ["gpu"], "modelSize": "1Gi"},
    }
    config = {**CONFIG, "data": {**CONFIG["data"], "localModel": '{"enabled": true}'}}
    service = llm(model={"uri": "hf://a/b"})
    assert "LocalModelCache big" in told(service, config, cache).get("spec.model.uri", "")
    assert told(llm(model={"uri": "hf://a/c"}), config, cache) == {}
    assert "spec.model.uri" not in told(service, config, cache, release="0.19")


def test_line_is_judged_by_the_release_that_is_asked_for() -> None:
    assert told(llm(scaling=SCALING), release="0.18") == {}


def test_queue_on_pods_wins_over_that_of_the_service() -> None:
    name = "kueue.x-k8s.io/queue-name"
    service = llm(labels={name: "one"})
    service["metadata"]["labels"] = {name: "other"}
    path = f'metadata.labels["{name}"]'
    assert "spec.labels sets it, too" in told(service)[path]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("serving.kserve.io/autoscalerclass", "serving.kserve.io/autoscalerClass"),
        ("serving.kserve.io/stop", ""),
        ("serving.kserve.io/zzz", ""),
        ("example.com/deployMode", ""),
    ],
)
def test_name_that_is_meant(written: str, name: str) -> None:
    assert meant(written) == name
