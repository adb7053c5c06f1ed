# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be rewritten where a generation of the loader begins to read something else."""

from __future__ import annotations

from collections.abc import Callable

from ...kube.manifest import Json
from ..loading.builtin import METRICS_EXTRACTOR
from ..releases import NEW_API_VERSION, Generation
from .disaggregated import to_decider, to_disaggregated_handler, without_header_handlers
from .removals import (
    to_label_selectors,
    to_named_producers,
    to_precise_producer,
    to_token_producer,
    without_decay_factor,
    without_flat_parameters,
)
from .state import MigrationState

_G = Generation
_OLD_EXTRACTOR = "model-server-protocol-metrics"
_APPROXIMATE = "approx-prefix-cache-producer"

#: A token is about four characters.
CHARACTERS_PER_TOKEN = 4


def _block_size(state: MigrationState) -> None:
    for dummy, parameters in state.of_type("prefix-cache-scorer"):
        if "hashBlockSize" in parameters:
            parameters["blockSize"] = parameters.pop("hashBlockSize")
            state.changed("prefix-cache-scorer: hashBlockSize became blockSize")


def _thresholds_from_environment(state: MigrationState) -> None:
    state.decide(
        "thresholds set by SD_QUEUE_DEPTH_THRESHOLD, SD_KV_CACHE_UTIL_THRESHOLD and SD_METRICS_STALENESS_THRESHOLD "
        "belong into the configuration from 1.2 (from 1.5: parameters of a utilization-detector)"
    )


def _token_processor(state: MigrationState) -> None:
    for dummy, parameters in state.of_type("precise-prefix-cache-scorer"):
        indexer = parameters.get("indexerConfig")
        if isinstance(indexer, dict) and "tokenProcessorConfig" in indexer:
            parameters["tokenProcessorConfig"] = indexer.pop("tokenProcessorConfig")
            state.changed(
                "precise-prefix-cache-scorer: tokenProcessorConfig moved out of indexerConfig"
            )


