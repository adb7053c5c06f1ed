# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing wrong is told of services that real controllers were given: each finding on a recording was judged, and is right."""

from __future__ import annotations

from collections import defaultdict

from .recorded import findings

#: Rules that many recordings earn, and why they are right about them.
EARNED = {
    "kv-transfer": "no recorded engine is told to hand its cache over",
    "prefill-without-proxy": "recorded without a proxy to see what the operator makes of it",
    "shared-memory": "recorded without the setting that mounts memory",
    "picker-advice": "written to see what a picker is given, not to route well",
    "prefill-tensor": "sizes that tell the roles apart",
    "istio-pool-name": "names that are no DNS labels",
    "router-reference": "references that lead nowhere on purpose",
    "gateway-missing": "no Gateway was there",
    "no-effect": "lines of which the release makes nothing; tests/parity/test_no_effect.py has them one by one",
    "argument-computed": "arguments that contradict a field on purpose",
    "name-missing": "claims, classes and Secrets that nobody had made",
    "backend-missing": "routes to backends that nobody had made",
    "pool-empty": "selectors that only show what becomes of them",
    "engine-other": "devices of other vendors with the operator's own image, which is built for NVIDIA's, to see the amounts",
    "tpu-selector": "TPUs without the nodes that have them, to see the amounts",
    "scaled-to-zero": "recorded with 0 pods on purpose",
    "runtime-choice": "a note: KServe's own runtimes know many formats more than once",
    "modelcar-user": "a user of the configuration beside a securityContext",
}
#: Rules that few earn: the recordings.
EARNED_BY = {
    "data-parallel": {
        "llm_inference_service/mn-dp-local-bigger",
        "llm_inference_service/mn-dp-odd",
    },
    # A port that is no number, to see what becomes of it.
    "engine-value": {"model_service/v1-nixl-invalid"},
    # The same pull secret twice.
    "listed-twice": {"model_service/pull-duplicate"},
    "gateway-unused": {"llm_inference_service/router-gateway-only"},
    # One copy of the model in each pod, and eight devices.
    "engine-arguments": {
        "llm_inference_service/mn-dp-override",
        "model_service/res-cpu-with-gpu-key",
    },
    "path-template": {"inference_service/gw-path-template"},
    # A text in the arguments beside one in the spec.
    "picker-flag": {"llm_inference_service/sched-inline-and-arg"},
    "picker-replicas": {"model_service/ex-07-gaudi-picker-zero"},
    # The second: caches are handed over where the API is.
    "port-taken": {"model_service/proxy-same-port", "model_service/v1-nixl-same-as-http"},
    # An account's Secret without an entry that KServe asks it for.
    "key-missing": {"llm_inference_service/cred-azure-token"},
    # A volume beside one of KServe's name, to see which is kept.
    "volume-unmounted": {"llm_inference_service/tpl-extra-container"},
    # The first mounts KServe's volume elsewhere, to see which mount is kept.
    "model-not-brought": {
        "llm_inference_service/pvc-own-mount",
        "llm_inference_service/storage-off-oci",
    },
    # Constraints that only show where they end up.
    "spread-selector": {"inference_service/podspec-fields"},
    "reference-grant": {"llm_inference_service/router-filters-kept"},
    # Two baseRefs with arguments, to see which of them count.
    "list-replaced": {"llm_inference_service/base-2-reversed"},
    # KEDA's webhook was not there when it was recorded.
    "scale-from-zero": {"inference_service/keda-resource"},
}


def test_every_finding_on_a_recording_was_judged() -> None:
    told: dict[str, set[str]] = defaultdict(set)
    for name, problem in findings():
        told[problem.rule].add(name)
    assert {rule: names for rule, names in told.items() if rule not in EARNED} == EARNED_BY
    assert EARNED.keys() <= told.keys(), "told no more: take it out of the list"
