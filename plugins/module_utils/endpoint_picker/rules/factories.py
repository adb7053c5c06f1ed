# SPDX-License-Identifier: GPL-3.0-or-later
"""What the factories of single plugin types refuse, beyond keys, kinds and bounds of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..findings import Finding
from ..plugin_parameters import Declared
from ..releases import Generation, PickerRelease
from .filters import affinity_faults, by_label_faults, selector_faults, utilization_faults
from .handlers import disagg_faults
from .metric_specs import engine_faults, flat_faults
from .precise import precise_faults
from .producers import (
    approximate_prefix_faults,
    burst_prefix_faults,
    fairness_faults,
    multicluster_metrics_faults,
    priority_holdback_faults,
    session_id_faults,
    token_producer_faults,
)
from .reporters import reporter_faults, screener_faults
from .scorers import (
    combined_name_faults,
    context_length_faults,
    endpoint_scorer_faults,
    prefix_cache_faults,
    session_affinity_faults,
)
from .sources import source_faults

Rule = Callable[[Declared, PickerRelease], Iterator[Finding]]


def factory_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield what the factory of a plugin refuses."""
    rule = _RULES.get(plugin.type)
    if rule is not None:
        yield from rule(plugin, release)


_RULES: Mapping[str, Rule] = {
    "approx-prefix-cache-producer": approximate_prefix_faults,
    "burst-prefix-cache-producer": burst_prefix_faults,
    "by-label": by_label_faults,
    "by-label-selector": selector_faults,
    "dcgm-data-source": source_faults,
    "context-length-aware": context_length_faults,
    "core-metrics-extractor": engine_faults,
    "disagg-profile-handler": disagg_faults,
    "disaggregatedset-rollout-screener": screener_faults,
    "endpoint-attribute-filter": lambda plugin, release: combined_name_faults(
        plugin, "attribute", release
    ),
    "endpoint-attribute-scorer": endpoint_scorer_faults,
    "label-selector-filter": selector_faults,
    "metrics-data-source": source_faults,
    "models-data-source": source_faults,
    "multicluster-metrics-data-source": source_faults,
    "program-aware-fairness": fairness_faults,
    "model-server-protocol-metrics": lambda plugin, release: (
        flat_faults(plugin, release)
        if release.generation < Generation.V1_4
        else engine_faults(plugin, release)
    ),
    "multicluster-approx-prefix-cache-producer": approximate_prefix_faults,
    "multicluster-metrics-extractor": multicluster_metrics_faults,
    "multicluster-prefix-cache-scorer": prefix_cache_faults,
    "multicluster-session-affinity-filter": session_affinity_faults,
    "precise-prefix-cache-producer": precise_faults,
    "precise-prefix-cache-scorer": precise_faults,
    "prefix-cache-affinity-filter": affinity_faults,
    "prefix-cache-scorer": prefix_cache_faults,
    "priority-holdback-policy": priority_holdback_faults,
    "request-attribute-reporter": reporter_faults,
    "session-affinity-filter": session_affinity_faults,
    "session-affinity-scorer": session_affinity_faults,
    "session-id-producer": session_id_faults,
    "token-producer": token_producer_faults,
    "tokenizer": token_producer_faults,
    "utilization-filter": utilization_faults,
}
