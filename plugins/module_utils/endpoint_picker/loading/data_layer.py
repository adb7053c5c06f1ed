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


def load_data_layer(loading: Loading) -> None:
    """Add the default source where the release does, and check sources and extractors."""
    generation = loading.release.generation
    if _G.V1_3 <= generation <= _G.V1_4:
        loading.report(_early_faults(loading))
    elif generation == _G.V1_5:
        _load_1_5(loading)
    elif loading.release.has_own_picker:
        _load_own(loading)


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


def _load_1_5(loading: Loading) -> None:
    if loading.gates.get("enableLegacyMetrics"):
        return
    config = loading.config
    if "dataLayer" not in config:
        loading.inject_missing(METRICS_SOURCE, METRICS_EXTRACTOR)
        config["dataLayer"] = {"sources": [metrics_wiring()]}
    elif not config["dataLayer"].get("sources"):
        loading.report([_no_source(loading)])
    loading.report(_source_faults(config["dataLayer"], "dataLayer", loading))


def _load_own(loading: Loading) -> None:
    config = loading.config
    section = config.get("dataLayer", {})
    names = [source.get("pluginRef", "") for source in section.get("sources", [])]
    if section.get("injectDefaults", True) and METRICS_SOURCE not in names:
        loading.inject_missing(METRICS_SOURCE, METRICS_EXTRACTOR)
        section = config.setdefault("dataLayer", {})
        section.setdefault("sources", []).append(metrics_wiring())
        loading.report(_doubled_scraping(names, loading))
    elif not names and _BRINGING_SOURCES.isdisjoint(loading.instances.values()):
        loading.report([_no_source(loading)])
    loading.report(_source_faults(section, "dataLayer", loading))
    loading.report(_repeated_sources(section, loading))
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
                f"the source {name} stands twice",
                "put all its extractors below one entry",
            )
        seen.add(name)


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
