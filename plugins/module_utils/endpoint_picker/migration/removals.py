# SPDX-License-Identifier: GPL-3.0-or-later
"""What llm-d 0.11 drops, in the words of what took its place. Source: llm-d-router pull requests 2509, 2844, 2859, 2865, 2869 and 2190."""

from __future__ import annotations

from ...kube.manifest import Json
from ..plugin_parameters import Declared
from ..rules.handlers import FLAT_DISAGG_KEYS, deciders_of, profiles_of
from .state import MigrationState

_PRECISE, _PREFIX = "precise-prefix-cache-scorer", "prefix-cache-scorer"
_PRODUCER, _TOKENS = "precise-prefix-cache-producer", "token-producer"
_NOTICES = "endpoint-notification-source"
_HANDLER = "disagg-profile-handler"


def without_flat_parameters(state: MigrationState) -> None:
    """Write profiles and deciders of the disaggregated handler where it reads them."""
    for dummy, parameters in state.of_type(_HANDLER):
        flat = [key for key in FLAT_DISAGG_KEYS if key in parameters]
        if not flat:
            continue
        handler = Declared("", _HANDLER, "", dict(parameters), given=True)
        deciders = deciders_of(handler, state.source.generation)
        for key in flat:
            del parameters[key]
        parameters["profiles"] = profiles_of(handler)
        parameters["deciders"] = {stage: name for stage, (dummy, name) in deciders.items()}
        state.changed(f"{_HANDLER}: {', '.join(flat)} became profiles and deciders")


def to_label_selectors(state: MigrationState) -> None:
    """Write the filters by label as a label selector."""
    for plugin, parameters in state.of_type("by-label"):
        label, values = parameters.get("label"), parameters.get("validValues")
        if parameters.get("allowsNoLabel") and values:
            state.decide(
                "by-label lets pods without the label through beside those with some values, which no selector says; "
                "label these pods, or do without the filter"
            )
            continue
        operator = {"operator": "In", "values": values} if values else {"operator": "DoesNotExist"}
        plugin.setdefault("name", "by-label")
        plugin["type"] = "label-selector-filter"
        plugin["parameters"] = {"matchExpressions": [{"key": label, **operator}]}
        state.changed("by-label became label-selector-filter")
    state.retype("by-label-selector", "label-selector-filter")


def to_token_producer(state: MigrationState) -> None:
    """Call the tokenizer by its name of today."""
    state.retype("tokenizer", _TOKENS)


def to_precise_producer(state: MigrationState) -> None:
    """Split the scorer of precise prefixes: a producer follows the caches, and a scorer reads what it found."""
    for plugin, parameters in state.of_type(_PRECISE):
        scorer = plugin.get("name") or _PRECISE
        producer = _declared(state, _PRODUCER)
        if producer is None:
            _tokens_apart(state, parameters)
            state.declare(_PRODUCER, plugin, **parameters)
            producer = _PRODUCER
        _follow_endpoints(state, scorer, producer)
        plugin["parameters"] = {"prefixMatchInfoProducerName": producer}
        state.changed(f"{scorer} was split into {producer} and {_PREFIX}")
    state.retype(_PRECISE, _PREFIX)


def _declared(state: MigrationState, kind: str) -> str | None:
    """Return the name of the first plugin of a type."""
    names = (plugin.get("name") or kind for plugin in state.plugins if plugin.get("type") == kind)
    return next(names, None)


def _tokens_apart(state: MigrationState, parameters: Json) -> None:
    """Move the tokenizer out of the parameters of the scorer."""
    indexer = parameters.get("indexerConfig")
    pool = indexer.pop("tokenizersPoolConfig", None) if isinstance(indexer, dict) else None
    if not isinstance(pool, dict) or _declared(state, _TOKENS) is not None:
        return
    model = pool.get("modelName")
    state.declare(_TOKENS, state.plugins[0], **({"modelName": model} if model else {}))
    state.changed(f"tokenizersPoolConfig became {_TOKENS}")
    state.decide(
        f"{_TOKENS} asks a vLLM server for tokens, by default at http://localhost:8000: run `vllm launch render` next to the picker, "
        "or name another server in its parameter vllm.url"
    )


def _follow_endpoints(state: MigrationState, scorer: str, producer: str) -> None:
    """Let the producer hear of endpoints, in the place of the scorer or newly."""
    layer = state.document.setdefault("dataLayer", {})
    sources = layer.setdefault("sources", [])
    extractors = [each for source in sources for each in source.get("extractors") or ()]
    for each in extractors:
        if each.get("pluginRef") == scorer:
            each["pluginRef"] = producer
    if any(each.get("pluginRef") == producer for each in extractors):
        return
    notices = _declared(state, _NOTICES)
    if notices is None:
        state.declare(_NOTICES)
        notices = _NOTICES
    wired = next((source for source in sources if source.get("pluginRef") == notices), None)
    if wired is None:
        wired = {"pluginRef": notices}
        sources.append(wired)
    wired.setdefault("extractors", []).append({"pluginRef": producer})
    state.changed(f"{notices} tells {producer} which endpoints there are")


def without_decay_factor(state: MigrationState) -> None:
    """Drop the factor of fairness by program that a half-life replaced."""
    for dummy, parameters in state.of_type("program-aware-fairness"):
        if parameters.pop("lasDecayFactor", None) is not None:
            state.changed("program-aware-fairness: lasDecayFactor was dropped")
            state.decide("program-aware-fairness only forgets by lasHalfLifeSeconds: set it")


def to_named_producers(state: MigrationState) -> None:
    """Name the producer of an attribute apart from the attribute."""
    for key, kind in (
        ("attributeKey", "endpoint-attribute-scorer"),
        ("attribute", "endpoint-attribute-filter"),
    ):
        for dummy, parameters in state.of_type(kind):
            name = parameters.get(key)
            if isinstance(name, str) and "/" in name and "producer" not in parameters:
                *attribute, producer = name.split("/")
                parameters |= {key: "/".join(attribute), "producer": producer}
                state.changed(f"{kind}: {name} became the attribute and its producer")