def _blocks_of_tokens(state: MigrationState) -> None:
    for dummy, parameters in state.of_type("prefix-cache-scorer"):
        characters = parameters.pop("blockSize", None)
        if not isinstance(characters, int) or characters <= 0 or "blockSizeTokens" in parameters:
            continue
        tokens = max(1, characters // CHARACTERS_PER_TOKEN)
        parameters["blockSizeTokens"] = tokens
        state.changed(
            f"prefix-cache-scorer: blockSize {characters} (characters) became blockSizeTokens {tokens}"
        )
        state.decide("blockSizeTokens has to equal the block size of the model servers")


_SPECS = {
    "queueRequestsSpec": "queuedRequestsSpec",
    "runningRequestsSpec": "runningRequestsSpec",
    "kvUsageSpec": "kvUsageSpec",
    "loraSpec": "loraSpec",
    "cacheInfoSpec": "cacheInfoSpec",
}


def _engines(state: MigrationState) -> None:
    for dummy, parameters in state.of_type(_OLD_EXTRACTOR):
        specs = {new: parameters.pop(old) for old, new in _SPECS.items() if old in parameters}
        if specs:
            parameters["engineConfigs"] = [{"name": "vllm", **specs}]
            state.changed(
                f"{_OLD_EXTRACTOR}: metric names moved into engineConfigs, for the engine vllm"
            )


def _declared_detector(state: MigrationState) -> None:
    thresholds = state.document.pop("saturationDetector", None)
    if not thresholds:
        return
    parameters = {key: value for key, value in thresholds.items() if _is_used(key, value)}
    state.declare("utilization-detector", **parameters)
    state.document["saturationDetector"] = {"pluginRef": "utilization-detector"}
    state.changed("saturationDetector: thresholds became parameters of a utilization-detector")


def _is_used(key: str, value: object) -> bool:
    """Whether a threshold counted; others fell back to their defaults without a word, and are errors now."""
    if key == "kvCacheUtilThreshold":
        return isinstance(value, (int, float)) and 0 < value < 1
    return bool(value) and not str(value).startswith(("-", "0"))


def _data_layer(state: MigrationState) -> None:
    data = state.document.pop("data", None)
    if data and data.get("sources"):
        state.document["dataLayer"] = data
        state.changed("data became dataLayer")
    state.retype(_OLD_EXTRACTOR, METRICS_EXTRACTOR)
    state.drop_gate("prepareDataPlugins")


def _api_version(state: MigrationState) -> None:
    if state.document.get("apiVersion", "") != NEW_API_VERSION:
        state.document["apiVersion"] = NEW_API_VERSION
        state.changed(f"apiVersion became {NEW_API_VERSION}")


def _new_places(state: MigrationState) -> None:
    document = state.document
    parser = document.pop("parser", None)
    if parser:
        document.setdefault("requestHandler", {}).setdefault("parsers", [parser])
        state.changed("parser became requestHandler.parsers")
    detector = document.pop("saturationDetector", None)
    if detector:
        document.setdefault("flowControl", {}).setdefault("saturationDetector", detector)
        state.changed("saturationDetector moved below flowControl")
    if document.get("dataLayer") and state.source.generation < _G.V0_9:
        # Until 1.5 a section that is there got no defaults.
        document["dataLayer"].setdefault("injectDefaults", False)
        state.changed("dataLayer: injectDefaults: false, as sources were never added before")
    if state.drop_gate("enableLegacyMetrics"):
        state.decide("enableLegacyMetrics is gone; metrics come from metrics-data-source")


_PREFIX_KEYS = ("autoTune", "blockSizeTokens", "maxPrefixBlocksToMatch", "lruCapacityPerServer")


def _prefix_producer(state: MigrationState) -> None:
    for plugin, parameters in state.of_type("prefix-cache-scorer"):
        moved = {key: parameters.pop(key) for key in _PREFIX_KEYS if key in parameters}
        if not moved:
            continue
        if state.has_type(_APPROXIMATE):
            state.decide(
                f"{plugin.get('name', plugin['type'])} had parameters {', '.join(moved)}, and {_APPROXIMATE} is "
                "declared already: merge them there"
            )
            continue
        if "maxPrefixBlocksToMatch" in moved:
            # Its default in tokens would take precedence.
            moved["maxPrefixTokensToMatch"] = 0
        state.declare(_APPROXIMATE, plugin, **moved)
        state.changed(f"prefix-cache-scorer: {', '.join(moved)} moved to a declared {_APPROXIMATE}")


def _predicted_latency(state: MigrationState) -> None:
    for plugin, parameters in state.of_type("predicted-latency-scorer"):
        lost = sorted(parameters)
        plugin.pop("parameters")
        state.declare("predicted-latency-producer", plugin)
        if lost:
            state.decide(
                f"predicted-latency-scorer was split into producer, filters and scorer; its parameters {', '.join(lost)} "
                "were dropped: see the preset latency for where they belong"
            )
    state.retype("predicted-latency-scorer", "latency-scorer")
    for dummy, parameters in state.of_type("predicted-latency-producer"):
        if "predictInPrepareData" in parameters:
            parameters["predictInProduce"] = parameters.pop("predictInPrepareData")
            state.changed(
                "predicted-latency-producer: predictInPrepareData became predictInProduce"
            )


def _producers(state: MigrationState) -> None:
    state.retype("model-server-protocol-models", "models-data-extractor")
    if state.has_type("token-load-scorer") and not state.has_type("inflight-load-producer"):
        state.declare("inflight-load-producer")
        state.changed("inflight-load-producer was declared, which token-load-scorer needs")


def _session_header(state: MigrationState) -> None:
    for plugin, parameters in state.of_type("session-affinity-scorer", "session-affinity-filter"):
        if "headerName" in parameters:
            parameters["encodedEndpointHeaderConfig"] = {"header": parameters.pop("headerName")}
            state.changed(f"{plugin['type']}: headerName became encodedEndpointHeaderConfig.header")


def _queue_wait(state: MigrationState) -> None:
    state.drop_gate("dataLayer")
    if "flowControl" not in state.document.get("featureGates", []):
        return
    section = state.document.setdefault("flowControl", {})
    if "defaultRequestTTL" not in section:
        section["defaultRequestTTL"] = "0s"
        state.changed(
            "flowControl.defaultRequestTTL: 0s keeps queues without a limit of time; the default is now 60s"
        )
    state.decide("a band with maxRequests 0 or none is now limited to 5000 requests")


Step = Callable[[MigrationState], None]

#: In the order in which they are taken; each for documents from before its generation.
STEPS: tuple[tuple[Generation, Step], ...] = (
    (_G.V1_1, _block_size),
    (_G.V1_2, _thresholds_from_environment),
    (_G.V1_3, _token_processor),
    (_G.V0_6, to_decider),
    (_G.V0_6, _blocks_of_tokens),
    (_G.V1_4, _engines),
    (_G.V1_4, to_disaggregated_handler),
    (_G.V1_5, _declared_detector),
    (_G.V1_5, _data_layer),
    (_G.V0_9, _api_version),
    (_G.V0_9, _new_places),
    (_G.V0_9, _prefix_producer),
    (_G.V0_9, _predicted_latency),
    (_G.V0_9, _producers),
    (_G.V0_9, without_header_handlers),
    (_G.V0_10, _session_header),
    (_G.V0_10, _queue_wait),
    (_G.V0_11, to_disaggregated_handler),
    (_G.V0_11, without_flat_parameters),
    (_G.V0_11, without_header_handlers),
    (_G.V0_11, _new_places),
    (_G.V0_11, to_label_selectors),
    (_G.V0_11, to_token_producer),
    (_G.V0_11, to_precise_producer),
    (_G.V0_11, without_decay_factor),
    (_G.V0_11, to_named_producers),
)


def empty_parameters_dropped(plugins: list[Json]) -> None:
    """Remove parameters that a migration left empty."""
    for plugin in plugins:
        if not plugin.get("parameters", True):
            del plugin["parameters"]
