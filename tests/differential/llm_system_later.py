# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cluster's configuration says to releases after 0.17, and the presets that they ship."""

from __future__ import annotations

import json
import random
from typing import Any

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.presets.selection import well_known
from tests.lab import crds

from .modules import MODULES

Json = dict[str, Any]
_FOLDER = "config/llmisvcconfig"


def shipped_presets(release: KServe) -> list[Json]:
    """Return the presets of a release, which are read from its module and are never in this repository."""
    files = tuple(f"{_FOLDER}/{name}.yaml" for name in well_known(release))
    found = crds.documents(MODULES[release].of_kserve(*files))
    return [{**one, "metadata": {**one["metadata"], "namespace": "kserve"}} for one in found]


def vary_later(
    data: dict[str, str], system: list[Json], release: KServe, chance: random.Random
) -> None:
    """Let the configuration say what earlier releases did not read. system: objects of the cluster, to which caches are added."""
    ingress, initializer = json.loads(data["ingress"]), json.loads(data["storageInitializer"])
    if chance.random() < 0.5:
        ingress["enableLLMInferenceServiceTLS"] = True
    if chance.random() < 0.75:
        data["autoscaling-wva-controller-config"] = json.dumps(_autoscaler(chance))
    if chance.random() < 0.5:
        ingress["modelBasedRoutingMode"] = chance.choice(("forced", "disabled", "enabled", "Odd"))
    if chance.random() < 0.2:
        ingress["modelBasedRoutingHeaderName"] = "X-Model"
    if chance.random() < 0.6:
        data["localModel"] = json.dumps({"enabled": True, "jobNamespace": "kserve-jobs"})
        system.append(
            {
                "apiVersion": "serving.kserve.io/v1alpha1",
                "kind": "LocalModelCache",
                "metadata": {"name": "shared"},
                "spec": {
                    "sourceModelUri": chance.choice(("s3://bucket/models", "hf://acme/tiny-llm")),
                    "modelSize": "1Gi",
                    "nodeGroups": ["gpus"],
                },
            }
        )
    if release >= KServe.V0_20 and chance.random() < 0.6:
        initializer["ociModelMode"] = chance.choice(("native", "modelcar", "fetch", ""))
    if release >= KServe.V0_20 and chance.random() < 0.3:
        initializer["enableOciModelSupport"] = chance.random() < 0.5
    data["ingress"], data["storageInitializer"] = json.dumps(ingress), json.dumps(initializer)


def _autoscaler(chance: random.Random) -> Json:
    prometheus: Json = {"url": "https://prometheus.example.com"}
    if chance.random() < 0.3:
        prometheus["tlsInsecureSkipVerify"] = True
    if chance.random() < 0.5:
        prometheus |= {"authModes": "bearer", "triggerAuthName": "login"}
        if chance.random() < 0.5:
            prometheus["triggerAuthKind"] = "ClusterTriggerAuthentication"
    if chance.random() < 0.1:
        prometheus = {"authModes": "bearer", "url": "https://prometheus.example.com"}
    if chance.random() < 0.1:
        prometheus = {}
    return {"prometheus": prometheus}
