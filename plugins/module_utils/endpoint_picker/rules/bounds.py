# SPDX-License-Identifier: GPL-3.0-or-later
"""What the values of parameters have to be, where one rule for one value says it: a table and its reading."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from ..findings import Finding, Value, refusal
from ..plugin_parameters import Declared
from ..releases import PickerRelease, generation_named
from ..text.durations import parse_duration

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}

#: Type, generations from..until, parameter, and what it has to be: comparisons, `duration`, `one of …`, or `given`
#: (it may not be left out or empty).
_TABLE = """
approx-prefix-cache-producer 1.5.. maxPrefixTokensToMatch >= 0
burst-prefix-cache-producer 0.10.. windowDurationMs > 0 <= 10000
burst-prefix-cache-producer 0.10.. blockSizeTokens > 0
burst-prefix-cache-producer 0.10.. maxPrefixTokensToMatch >= 0
burst-prefix-cache-producer 0.10.. minColocateBlocks >= 0
burst-prefix-cache-producer 0.10.. balanceBy one of requests tokens
concurrency-detector 1.5.. maxConcurrency > 0
concurrency-detector 1.5.. maxTokenConcurrency > 0
concurrency-detector 1.5.. headroom >= 0
concurrency-detector 1.5..0.9 concurrencyMode choice requests tokens
concurrency-detector 0.10.. concurrencyMode choice requests tokens hybrid
data-parallel-profile-handler 1.2.. primaryPort >= 0 <= 65535
dcgm-data-source 0.10.. scheme choice http https
dcgm-data-source 0.10.. interval duration
disagg-profile-handler 0.10.. stageOrder stage
endpoint-attribute-filter 0.10.. attribute given
endpoint-attribute-filter 0.10.. onMissing one of Pass Fail
endpoint-attribute-filter 0.10.. algorithm.type given
endpoint-attribute-filter 0.10.. algorithm.type one of threshold
endpoint-attribute-filter 0.10.. algorithm.threshold given
endpoint-attribute-filter 0.10.. algorithm.threshold.operator given
endpoint-attribute-filter 0.10.. algorithm.threshold.operator one of LessThan LessThanOrEqual GreaterThan GreaterThanOrEqual Equal NotEqual
endpoint-attribute-scorer 0.10.. attributeKey given
endpoint-attribute-scorer 0.10.. algorithm.type given
endpoint-attribute-scorer 0.10.. algorithm.type one of linear_lower_is_better linear_higher_is_better
file-discovery 0.9.. path given
header-label-affinity-scorer 0.10.. headerName given
header-label-affinity-scorer 0.10.. labelKey given
inflight-load-producer 0.10.. outputRatio >= 0
inflight-load-producer 0.10.. maxEstimatedOutputTokens >= 0
k8s-notification-source 1.4.. version given
k8s-notification-source 1.4.. kind given
metrics-data-source 1.4.. scheme choice http https
metrics-data-source 0.10.. port >= 1 <= 65535
metrics-data-source 0.10.. interval duration
models-data-source 1.4.. scheme choice http https
models-data-source 0.10.. interval duration
multicluster-approx-prefix-cache-producer 0.10.. maxPrefixTokensToMatch >= 0
multicluster-file-discovery 0.10.. path given
multicluster-metrics-data-source 0.10.. scheme choice http https
multicluster-metrics-data-source 0.10.. interval duration
multicluster-prefix-cache-scorer 0.10.. matchLengthWeight >= 0 <= 1
p2p-source-producer 0.10.. minCachedTokenDelta >= 1
pd-profile-handler 1.2..1.3 threshold >= 0
pd-profile-handler 1.2..1.3 hashBlockSize > 0
pd-profile-handler 1.2.. primaryPort >= 0 <= 65535
precise-prefix-cache-producer 0.9.. kvEventsConfig.concurrency >= 0
precise-prefix-cache-scorer 1.0.. kvEventsConfig.concurrency >= 0
predicted-latency-producer 1.5..0.9 samplingMean > 0
predicted-latency-producer 1.5..0.9 maxDecodeTokenSamplesForPrediction >= 0
predicted-latency-producer 1.5.. sloBufferFactor > 0
predicted-latency-scorer 1.3.. samplingMean > 0
predicted-latency-scorer 1.3.. maxSampledTokens >= 0
predicted-latency-scorer 1.3.. sloBufferFactor > 0
predicted-latency-scorer 1.3.. negHeadroomTTFTWeight >= 0
predicted-latency-scorer 1.3.. negHeadroomTPOTWeight >= 0
predicted-latency-scorer 1.3.. headroomTTFTWeight >= 0
predicted-latency-scorer 1.3.. headroomTPOTWeight >= 0
predicted-latency-scorer 1.3.. compositeKVWeight >= 0
predicted-latency-scorer 1.3.. compositeQueueWeight >= 0
predicted-latency-scorer 1.3.. compositePrefixWeight >= 0
predicted-latency-scorer 1.3.. epsilonExploreSticky >= 0 <= 1
predicted-latency-scorer 1.3.. epsilonExploreNeg >= 0 <= 1
predicted-latency-scorer 1.3.. affinityGateTau >= 0 <= 1
predicted-latency-scorer 1.3.. affinityGateTauGlobal >= 0 <= 1
predicted-latency-scorer 1.5.. affinityMaxTTFTPenaltyMs >= 0
prefix-based-pd-decider 0.6.. nonCachedTokens >= 0
prefix-based-pd-decider 0.10.. promptTokens >= 0
prefix-cache-affinity-filter 1.5.. affinityThreshold <= 1
prefix-cache-affinity-filter 1.5.. explorationProbability >= 0 <= 1
prefix-cache-affinity-filter 1.5.. maxTTFTPenaltyMs >= 0
prefix-cache-affinity-filter 0.9.. peakPrefillThroughput >= 0
prefix-cache-affinity-filter 0.9.. ttftSource choice latencyPredictor prefillThroughput
prefix-cache-scorer 0.10.. matchLengthWeight >= 0 <= 1
priority-holdback-policy 0.10.. minCeiling >= 0 < 1
priority-holdback-policy 0.10.. maxCeiling > 0 <= 1
priority-holdback-policy 0.10.. shape choice linear
priority-holdback-policy 0.10.. domain choice rank value
probabilistic-admitter 0.9.. queueDepthThreshold > 0
probabilistic-admitter 0.9.. kvCacheUtilThreshold > 0
probabilistic-admitter 0.9.. power > 0
probabilistic-admitter 0.9.. k > 0
program-aware-fairness 0.9.. evictionTtlSeconds >= 0
program-aware-fairness 0.9.. evictionSweepSeconds > 0
program-aware-fairness 0.9.. lasWeightService >= 0
program-aware-fairness 0.9.. lasWeightHeadWait >= 0
program-aware-fairness 0.9.. lasDecayFactor > 0 <= 1
program-aware-fairness 0.9.. lasHalfLifeSeconds >= 0
program-aware-fairness 0.9.. strategy one of las
slo-headroom-tier-filter 1.5.. epsilonExploreNeg >= 0 <= 1
topology-affinity-filter 0.10.. minAffinity one of host rack zone region
utilization-detector 1.5.. queueDepthThreshold > 0
utilization-detector 1.5.. kvCacheUtilThreshold > 0 <= 1
utilization-detector 1.5.. metricsStalenessThreshold positive-duration
utilization-detector 1.5.. headroom >= 0
"""

#: How the picker reads stageOrder: without hyphens, underscores and letter case.
_STAGE_ORDERS = ("", "decodefirst", "decode", "prefillfirst", "prefill")


def bound_faults(plugin: Declared, release: PickerRelease) -> Iterator[Finding]:
    """Yield the parameters of a plugin that break a rule of the table."""
    for since, until, key, words in _table().get(plugin.type, ()):
        if not since <= release.generation <= until:
            continue
        value = plugin.get(key)
        fault = _fault(value, words)
        if fault:
            message = f"{plugin.type} requires {key} to be {fault}"
            yield refusal("parameter-value", plugin.at(key), value, message, f"make it {fault}")


def _fault(value: Value, words: list[str]) -> str | None:
    """Return what the value has to be, None if it is."""
    rule, *rest = words
    if rule == "given":
        return None if value not in (None, "") else "given"
    if value is None:
        return None
    if rule in _OPERATORS:
        return _comparison_fault(value, words)
    if not isinstance(value, str):
        return None
    match rule:
        case "one":
            # An empty text stands for the default here.
            return None if value in ("", *rest[1:]) else f"one of {', '.join(rest[1:])}"
        case "choice":
            return None if value in rest else f"one of {', '.join(rest)}"
        case "duration":
            seconds = parse_duration(value) if value else 0
            return None if seconds is not None and seconds >= 0 else "a duration such as 500ms"
        case "positive-duration":
            seconds = parse_duration(value)
            return (
                None if seconds is not None and seconds > 0 else "a duration above 0 such as 200ms"
            )
    folded = value.casefold().replace("-", "").replace("_", "")
    return None if folded in _STAGE_ORDERS else "decode-first or prefill-first"


def _comparison_fault(value: Value, words: list[str]) -> str | None:
    pairs = list(zip(words[::2], map(float, words[1::2]), strict=True))
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    if all(_OPERATORS[sign](value, limit) for sign, limit in pairs):
        return None
    return " and ".join(f"{sign} {limit:g}" for sign, limit in pairs)


@cache
def _table() -> Mapping[str, list[tuple[int, int, str, list[str]]]]:
    rows: dict[str, list[tuple[int, int, str, list[str]]]] = {}
    for line in _TABLE.strip().splitlines():
        type_name, generations, key, *words = line.split()
        since, until = generations.split("..")
        last = generation_named(until) if until else 99
        rows.setdefault(type_name, []).append((generation_named(since), last, key, words))
    return rows
