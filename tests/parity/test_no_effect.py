# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded services: what is said to have no effect is what the real controllers made nothing of, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from module_utils.checks.no_effect import no_effect
from module_utils.checks.trials import Trials
from module_utils.kinds.peers import NOBODY

from .cases import inference_service_cases, llm_cases, model_service_cases

#: By recording: the fields of which its controller made nothing.
IDLE: dict[str, set[str]] = {
    "api-lora": {
        "spec.model.lora",
    },
    "api-scaling-keda": {
        "spec.prefill.scaling",
        "spec.scaling.maxReplicas",
        "spec.scaling.minReplicas",
        "spec.scaling.wva.keda.fallback",
        "spec.scaling.wva.keda.pollingInterval",
        "spec.scaling.wva.variantCost",
    },
    "base-model-name-wins": {
        "spec.model.name",
    },
    "isvc/autoscaler-external": {
        "spec.predictor.maxReplicas",
        "spec.predictor.minReplicas",
    },
    "isvc/component-timeout-concurrency-standard": {
        "spec.predictor.containerConcurrency",
        "spec.predictor.timeout",
    },
    "isvc/hpa-autoscaling-metrics": {
        "spec.predictor.autoScaling.behavior.scaleDown.stabilizationWindowSeconds",
    },
    "isvc/hpa-cpu-averagevalue": {
        "spec.predictor.autoScaling.metrics[0].resource.target.averageValue",
    },
    "isvc/kn-scale-annotations": {
        'metadata.annotations["autoscaling.knative.dev/max-scale"]',
    },
    "isvc/meta-propagation": {
        'metadata.labels["networking.knative.dev/visibility"]',
        'spec.predictor.annotations["autoscaling.knative.dev/min-scale"]',
    },
    "meta-pd": {
        'metadata.annotations["leaderworkerset.sigs.k8s.io/exclusive-topology"]',
    },
    "meta-propagation": {
        'metadata.annotations["leaderworkerset.sigs.k8s.io/exclusive-topology"]',
        'metadata.labels["kueue.x-k8s.io/queue-name"]',
    },
    "ms/mon-off-explicit": {
        "spec.monitoring.podMonitor.path",
    },
    "par-data-noworker": {
        "spec.parallelism",
    },
    "prefill-parallelism-noworker": {
        "spec.parallelism.tensor",
        "spec.prefill.parallelism",
    },
    "v1a1-scaling": {
        "spec.scaling",
    },
}


ALL = {
    **llm_cases(),
    **{f"isvc/{name}": case for name, case in inference_service_cases().items()},
    **{
        f"ms/{name}": replace(case, settings=partial(case.kind.settings, {}, {}))
        for name, case in model_service_cases("input.yaml").items()
        if not name.startswith("SEQ-")
    },
}


def idle(name: str) -> set[str]:
    case = ALL[name]
    trials = Trials(case.kind, case.document, case.settings(), case.reader(), NOBODY, frozenset())
    return {problem.path for problem in no_effect.function(trials)}


@pytest.mark.parametrize("name", sorted(ALL))
def test_only_lines_that_the_controller_ignored_are_named(name: str) -> None:
    assert idle(name) == IDLE.get(name, set())


def test_every_named_recording_is_there() -> None:
    assert sorted(IDLE.keys() - ALL.keys()) == []
