# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings that shape the children: the environment of KServe's controller under our option names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...kube.schema import Object
from ..kserve.read_settings import COMMON, read_settings
from ..kserve.releases import KServe
from .releases import BACKING

#: The option `settings` of a task as far as this kind reads it.
SETTINGS = Object(description="How KServe's controller would be run.", fields=COMMON)


@dataclass(frozen=True, slots=True)
class Settings:
    """One release and how its controller is run. Defaults are the controller's.

    kserve_namespace: where `inferenceservice-config` is (POD_NAMESPACE). cluster_domain: DNS domain of the cluster (CLUSTER_DOMAIN).
    """

    release: KServe = KServe.V0_17
    kserve_namespace: str = "kserve"
    cluster_domain: str = "cluster.local"


def make_settings(options: Mapping[str, Any], releases: Mapping[str, str]) -> Settings:
    """Return the settings of the wanted release of KServe.

    options: the task's `settings`; what other kinds read is passed over. releases: the task's `releases`.
    Raises InputError that holds everything wrong with both.
    """
    release, value = read_settings(SETTINGS, options, releases, BACKING, {})
    return Settings(release=release, **value)
