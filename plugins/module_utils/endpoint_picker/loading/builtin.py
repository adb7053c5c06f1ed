# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration that a picker uses when it is given none."""

from __future__ import annotations

from ...kube.manifest import Json
from ..releases import KIND, Generation, PickerRelease

METRICS_SOURCE = "metrics-data-source"
METRICS_EXTRACTOR = "core-metrics-extractor"

#: Scorers of the built-in configuration with their weights.
DEFAULT_SCORERS = {"queue-scorer": 2, "kv-cache-utilization-scorer": 2, "prefix-cache-scorer": 3}


def metrics_wiring() -> Json:
    """Return the entry of `sources` by which the picker scrapes the metrics of model servers."""
    return {"pluginRef": METRICS_SOURCE, "extractors": [{"pluginRef": METRICS_EXTRACTOR}]}


def builtin_default(release: PickerRelease) -> Json:
    """Return what a release from 1.4 on uses when it is given nothing."""
    types = list(DEFAULT_SCORERS)
    config: Json = {"apiVersion": release.api_versions[0], "kind": KIND}
    if release.generation >= Generation.V1_5:
        types += [METRICS_SOURCE, METRICS_EXTRACTOR]
        config["dataLayer"] = {"sources": [metrics_wiring()]}
    scorers = [{"pluginRef": name, "weight": weight} for name, weight in DEFAULT_SCORERS.items()]
    config["plugins"] = [{"type": type_name} for type_name in types]
    config["schedulingProfiles"] = [{"name": "default", "plugins": scorers}]
    return config
