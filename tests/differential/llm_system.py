# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in the cluster before every service of a seed: KServe's configuration, a gateway, presets."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kinds.llm_inference_service.spec import CONFIG_KIND
from tests.parity.recorded_llm_services import LATER, RECORDINGS, shared_context

from .llm_system_later import shipped_presets, vary_later

Json = dict[str, Any]


def system_for(seed: int, release: KServe) -> tuple[list[Json], Settings, dict[str, str]]:
    """Return what is around the services of a seed. After 0.17 half of the clusters have the presets that KServe ships."""
    chance, later = random.Random(seed), random.Random(f"later {seed}")
    found = copy.deepcopy(shared_context(LATER.get(release, RECORDINGS)))
    if release > KServe.V0_17 and later.random() < 0.5:
        found = [one for one in found if one["kind"] != CONFIG_KIND]
        found += shipped_presets(release)
    plain = chance.random() < 0.4
    environment: dict[str, str] = {}
    if not plain:
        (config,) = [one for one in found if one["kind"] == "ConfigMap"]
        _vary(config["data"], chance)
        if release > KServe.V0_17:
            vary_later(config["data"], found, release, later)
        found += _pipeline_presets(found)
        if chance.random() < 0.3:
            environment["CLUSTER_DOMAIN"] = "corp.example"
        if chance.random() < 0.3:
            environment["GATEWAY_API_WILDCARD_HOSTNAME"] = "llm"
        if chance.random() < 0.2:
            environment["LLM_INFERENCE_SERVICE_VERSIONED_CONFIG"] = "false"
    defaults = Settings()
    settings = Settings(
        release=release,
        cluster_domain=environment.get("CLUSTER_DOMAIN", defaults.cluster_domain),
        wildcard_hostname=environment.get(
            "GATEWAY_API_WILDCARD_HOSTNAME", defaults.wildcard_hostname
        ),
        versioned_config="LLM_INFERENCE_SERVICE_VERSIONED_CONFIG" not in environment,
    )
    return found, settings, environment


def _vary(data: dict[str, str], chance: random.Random) -> None:
    ingress = json.loads(data["ingress"])
    initializer = json.loads(data["storageInitializer"])
    credentials = json.loads(data["credentials"])
    if chance.random() < 0.4:
        ingress["urlScheme"] = chance.choice(("https", ""))
    if chance.random() < 0.2:
        ingress["enableGatewayApi"] = False
    if chance.random() < 0.3:
        initializer["uidModelcar"] = None if chance.random() < 0.5 else 0
    if chance.random() < 0.2:
        initializer["enableModelcar"] = False
    if chance.random() < 0.3:
        initializer |= {"memoryRequest": "0.5Gi", "cpuRequest": "1000m", "cpuModelcar": "0.5"}
    if chance.random() < 0.3:
        initializer["caBundleConfigMapName"] = ""
    if chance.random() < 0.4:
        credentials["s3"] |= {
            "s3Endpoint": "s3.example.com",
            "s3UseHttps": "1",
            "s3Region": "eu",
            "s3VerifySSL": "0",
        }
    if chance.random() < 0.3:
        credentials.pop("storageSecretNameAnnotation")
    if chance.random() < 0.3:
        credentials.pop("storageSpecSecretName")
    if chance.random() < 0.3:
        data["autoscaling-wva-controller-config"] = "{}"
    if chance.random() < 0.3:
        said = {
            "expirationAnnotations": ["example.com/expires"],
            "restartAnnotation": "example.com/hash",
        }
        data["scheduler"] = json.dumps(said)
    data["ingress"], data["storageInitializer"] = json.dumps(ingress), json.dumps(initializer)
    data["credentials"] = json.dumps(credentials)


def _pipeline_presets(found: list[Json]) -> list[Json]:
    """Return presets of the pipeline-parallel kind, made from those of the data-parallel one."""
    made = []
    for one in found:
        name = one["metadata"]["name"]
        if name.endswith("worker-data-parallel"):
            text = json.dumps(one).replace("data-parallel", "pipeline-parallel")
            made.append(json.loads(text))
    return made
