# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugin types of the endpoint picker: which release registers which, and what each can be used for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from .releases import Family, Generation, PickerRelease, generation_named, releases

#: Type, the family that had it first, generations from..until, `alpha` if llm-d 0.10 wants a flag for it, and its points.
#: What 0.11 drops: llm-d-router pull requests 2509, 2815, 2844, 2859, 2865 and 2869.
_TABLE = """
active-request-scorer llmd 1.0.. scorer
agent-identity llmd 0.9.. alpha
always-disagg-multimodal-decider llmd 1.4.. decider
always-disagg-pd-decider llmd 0.6.. decider
anthropic-parser llmd 0.9.. parser
approx-prefix-cache-producer gaie 1.5..
burst-prefix-cache-producer llmd 0.10.. alpha
by-label llmd 1.0..0.10 filter
by-label-selector llmd 1.0..0.10 filter
concurrency-detector gaie 1.5.. filter detector
context-length-aware llmd 1.4.. filter scorer
core-metrics-extractor gaie 1.5.. extractor
data-parallel-profile-handler llmd 1.2.. handler
dcgm-data-source llmd 0.10.. alpha source
dcgm-extractor llmd 0.10.. alpha extractor
decode-filter llmd 1.0.. filter
destination-endpoint-served-verifier gaie 1.2..
disagg-headers-handler llmd 1.4..0.10
disagg-profile-handler llmd 1.4.. handler
disaggregatedset-rollout-screener llmd 0.10.. alpha
edf-ordering-policy gaie 0.6.. ordering
encode-filter llmd 1.4.. filter
endpoint-attribute-filter llmd 0.10.. alpha filter
endpoint-attribute-scorer llmd 0.10.. alpha scorer
endpoint-notification-source gaie 1.5.. source
fcfs-ordering-policy gaie 0.6.. ordering
file-discovery llmd 0.9.. discovery
global-strict-fairness-policy gaie 0.6.. fairness
header-based-testing-filter gaie 1.0.. filter
header-label-affinity-scorer llmd 0.10.. alpha scorer
header-profile-handler llmd 0.10.. alpha handler
inflight-load-producer gaie 1.5..
k8s-notification-source gaie 1.4.. source
kv-cache-utilization-scorer gaie 1.0.. scorer
label-selector-filter llmd 0.9.. filter
latency-observation-scorer llmd 0.11.. scorer
latency-observer-producer llmd 0.11..
latency-scorer gaie 1.5.. scorer
latency-slo-admitter gaie 1.5..
load-aware-scorer llmd 1.0.. scorer
lora-affinity-scorer gaie 1.0.. scorer
max-score-picker gaie 1.0.. picker
metrics-data-source gaie 1.3.. source
mm-embeddings-cache-producer llmd 0.9..
mm-embeddings-cache-scorer llmd 0.9.. scorer
model-server-protocol-metrics gaie 1.3..1.4 extractor
model-server-protocol-models llmd 0.6..1.5 extractor
models-data-extractor llmd 0.9.. extractor
models-data-source llmd 0.6.. source
multicluster-approx-prefix-cache-producer llmd 0.10.. alpha
multicluster-file-discovery llmd 0.10.. alpha discovery
multicluster-kv-cache-utilization-scorer llmd 0.10.. alpha scorer
multicluster-metrics-data-source llmd 0.10.. alpha source
multicluster-metrics-extractor llmd 0.10.. alpha extractor
multicluster-prefix-cache-scorer llmd 0.10.. alpha scorer
multicluster-queue-scorer llmd 0.10.. alpha scorer
multicluster-session-affinity-filter llmd 0.10.. alpha filter
no-hit-lru-scorer llmd 1.2.. scorer
openai-parser gaie 1.5.. parser
p2p-source-producer llmd 0.10.. alpha
passthrough-parser gaie 1.5.. parser
pd-profile-handler llmd 1.0..0.10 handler
precise-prefix-cache-producer llmd 0.9..
precise-prefix-cache-scorer llmd 1.0..0.10 scorer
predicted-latency-producer gaie 1.5..
predicted-latency-scorer gaie 1.3..1.5 scorer
prefill-filter llmd 1.0.. filter
prefill-header-handler llmd 1.0..0.10
prefix-based-pd-decider llmd 0.6.. decider
prefix-cache-affinity-filter gaie 1.5.. filter
prefix-cache-scorer gaie 1.0.. scorer
priority-holdback-policy llmd 0.10.. alpha limit
priority-then-time-eviction-order-policy llmd 0.10.. alpha
probabilistic-admitter llmd 0.9..
program-aware-fairness llmd 0.9.. fairness
queue-scorer gaie 1.0.. scorer
random-picker gaie 1.0.. picker
request-attribute-reporter gaie 1.4..
round-robin-fairness-policy gaie 0.6.. fairness
running-requests-size-scorer gaie 1.3.. scorer
session-affinity-filter llmd 0.9.. alpha filter
session-affinity-scorer llmd 1.0.. alpha scorer
session-id-producer llmd 0.9..
sheddable-eviction-filter llmd 0.10.. alpha
sglanghttp-parser llmd 0.11.. parser
single-profile-handler gaie 1.0.. handler
slo-deadline-ordering-policy gaie 1.5.. ordering
slo-headroom-tier-filter gaie 1.5.. filter
soft-reflective-ceiling-policy llmd 0.10.. alpha limit
static-usage-limit-policy gaie 1.5.. limit
token-load-scorer gaie 1.5.. scorer
token-producer llmd 0.9..
tokenizer llmd 1.4..0.10
topology-affinity-filter llmd 0.10.. alpha filter
topology-affinity-scorer llmd 0.10.. alpha scorer
topology-extractor llmd 0.10.. alpha extractor
utilization-detector gaie 1.5.. filter detector
utilization-filter llmd 0.10.. alpha filter
vertexai-parser llmd 0.9.. parser
vllmgrpc-parser gaie 1.5.. parser
vllmhttp-parser llmd 0.9.. parser
weighted-random-picker gaie 1.0.. picker
"""


