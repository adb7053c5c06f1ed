# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings that shape the children: the environment of KServe's controller under our option names."""

from __future__ import annotations

from dataclasses import dataclass

from .releases import V0_17, Release

DEFAULT_RELEASE = "0.17"


@dataclass(frozen=True, slots=True)
class Settings:
    """One release and how its controller is run. Defaults are the controller's.

    kserve_namespace: where `inferenceservice-config` and the shared presets are (POD_NAMESPACE).
    config_prefix: what the names of the well-known presets begin with (LLM_INFERENCE_SERVICE_CONFIG_PREFIX).
    versioned_config: whether a service keeps the preset names of its first run (LLM_INFERENCE_SERVICE_VERSIONED_CONFIG).
    cluster_domain: DNS domain of the cluster (CLUSTER_DOMAIN).
    wildcard_hostname: what stands for `*` in a listener's host name (GATEWAY_API_WILDCARD_HOSTNAME).
    """

    release: Release = V0_17
    kserve_namespace: str = "kserve"
    config_prefix: str = "kserve-"
    versioned_config: bool = True
    cluster_domain: str = "cluster.local"
    wildcard_hostname: str = "inference"
