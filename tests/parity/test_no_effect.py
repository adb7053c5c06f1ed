# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded services: what is said to have no effect is what the real controllers made nothing of, and nothing else."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from module_utils.checks.no_effect import no_effect
from module_utils.checks.trials import Trials
from module_utils.kinds.peers import NOBODY
from module_utils.kinds.registry import WRITTEN

from . import recorded_inference_services as isvc
from . import recorded_llm_services as llm
from .recorded_llm_services import Recorded, read_all

Json = dict[str, Any]
MODEL_SERVICES = Path(__file__).parent / "recordings" / "model_service"

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
        "spec.predictor.autoScaling.metrics[0].resource.target.type",
    },
    "isvc/hpa-cpu-averagevalue": {
        "spec.predictor.autoScaling.metrics[0].resource.target.averageValue",
        "spec.predictor.autoScaling.metrics[0].resource.target.type",
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


def recorded() -> dict[str, tuple[Path, Any, Any]]:
    """Return each recorded service with its settings and what was in its cluster."""
    found = {
        folder.name: (folder, llm.recorded_settings(folder), partial(llm.recorded_cluster, folder))
        for folder in llm.cases()
    }
    for folder in isvc.cases():
        found[f"isvc/{folder.name}"] = (
            folder,
            isvc.SETTINGS,
            partial(isvc.recorded_cluster, folder),
        )
    for path in sorted(MODEL_SERVICES.glob("*/input.yaml")):
        found[f"ms/{path.parent.name}"] = (path.parent, None, partial(Recorded, ()))
    return found


ALL = recorded()


def idle(name: str) -> set[str]:
    folder, settings, cluster = ALL[name]
    (document,) = read_all(folder / "input.yaml")
    kind = WRITTEN[document["apiVersion"], document["kind"]]
    settings = settings or kind.settings({}, {})

    trials = Trials(kind, document, settings, cluster(), NOBODY, frozenset())
    return {problem.path for problem in no_effect.function(trials)}


@pytest.mark.parametrize("name", sorted(ALL))
def test_only_lines_that_the_controller_ignored_are_named(name: str) -> None:
    assert idle(name) == IDLE.get(name, set())


def test_every_named_recording_is_there() -> None:
    assert sorted(IDLE.keys() - ALL.keys()) == []
