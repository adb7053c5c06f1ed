# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings that shape the children: the environment of KServe's controller under our option names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...kube.names import check_dns_subdomain
from ...kube.schema import Boolean, Object, Text
from ..kserve.read_settings import COMMON, read_settings
from ..kserve.releases import KServe
from .releases import BACKING

#: The option `settings` of a task as far as this kind reads it.
SETTINGS = Object(
    description="How KServe's controller would be run.",
    fields={
        **COMMON,
        "config_prefix": Text(
            description="What names of presets begin with; `modelops-` for the collection's own.",
            default="kserve-",
        ),
        "versioned_config": Boolean(
            description="Whether a service keeps the presets of its first run.", default=True
        ),
        "wildcard_hostname": Text(
            description="What stands for `*` in a listener's host name.", default="inference"
        ),
    },
)


@dataclass(frozen=True, slots=True)
class Settings:
    """One release and how its controller is run. Defaults are the controller's.

    kserve_namespace: where `inferenceservice-config` and the shared presets are (POD_NAMESPACE).
    config_prefix: what the names of the well-known presets begin with (LLM_INFERENCE_SERVICE_CONFIG_PREFIX).
    versioned_config: whether a service keeps the preset names of its first run (LLM_INFERENCE_SERVICE_VERSIONED_CONFIG).
    cluster_domain: DNS domain of the cluster (CLUSTER_DOMAIN).
    wildcard_hostname: what stands for `*` in a listener's host name (GATEWAY_API_WILDCARD_HOSTNAME).
    """

    release: KServe = KServe.V0_17
    kserve_namespace: str = "kserve"
    config_prefix: str = "kserve-"
    versioned_config: bool = True
    cluster_domain: str = "cluster.local"
    wildcard_hostname: str = "inference"


def make_settings(options: Mapping[str, Any], releases: Mapping[str, str]) -> Settings:
    """Return the settings of the wanted release of KServe.

    options: the task's `settings`; what other kinds read is passed over. releases: the task's `releases`.
    Raises InputError that holds everything wrong with both.
    """
    release, value = read_settings(SETTINGS, options, releases, BACKING, _CHECKS)
    return Settings(release=release, **value)


def _check_prefix(prefix: str) -> str | None:
    return check_dns_subdomain(f"{prefix}config")


_CHECKS = {"config_prefix": _check_prefix, "wildcard_hostname": check_dns_subdomain}
