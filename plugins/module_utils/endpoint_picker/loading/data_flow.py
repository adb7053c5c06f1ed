# SPDX-License-Identifier: GPL-3.0-or-later
"""The data that plugins of llm-d's own picker hand to each other: who needs what, and which producers are added.

A key is a kind of data and the name of its producer. A consumer without a producer's name means the default one, which
the picker creates by itself for most kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from ..findings import Finding, info, refusal
from ..plugin_parameters import Declared, lookup
from ..releases import Generation, PickerRelease
from ..rules.values import is_number

Key = tuple[str, str]


class Need(NamedTuple):
    """Data that a plugin reads. kind, producer: its key. parameter: what names the producer, empty where nothing does."""

    kind: str
    producer: str
    parameter: str

    @property
    def key(self) -> Key:
        """The kind of data and its producer."""
        return self.kind, self.producer


#: The producer that each kind of data has by default.
_DEFAULT_PRODUCERS = {
    "prefix": "approx-prefix-cache-producer",
    "in-flight": "inflight-load-producer",
    "uncached": "inflight-load-producer",
    "latency": "predicted-latency-producer",
    "embeddings": "mm-embeddings-cache-producer",
    "tokens": "token-producer",
    "session": "session-id-producer",
    "cluster-queue": "",
    "cluster-cache": "",
    "topology": "topology-extractor",
}

#: Kinds for which no producer is created.
_NEVER_CREATED = frozenset({"uncached", "cluster-queue", "cluster-cache"})

#: What each type produces under its own name.
_PRODUCED: Mapping[str, tuple[str, ...]] = {
    "approx-prefix-cache-producer": ("prefix",),
    "multicluster-approx-prefix-cache-producer": ("prefix",),
    "burst-prefix-cache-producer": ("prefix",),
    "precise-prefix-cache-producer": ("prefix",),
    "precise-prefix-cache-scorer": ("prefix",),
    "inflight-load-producer": ("in-flight", "uncached"),
    "predicted-latency-producer": ("latency",),
    "mm-embeddings-cache-producer": ("embeddings",),
    "token-producer": ("tokens",),
    "tokenizer": ("tokens",),
    "session-id-producer": ("session",),
    "topology-extractor": ("topology",),
}

#: What each type needs, with the parameter that names the producer.
_REQUIRED: Mapping[str, tuple[tuple[str, str], ...]] = {
    "active-request-scorer": (("in-flight", "inFlightLoadProducerName"),),
    "approx-prefix-cache-producer": (("tokens", ""),),
    "burst-prefix-cache-producer": (("tokens", ""),),
    "concurrency-detector": (("in-flight", "inFlightLoadProducerName"),),
    "context-length-aware": (("tokens", ""),),
    "disagg-profile-handler": (("prefix", ""), ("tokens", "")),
    "inflight-load-producer": (("tokens", ""),),
    "latency-scorer": (
        ("latency", "latencyPredictionInfoProducerName"),
        ("prefix", "prefixMatchInfoProducerName"),
    ),
    "latency-slo-admitter": (("latency", "latencyPredictionInfoProducerName"),),
    "mm-embeddings-cache-producer": (("tokens", ""),),
    "mm-embeddings-cache-scorer": (("embeddings", "producerName"),),
    "multicluster-approx-prefix-cache-producer": (("tokens", ""),),
    "multicluster-kv-cache-utilization-scorer": (("cluster-cache", ""),),
    "multicluster-prefix-cache-scorer": (("prefix", "prefixMatchInfoProducerName"),),
    "multicluster-queue-scorer": (("cluster-queue", ""),),
    "no-hit-lru-scorer": (("prefix", "prefixMatchInfoProducerName"),),
    "p2p-source-producer": (("prefix", "prefixMatchInfoProducerName"),),
    "pd-profile-handler": (("prefix", "prefixMatchInfoProducerName"), ("tokens", "")),
    "precise-prefix-cache-producer": (("tokens", ""),),
    "prefix-cache-scorer": (("prefix", "prefixMatchInfoProducerName"),),
    "slo-headroom-tier-filter": (("latency", "latencyPredictionInfoProducerName"),),
    "token-load-scorer": (
        ("in-flight", "inFlightLoadProducerName"),
        ("uncached", "inFlightLoadProducerName"),
    ),
}

#: What each type uses if it is there, with the parameter that names the producer.
_OPTIONAL: Mapping[str, tuple[str, str]] = {
    "inflight-load-producer": ("prefix", "prefixMatchInfoProducerName"),
    "topology-affinity-filter": ("topology", "topologyProducerName"),
    "topology-affinity-scorer": ("topology", "topologyProducerName"),
}

#: The kinds of data that any type reads.
KINDS_READ = frozenset(
    kind for needs in (*_REQUIRED.values(), _OPTIONAL.values()) for kind, dummy in needs
)


@dataclass(frozen=True, slots=True)
class DataFlow:
    """faults: needs that nothing meets. unmet: what would be used if it were there. created: the default producers that the picker adds, by name."""

    faults: list[Finding]
    unmet: list[Finding]
    created: list[str]


def data_flow(plugins: Iterable[Declared], release: PickerRelease) -> DataFlow:
    """Return which producers are added to plugins, and which needs stay open. For llm-d's own picker."""
    consumers = list(plugins)
    names = {plugin.name for plugin in consumers}
    there = {key for plugin in consumers for key in produced(plugin)}
    # What is never created by itself has to be there before anything is added.
    declared = frozenset(there)
    faults: list[Finding] = []
    created: list[str] = []
    for plugin in consumers:
        for need in _needs(plugin, release):
            kind, producer = need.key
            if need.key in (declared if kind in _NEVER_CREATED else there):
                continue
            if producer != _DEFAULT_PRODUCERS[kind] or kind in _NEVER_CREATED:
                faults.append(_open_need(plugin, kind, producer))
            elif producer not in names:
                added = Declared(producer, producer, "", None, given=False)
                names.add(producer)
                created.append(producer)
                there.update(produced(added))
                # What was added may need others.
                consumers.append(added)
    return DataFlow(faults, list(_unmet(consumers, there)), created)


