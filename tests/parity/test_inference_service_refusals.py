# SPDX-License-Identifier: GPL-3.0-or-later
"""What KServe's webhooks refuse we refuse, in the same field; what they take and cannot do is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.inference_service.resolve import resolve
from module_utils.kinds.inference_service.runtimes.admission import runtime_problems
from module_utils.kinds.inference_service.runtimes.runtime import runtimes
from module_utils.kube.problem import InputError, Problem
from tests.parity.recorded_inference_services import (
    SETTINGS,
    Recorded,
    cases,
    invalid_cases,
    read_one,
    recorded_cluster,
)

#: The fields of a service that the webhook or the CRD refuses.
REFUSED = {
    "autoscaler-class-unknown": 'metadata.annotations["serving.kserve.io/autoscalerClass"]',
    "cm-deploy-invalid-mode": "ConfigMap kserve/inferenceservice-config",
    "custom-protocol-invalid": "spec.predictor.containers[0].env",
    "explainer-art-storage-spec-bad-type": "spec.explainer.art.storage.parameters.type",
    "framework-and-containers": "spec.predictor",
    "framework-name-field": "spec.predictor.sklearn.name",
    "hpa-cpu-target-zero": "spec.predictor.scaleTarget",
    "hpa-memory-target-200": "spec.predictor.scaleTarget",
    "hpa-memory-target-zero": "spec.predictor.scaleTarget",
    "keda-external-no-target": "spec.predictor.autoScaling.metrics[0].external.target.value",
    "keda-memory-too-small": "spec.predictor.autoScaling.metrics[0].resource.target.averageValue",
    "keda-memory-value-type": "spec.predictor.autoScaling.metrics[0].resource.target.type",
    "keda-scale-metric": "spec.predictor.scaleMetric",
    "knative-deployment-strategy": "spec.predictor.deploymentStrategy",
    "knative-hpa-class-bad-metric": "spec.predictor.scaleMetric",
    "knative-rps-zero": "spec.predictor.scaleTarget",
    "logger-mode-invalid": "spec.predictor.logger.mode",
    "max-replicas-negative": "spec.predictor.maxReplicas",
    "min-replicas-negative": "spec.predictor.minReplicas",
    "model-name-field": "spec.predictor.model.name",
    "modelmesh-framework-storage-spec-bad-type": "spec.predictor.pmml.storage.parameters.type",
    "multinode-default-autoscaler": 'metadata.annotations["serving.kserve.io/autoscalerClass"]',
    "multinode-env-pipeline": "spec.predictor.model.env",
    "multinode-no-storage": "spec.predictor.model.storageUri",
    "multinode-pp-zero": "spec.predictor.workerSpec.pipelineParallelSize",
    "multinode-tp-zero": "spec.predictor.workerSpec.tensorParallelSize",
    "multinode-unknown-gpu": "spec.predictor.model.resources",
    "name-starts-with-digit": "metadata.name",
    "name-with-dot": "metadata.name",
    "schema-no-predictor": "spec.predictor",
    "schema-scale-metric-enum": "spec.predictor.scaleMetric",
    "schema-workerspec-metric-type": "spec.predictor.autoScaling.metrics[0].type",
    "storage-uris-common-root-transformer": "spec.transformer.storageUris",
    "storageuris-dotdot": "spec.predictor.storageUris[0].mountPath",
    "storageuris-empty-uri": "spec.predictor.storageUris[0].uri",
    "storageuris-relative-path": "spec.predictor.storageUris[0].mountPath",
    "transformer-container-storage-uri": "spec.predictor.containers[0].env",
    "transformer-only-ext": "spec.transformer",
    "two-implementations": "spec.predictor",
    "update-mode": 'metadata.annotations["serving.kserve.io/deploymentMode"]',
    "update-mode-knative-to-standard": 'metadata.annotations["serving.kserve.io/deploymentMode"]',
}
#: Of those that the controller fails at: what is seen by the service and the configuration alone.
FAILING = {
    "cm-ingress-gateway-missing": "ConfigMap kserve/inferenceservice-config",
    "cm-ingress-kserve-gateway-format": "ConfigMap kserve/inferenceservice-config",
    "cm-ingress-path-no-domain": "ConfigMap kserve/inferenceservice-config",
    "cm-storage-initializer-quantity": "ConfigMap kserve/inferenceservice-config",
    "custom-no-kserve-container": "spec.predictor.containers",
    "keda-no-metrics": "spec.predictor.autoScaling.metrics",
    "mode-annotation-component-knative": 'spec.predictor.annotations["serving.kserve.io/deploymentMode"]',
    "name-too-long-63": "metadata.name",
    "strategy-cm-integer-string": "spec.predictor.deploymentStrategy",
}
#: What looks wrong and is taken, with the field of the warning.
TAKEN = {
    "knative-initial-scale-not-integer": 'metadata.annotations["autoscaling.knative.dev/initial-scale"]',
    "storage-spec-bad-type": "spec.predictor.model.storage.parameters.type",
    "storage-spec-with-uri-bad-scheme": "spec.predictor.model.storageUri",
    "storageuris-duplicate-pvc": "spec.predictor.storageUris[1].mountPath",
    "storageuris-unsupported-container-knative": "",
}
SERVICES = {
    folder.name: folder
    for folder in invalid_cases()
    if read_one(folder / "input.yaml")["kind"] == "InferenceService"
}


def problems(folder: Path) -> list[Problem]:
    """Return all that is said of a service, as far as no runtime and no pod is needed for it."""
    document = read_one(folder / "input.yaml")
    cluster = recorded_cluster(folder)
    change = read_one(folder / "update.yaml")
    if change is not None:
        # Once the controller saw the service, its mode stands in its status.
        first = load(document, SETTINGS).service
        assert first is not None
        mode = resolve(first, SETTINGS, cluster).mode
        cluster = Recorded([*cluster.objects(), {**document, "status": {"deploymentMode": mode}}])
        document = {**document, "metadata": {**document["metadata"], **change["metadata"]}}
    loaded = load(document, SETTINGS)
    found = list(loaded.problems)
    if loaded.service is not None:
        try:
            resolve(loaded.service, SETTINGS, cluster)
        except InputError as error:
            found += [one for complaint in error.complaints for one in complaint.problems]
    return found


def errors(folder: Path) -> dict[str, str]:
    return {each.path: each.message for each in problems(folder) if each.severity == "error"}


@pytest.mark.parametrize(("case", "path"), sorted({**REFUSED, **FAILING}.items()))
def test_what_cannot_be_is_refused_in_its_field_and_nowhere_else(case: str, path: str) -> None:
    assert list(errors(SERVICES[case])) == [path]


@pytest.mark.parametrize(("case", "path"), sorted(TAKEN.items()))
def test_what_is_taken_and_looks_wrong_is_warned_about(case: str, path: str) -> None:
    found = problems(SERVICES[case])
    assert [each.path for each in found] == ([path] if path else [])
    assert all(each.severity == "warning" for each in found)


@pytest.mark.parametrize("stage", ["admission", "schema", "accepted"])
def test_no_recorded_verdict_is_left_out(stage: str) -> None:
    told = {
        name
        for name, folder in SERVICES.items()
        if read_one(folder / "error.yaml")["stage"] == stage
    }
    assert told == told & ({*TAKEN} if stage == "accepted" else {*REFUSED})


@pytest.mark.parametrize("folder", cases(), ids=lambda folder: folder.name)
def test_nothing_is_said_of_services_that_work(folder: Path) -> None:
    known: dict[str, Any] = {"mode-modelmesh-annotation": ["mode"]}
    assert [each.rule for each in problems(folder)] == known.get(folder.name, [])


RUNTIMES = {
    "csr-different-priority-one-runtime": ["spec.supportedModelFormats"],
    "csr-worker-no-sizes": [],
    "csr-worker-removed": ["spec.workerSpec"],
    "csr-worker-two-containers": ["spec.workerSpec.containers"],
    "sr-different-priority-one-runtime": [],
}


@pytest.mark.parametrize(("case", "paths"), RUNTIMES.items())
def test_runtimes_are_refused_as_the_webhook_does(case: str, paths: list[str]) -> None:
    (folder,) = [folder for folder in invalid_cases() if folder.name == case]
    document, change = read_one(folder / "input.yaml"), read_one(folder / "update.yaml")
    before = None
    if change is not None:
        before = document["spec"]
        document = {**document, "spec": {**before, **change["spec"]}}
    cluster = Recorded([*recorded_cluster(folder).objects(), document])
    own, everywhere = runtimes("team-a", cluster)
    neighbours = own if document["kind"] == "ServingRuntime" else everywhere
    (asked,) = [one for one in neighbours if one.name == document["metadata"]["name"]]
    found = runtime_problems(asked, neighbours, SETTINGS.release, before=before)
    assert [one.path for one in found] == paths


def test_every_recorded_runtime_is_looked_at() -> None:
    assert {folder.name for folder in invalid_cases()} == {*SERVICES, *RUNTIMES}
