# SPDX-License-Identifier: GPL-3.0-or-later
"""The loader's and the runner's steps over the data layer: sources of data about model servers, and their extractors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...kube.manifest import Json
from ..findings import Finding, refusal, warning
from ..releases import Generation
from .builtin import METRICS_EXTRACTOR, METRICS_SOURCE, metrics_wiring
from .loading import Loading

_G = Generation
_OLD_EXTRACTOR = "model-server-protocol-metrics"

#: The extractors that can read from each source.
_FITTING: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        (METRICS_SOURCE, "dcgm-data-source", "multicluster-metrics-data-source"),
        frozenset(
            {METRICS_EXTRACTOR, _OLD_EXTRACTOR, "dcgm-extractor", "multicluster-metrics-extractor"}
        ),
    ),
    "models-data-source": frozenset({"model-server-protocol-models", "models-data-extractor"}),
    "k8s-notification-source": frozenset(),
    "endpoint-notification-source": frozenset(
        {
            "inflight-load-producer",
            "mm-embeddings-cache-producer",
            "precise-prefix-cache-producer",
            "precise-prefix-cache-scorer",
        }
    ),
}
_POLLED = frozenset(_FITTING) - {"k8s-notification-source", "endpoint-notification-source"}

#: Types that bring a source of their own along.
_BRINGING_SOURCES = frozenset({"inflight-load-producer", "topology-extractor"})


def add_default_source(loading: Loading) -> None:
    """Add the source of metrics where the release does."""
    config, generation = loading.config, loading.release.generation
    if generation == _G.V1_5:
        if "dataLayer" not in config and not loading.gates.get("enableLegacyMetrics"):
            loading.inject_missing(METRICS_SOURCE, METRICS_EXTRACTOR)
            config["dataLayer"] = {"sources": [metrics_wiring()]}
    elif loading.release.has_own_picker:
        section = config.get("dataLayer", {})
        names = _names(section)
        if section.get("injectDefaults", True) and METRICS_SOURCE not in names:
            loading.inject_missing(METRICS_SOURCE, METRICS_EXTRACTOR)
            section = config.setdefault("dataLayer", {})
            section.setdefault("sources", []).append(metrics_wiring())
            loading.report(_doubled_scraping(names, loading))


def check_data_layer(loading: Loading) -> None:
    """Check sources and extractors, when every plugin object is there."""
    generation = loading.release.generation
    if _G.V1_3 <= generation <= _G.V1_4:
        loading.report(_early_faults(loading))
    elif generation == _G.V1_5:
        _check_1_5(loading)
    elif loading.release.has_own_picker:
        _check_own(loading)


def _names(section: Json) -> list[str]:
    return [source.get("pluginRef", "") for source in section.get("sources", [])]


def _early_faults(loading: Loading) -> Iterator[Finding]:
    generation, data = loading.release.generation, loading.config.get("data")
    on = loading.gates.get("dataLayer", False)
    if on and not (data or {}).get("sources"):
        yield refusal(
            "data-layer-without-source",
            "data",
            data,
            "the feature gate dataLayer is on, and there is no source of data",
            "add data.sources, or delete the gate",
        )
    if data is None:
        return
    if not on and generation == _G.V1_3:
        yield refusal(
            "data-layer-off",
            "data",
            data,
            f"{loading.release.target} refuses the section data while the feature gate dataLayer is off",
            "add dataLayer to featureGates, or delete the section",
        )
        return
    yield from _source_faults(data, "data", loading)
    if on:
        return
    for path, name in _extractors(data, "data"):
        if loading.instances.get(name) == _OLD_EXTRACTOR:
            yield refusal(
                "data-layer-off",
                path,
                name,
                f"{loading.release.target} refuses the metrics extractor while the feature gate dataLayer is off",
                "add dataLayer to featureGates, or delete the extractor",
            )


def _check_1_5(loading: Loading) -> None:
    if loading.gates.get("enableLegacyMetrics"):
        return
    section = loading.config["dataLayer"]
    if not section.get("sources"):
        loading.report([_no_source(loading)])
    loading.report(_source_faults(section, "dataLayer", loading))
    loading.report(_repeated_kinds(section, loading))


def _check_own(loading: Loading) -> None:
    section = loading.config.get("dataLayer", {})
    if not _names(section) and _BRINGING_SOURCES.isdisjoint(loading.instances.values()):
        loading.report([_no_source(loading)])
    loading.report(_source_faults(section, "dataLayer", loading))
    loading.report(_repeated_sources(section, loading))
    loading.report(_repeated_kinds(section, loading))
    loading.report(_plugin_reference_faults(section, loading))


def _no_source(loading: Loading) -> Finding:
    return refusal(
        "data-layer-without-source",
        "dataLayer",
        None,
        f"{loading.release.target} does not start with a data layer without a source of data",
        "delete the section, which gives the default source, or add sources",
    )


def _doubled_scraping(names: list[str], loading: Loading) -> Iterator[Finding]:
    for name in names:
        if loading.instances.get(name) == METRICS_SOURCE:
            yield warning(
                "metrics-scraped-twice",
                "dataLayer.sources",
                name,
                f"{name} is a {METRICS_SOURCE} under another name, so the default one is added beside it: "
                "every model server is scraped twice",
                f"name it {METRICS_SOURCE}, or set dataLayer.injectDefaults: false",
            )


def _source_faults(section: Json, path: str, loading: Loading) -> Iterator[Finding]:
    for index, source in enumerate(section.get("sources", [])):
        here, name = f"{path}.sources[{index}]", source.get("pluginRef", "")
        if not loading.is_a(name, "source"):
            yield refusal(
                "source-wrong",
                f"{here}.pluginRef",
                name,
                _not_a(name, "data source", loading),
                "declare a data source such as metrics-data-source and name it here",
            )
            continue
        yield from _extractor_faults(source, here, loading)


def _extractor_faults(source: Json, path: str, loading: Loading) -> Iterator[Finding]:
    fitting = _FITTING[loading.instances[source["pluginRef"]]]
    seen: set[str] = set()
    for index, extractor in enumerate(source.get("extractors", [])):
        here, name = f"{path}.extractors[{index}].pluginRef", extractor.get("pluginRef", "")
        kind = loading.instances.get(name, "")
        if kind not in fitting:
            known = sorted(fitting & loading.registry.keys())
            yield refusal(
                "extractor-wrong",
                here,
                name,
                _not_a(name, f"extractor for {source['pluginRef']}", loading),
                f"name one of {', '.join(known)}" if known else "delete it",
            )
        elif kind in seen and loading.release.has_own_picker:
            yield refusal(
                "extractor-twice",
                here,
                name,
                f"the source has two extractors of type {kind}",
                "delete one",
            )
        seen.add(kind)


def _not_a(name: str, what: str, loading: Loading) -> str:
    if not name:
        return f"the {what} is not named"
    kind = loading.instances.get(name)
    return f"no plugin has the name {name}" if kind is None else f"{name} is a {kind}, no {what}"


def _extractors(section: Json, path: str) -> Iterator[tuple[str, str]]:
    for index, source in enumerate(section.get("sources", [])):
        for position, extractor in enumerate(source.get("extractors", [])):
            here = f"{path}.sources[{index}].extractors[{position}].pluginRef"
            yield here, extractor.get("pluginRef", "")


def _repeated_sources(section: Json, loading: Loading) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, source in enumerate(section.get("sources", [])):
        name = source.get("pluginRef", "")
        if name in seen and loading.instances.get(name) in _POLLED:
            yield refusal(
                "source-twice",
                f"dataLayer.sources[{index}].pluginRef",
                name,
                f"the source {name} is listed twice",
                "put all its extractors below one entry",
            )
        seen.add(name)


def _repeated_kinds(section: Json, loading: Loading) -> Iterator[Finding]:
    """Yield sources that watch a kind of object that another one watches already."""
    declared = {plugin.name: plugin for plugin in loading.declared}
    seen: dict[tuple[str, ...], str] = {}
    for index, name in enumerate(_names(section)):
        if loading.instances.get(name) != "k8s-notification-source" or name not in declared:
            continue
        kind = tuple(declared[name].text(key) for key in ("group", "version", "kind"))
        if kind in seen:
            yield refusal(
                "source-twice",
                f"dataLayer.sources[{index}].pluginRef",
                name,
                f"{name} watches {kind[2]}, which the source {seen[kind]} watches already",
                "put all extractors below one of them",
            )
        seen[kind] = name


def _plugin_reference_faults(section: Json, loading: Loading) -> Iterator[Finding]:
    if "discovery" in section:
        name = section["discovery"].get("pluginRef", "")
        if not loading.is_a(name, "discovery"):
            yield refusal(
                "discovery-wrong",
                "dataLayer.discovery.pluginRef",
                name,
                _not_a(name, "discovery plugin", loading),
                "declare a file-discovery and name it here, or delete dataLayer.discovery",
            )
    syncer = section.get("crossReplicaSyncerPluginRef")
    if syncer:
        yield refusal(
            "syncer-wrong",
            "dataLayer.crossReplicaSyncerPluginRef",
            syncer,
            f"{loading.release.target} has no plugin that synchronises replicas",
            "delete the field",
        )
