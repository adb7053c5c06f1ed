# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in the cluster before every InferenceService of a seed: KServe's configuration, runtimes, storage containers."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from module_utils.kinds.inference_service.settings import Settings
from module_utils.kinds.kserve.releases import KServe
from tests.parity.recorded_inference_services import RECORDINGS
from tests.parity.recorded_llm_services import read_all

Json = dict[str, Any]
_VARIANTS = ("standard-ingress", "standard-gateway", "standard-gateway", "knative")


def system_for(seed: int, release: KServe) -> tuple[list[Json], Settings, dict[str, str]]:
    """Return objects, our settings, and the controller's environment."""
    chance = random.Random(f"inference services {seed}")
    shared = RECORDINGS / "context"
    (config,) = copy.deepcopy(read_all(shared / f"config-{chance.choice(_VARIANTS)}.yaml"))
    if chance.random() < 0.7:
        _vary(config["data"], release, chance)
    found = [config, *read_all(shared / "knative-configmaps.yaml")]
    found += read_all(shared / "clusterservingruntimes.yaml")
    if chance.random() < 0.85:
        found += read_all(shared / "clusterstoragecontainer.yaml")
    if json.loads(config["data"]["localModel"])["enabled"]:
        found.append(_cache(chance))
    environment = {"CLUSTER_DOMAIN": "corp.example"} if chance.random() < 0.2 else {}
    domain = environment.get("CLUSTER_DOMAIN", Settings().cluster_domain)
    settings = Settings(release=release, cluster_domain=domain, pod_mutation="webhook")
    return found, settings, environment


def _cache(chance: random.Random) -> Json:
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "LocalModelCache",
        "metadata": {"name": "shared"},
        "spec": {
            "sourceModelUri": chance.choice(("s3://bucket/models", "gs://models/one")),
            "modelSize": "1Gi",
            "nodeGroups": ["gpus"],
        },
    }


def _vary(data: dict[str, str], release: KServe, chance: random.Random) -> None:
    blocks = {name: json.loads(text) for name, text in data.items()}
    ingress, storage = blocks["ingress"], blocks["storageInitializer"]
    changes = (
        (ingress, "urlScheme", "https"),
        (ingress, "pathTemplate", "/serve/{{ .Namespace }}/{{ .Name }}"),
        (ingress, "domainTemplate", "{{ .Name }}.{{ .Namespace }}.{{ .IngressDomain }}"),
        (ingress, "additionalIngressDomains", ["alt.example.org", "alt.example.net"]),
        (ingress, "disableIngressCreation", True),
        (ingress, "disableIstioVirtualHost", True),
        (ingress, "ingressClassName", "nginx"),
        (storage, "enableModelcar", False),
        (storage, "uidModelcar", None),
        (storage, "cpuModelcar", "50m"),
        (storage, "memoryRequest", "0.5Gi"),
        (blocks["service"], "serviceClusterIPNone", True),
        (blocks["security"], "autoMountServiceAccountToken", False),
        (blocks["localModel"], "enabled", True),
        (blocks["localModel"], "enabled", True),
        (blocks["metricsAggregator"], "enableMetricAggregation", "true"),
        (blocks["metricsAggregator"], "enablePrometheusScraping", "true"),
        (blocks["autoscaler"], "scaleUpStabilizationWindowSeconds", "30"),
        (blocks["multiNode"], "customGPUResourceTypeList", ["example.com/gpu"]),
        (blocks["inferenceService"], "serviceLabelDisallowedList", ["team"]),
        (blocks["inferenceService"], "serviceAnnotationDisallowedList", ["note"]),
        (
            blocks["deploy"],
            "deploymentRolloutStrategy",
            {"defaultRollout": {"maxSurge": "1", "maxUnavailable": "0"}},
        ),
        (blocks["credentials"]["s3"], "s3Endpoint", "s3.example.com"),
        (blocks["credentials"]["s3"], "s3UseHttps", "0"),
        (blocks["credentials"]["s3"], "s3Region", "eu"),
    )
    later = (
        (KServe.V0_18, ingress, "disableHTTPRouteTimeout", True),
        (KServe.V0_18, ingress, "disableHTTPRouteTimeout", True),
        (KServe.V0_20, storage, "ociModelMode", "native"),
        (KServe.V0_20, storage, "enableOciModelSupport", True),
    )
    known = (*changes, *(rest for since, *rest in later if since <= release))
    for block, key, value in chance.sample(known, chance.randint(0, 5)):
        block[key] = value
    data.update({name: json.dumps(value) for name, value in blocks.items()})
