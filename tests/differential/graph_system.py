# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in the cluster before every InferenceGraph of a seed: KServe's configuration, and runtimes."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_graph.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from tests.parity.recorded_inference_services import RECORDINGS
from tests.parity.recorded_llm_services import read_all

Json = dict[str, Any]
#: A graph runs by Knative where nothing else is said: one seed in four.
_VARIANTS = ("standard-ingress", "standard-gateway", "standard-gateway", "knative")


def system_for(seed: int, release: KServe) -> tuple[list[Json], Settings, dict[str, str]]:
    """Return objects, our settings, and the controller's environment."""
    chance = random.Random(f"inference graphs {seed}")
    shared = RECORDINGS / "context"
    (config,) = copy.deepcopy(read_all(shared / f"config-{chance.choice(_VARIANTS)}.yaml"))
    if chance.random() < 0.8:
        _vary(config["data"], chance)
    found = [config, *read_all(shared / "knative-configmaps.yaml")]
    found += read_all(shared / "clusterservingruntimes.yaml")
    return found, Settings(release=release), {}


def _vary(data: dict[str, str], chance: random.Random) -> None:
    blocks = {name: json.loads(text) for name, text in data.items()}
    router, ingress = blocks["router"], blocks["ingress"]
    changes: tuple[tuple[Json, str, Any], ...] = (
        (router, "headers", {"propagate": ["Authorization", "X-.*"]}),
        (router, "headers", {"propagate": []}),
        (router, "headers", {"other": ["x"]}),
        (router, "imagePullPolicy", "Always"),
        (router, "imagePullSecrets", ["pull", "other"]),
        (router, "memoryRequest", "0.5Gi"),
        (router, "cpuLimit", "1500m"),
        (ingress, "urlScheme", "https"),
        (ingress, "domainTemplate", "{{ .Name }}.{{ .Namespace }}.{{ .IngressDomain }}"),
        (ingress, "domainTemplate", '{{ index .Labels "app" }}.{{ .Name }}.{{ .IngressDomain }}'),
        (ingress, "ingressDomain", "alt.example.org"),
        (blocks["service"], "serviceClusterIPNone", True),
        (blocks["security"], "autoMountServiceAccountToken", False),
        (blocks["inferenceService"], "serviceLabelDisallowedList", ["team"]),
        (blocks["inferenceService"], "serviceAnnotationDisallowedList", ["note"]),
        (
            blocks["deploy"],
            "deploymentRolloutStrategy",
            {"defaultRollout": {"maxSurge": "50%", "maxUnavailable": "0%"}},
        ),
    )
    for block, key, value in chance.sample(changes, chance.randint(0, 4)):
        block[key] = value
    data.update({name: json.dumps(value) for name, value in blocks.items()})
