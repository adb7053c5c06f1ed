# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings that shape the children: the environment of KServe's controllers under our option names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...kube.release import Backing
from ...kube.schema import Object
from ..kserve.read_settings import COMMON, read_settings
from ..kserve.releases import KServe
from .releases import BACKING, NAMESPACE_BACKING

#: The option `settings` of a task as far as these kinds read it.
SETTINGS = Object(description="How KServe's controllers would be run.", fields=COMMON)


@dataclass(frozen=True, slots=True)
class Settings:
    """One release and how its controllers are run. Defaults are the controllers'.

    kserve_namespace: where `inferenceservice-config` is. cluster_domain: DNS domain of the cluster.
    """

    release: KServe = KServe.V0_20
    kserve_namespace: str = "kserve"
    cluster_domain: str = "cluster.local"


def _settings(
    backing: Mapping[KServe, Backing], options: Mapping[str, Any], releases: Mapping[str, str]
) -> Settings:
    """Return the settings of the wanted release of KServe.

    options: the task's `settings`; what other kinds read is passed over. releases: the task's `releases`.
    Raises InputError that holds everything wrong with both.
    """
    release, value = read_settings(SETTINGS, options, releases, backing, {})
    return Settings(release=release, **value)


make_settings = partial(_settings, BACKING)
make_namespace_settings = partial(_settings, NAMESPACE_BACKING)