def _unmet(plugins: Iterable[Declared], there: Set[Key]) -> Iterator[Finding]:
    for plugin in plugins:
        need = _optional_need(plugin)
        if need is not None and need.key not in there:
            yield info(
                "data-optional",
                plugin.path or "plugins",
                plugin.name,
                f"{plugin.name} could use data of {need.producer}, which does not exist; it works without",
                f"declare {need.producer} if this matters",
            )


def readers(plugins: Iterable[Declared], release: PickerRelease) -> Iterator[tuple[Declared, Need]]:
    """Yield each plugin object of llm-d's own picker with each kind of data that it reads."""
    for plugin in plugins:
        for need in _needs(plugin, release):
            yield plugin, need
        optional = _optional_need(plugin)
        if optional is not None:
            yield plugin, optional


def _optional_need(plugin: Declared) -> Need | None:
    kind, parameter = _OPTIONAL.get(plugin.type, ("", ""))
    return _need(plugin, kind, parameter) if kind else None


def produced(plugin: Declared) -> Iterator[Key]:
    """Yield the data that a plugin object gives to others."""
    if plugin.type == "multicluster-metrics-extractor":
        yield from (("cluster-queue", ""), ("cluster-cache", ""))
    for kind in _PRODUCED.get(plugin.type, ()):
        yield kind, plugin.name


def _needs(plugin: Declared, release: PickerRelease) -> Iterator[Need]:
    for kind, parameter in _REQUIRED.get(plugin.type, ()):
        yield _need(plugin, kind, parameter)
    match plugin.type:
        case "prefix-cache-affinity-filter":
            yield from _affinity_needs(plugin)
        case "precise-prefix-cache-scorer" if (
            plugin.get("indexerConfig.tokenizersPoolConfig") is None
        ):
            yield _need(plugin, "tokens", "")
        case "utilization-filter":
            if any(
                lookup(item, "metric") == "active-requests"
                for dummy, item in plugin.items("conditions")
            ):
                yield _need(plugin, "in-flight", "inFlightLoadProducerName")
        case "predicted-latency-producer":
            yield _need(plugin, "prefix", "prefixMatchInfoProducerName")
            yield _need(plugin, "tokens", "")
            if release.generation >= Generation.V0_10:
                yield _need(plugin, "in-flight", "inFlightLoadProducerName")
                if plugin.get("useEncoderCacheFeatures") is True:
                    yield _need(plugin, "embeddings", "encoderCacheMatchInfoProducerName")


def _affinity_needs(plugin: Declared) -> Iterator[Need]:
    yield _need(plugin, "prefix", "prefixMatchInfoProducerName")
    penalty = plugin.get("maxTTFTPenaltyMs")
    if is_number(penalty) and penalty <= 0:
        return
    if plugin.get("ttftSource") == "latencyPredictor":
        yield _need(plugin, "latency", "latencyPredictionInfoProducerName")
    else:
        yield _need(plugin, "in-flight", "inFlightLoadProducerName")


def _need(plugin: Declared, kind: str, parameter: str) -> Need:
    named = plugin.text(parameter) if parameter else ""
    return Need(kind, named or _DEFAULT_PRODUCERS[kind], parameter)


_CLUSTER_KINDS = frozenset({"cluster-queue", "cluster-cache"})


def _open_need(plugin: Declared, kind: str, producer: str) -> Finding:
    if kind in _CLUSTER_KINDS:
        wanted = "a multicluster-metrics-extractor"
    else:
        wanted = f"a producer named {producer} ({_DEFAULT_PRODUCERS[kind]} or one of its kind)"
    return refusal(
        "data-without-producer",
        plugin.path or "plugins",
        plugin.name,
        f"{plugin.type} needs data of {wanted}, which is not declared and is not added automatically",
        f"declare {wanted}",
    )