@dataclass(frozen=True, slots=True)
class Plugin:
    """One type of plugin. points: what it can be (`filter`, `scorer`, `picker`, `handler`, …); none for helpers."""

    type: str
    family: Family
    since: Generation
    until: Generation
    alpha: bool
    points: frozenset[str]

    def is_registered_in(self, release: PickerRelease) -> bool:
        """Whether a release knows the type. llm-d has what its base has."""
        return self.since <= release.generation <= self.until and self.family in (
            "gaie",
            release.family,
        )


@cache
def plugins() -> Mapping[str, Plugin]:
    """Return every type that any release knows, by name."""
    return {plugin.type: plugin for plugin in map(_read, _TABLE.strip().splitlines())}


@cache
def registry(release_target: str) -> Mapping[str, Plugin]:
    """Return the types that a release knows, by name."""
    release = releases()[release_target]
    return {name: plugin for name, plugin in plugins().items() if plugin.is_registered_in(release)}


def targets_with(type_name: str) -> list[str]:
    """Return the targets whose release knows a type."""
    plugin = plugins().get(type_name)
    if plugin is None:
        return []
    return [target for target, release in releases().items() if plugin.is_registered_in(release)]


def dropped_by(until: Generation) -> PickerRelease | None:
    """Return the first release of llm-d after a generation, which is that of the last one that has something; None if there is none yet."""
    later = (each for each in releases().values() if each.family == "llmd")
    return next((each for each in later if each.generation > until), None)


def _read(line: str) -> Plugin:
    name, family, generations, *rest = line.split()
    since, until = generations.split("..")
    return Plugin(
        type=name,
        family="gaie" if family == "gaie" else "llmd",
        since=generation_named(since),
        until=generation_named(until) if until else max(Generation),
        alpha="alpha" in rest,
        points=frozenset(rest) - {"alpha"},
    )
