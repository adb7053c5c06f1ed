# SPDX-License-Identifier: GPL-3.0-or-later
"""Rewriting the configuration that is among the arguments of the endpoint picker, as later releases of KServe do.

Source: KServe pkg/controller/v1alpha2/llmisvc/scheduler.go@v0.18.0 and v0.19.0.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from ....endpoint_picker.build import as_go_text
from ....endpoint_picker.text.decode import decode
from ....endpoint_picker.text.errors import DecodeError
from ....kube.manifest import Json
from ....kube.release import Since
from ....kube.schema_faults import show
from ...kserve.releases import KServe
from ..errors import Unbuildable

#: Changes a configuration in place.
Change = Callable[[Json], None]

#: Arguments before a configuration that is rewritten.
_FLAGS: Since[tuple[str, ...]] = Since(
    {
        KServe.V0_17: ("--config-text", "-config-text"),
        KServe.V0_19: ("--config-text", "-config-text", "--configText", "-configText"),
    }
)
#: The versions of the API in which configurations are written, the earlier first.
OLD_API, NEW_API = "inference.networking.x-k8s.io/v1alpha1", "llm-d.ai/v1alpha1"
_PRECISE, _PREFIX = "precise-prefix-cache-scorer", "prefix-cache-scorer"
#: What the tokenizer beside the picker calls its model, and where it listens.
_MODEL, _SOCKET = "base", "/tmp/tokenizer/tokenizer-uds.socket"  # noqa: S108


def has_configuration(arguments: Sequence[str], release: KServe) -> bool:
    """Tell whether the arguments hold a configuration that the release rewrites."""
    return any(word in _FLAGS.at(release) for word in arguments[:-1])


def configuration_in(arguments: Sequence[str], release: KServe) -> str | None:
    """Return the configuration that the picker reads, the last one among its arguments; None where there is none."""
    flags = _FLAGS.at(release)
    found = [text for word, text in pairwise(arguments) if word in flags]
    return found[-1] if found else None


def rewritten(arguments: list[str], release: KServe, changes: Sequence[Change]) -> list[str]:
    """Return arguments whose configuration is changed. What is no configuration stays."""
    flags = _FLAGS.at(release)
    result = list(arguments)
    for place, word in enumerate(arguments[:-1]):
        if word in flags:
            document = _document(arguments[place + 1])
            if document is None:
                return result
            for change in changes:
                change(document)
            result[place + 1] = as_go_text(document)
    return result


def _document(text: str) -> Json | None:
    try:
        value: Any = decode(text).value
    except DecodeError:
        return None
    is_object = isinstance(value, dict) and isinstance(value.get("kind"), str) and value["kind"]
    return copy.deepcopy(value) if is_object else None


def plugins_of(document: Json) -> Iterator[Json]:
    """Yield the plugins that a configuration names."""
    found = document.get("plugins")
    for plugin in found if isinstance(found, list) else ():
        if isinstance(plugin, dict):
            yield plugin


def _inner(part: Json, key: str) -> Json:
    """Return a map inside a map to change, an empty one where there is none. Raises Unbuildable where something else is there."""
    found = part.setdefault(key, {})
    if not isinstance(found, dict):
        raise unwritable(f"{key} is {show(found)}, where a map belongs")
    return found


def unwritable(fault: str) -> Unbuildable:
    """Return the error of a configuration that cannot be rewritten."""
    return Unbuildable(
        f"Failed to reconcile scheduler: failed to mutate scheduler config: {fault}",
        condition="SchedulerWorkloadReady",
        reason="SchedulerReconcileError",
        path="spec.router.scheduler.config",
        advice="correct the configuration of the picker",
        rule="picker-migration",
    )


def tell_tokenizer(document: Json) -> None:
    """Tell each scorer that counts tokens where the tokenizer is, and what its model is called."""
    for plugin in _of_type(document, _PRECISE):
        pool = plugin
        for step in ("parameters", "indexerConfig", "tokenizersPoolConfig"):
            pool = _inner(pool, step)
        pool["modelName"] = _MODEL
        _inner(pool, "uds")["socketFile"] = _SOCKET


def raise_token_processor(document: Json) -> None:
    """Copy the processor of tokens to where pickers from 0.6 on look for it."""
    for plugin in _of_type(document, _PRECISE):
        parameters = _inner(plugin, "parameters")
        indexer = _inner(parameters, "indexerConfig")
        if "tokenProcessorConfig" not in parameters and "tokenProcessorConfig" in indexer:
            parameters["tokenProcessorConfig"] = copy.deepcopy(indexer["tokenProcessorConfig"])


def name_tokens_of_block(document: Json) -> None:
    """Copy the size of a block to its name from picker 0.6 on."""
    for plugin in _of_type(document, _PREFIX):
        parameters = plugin.get("parameters")
        if isinstance(parameters, dict) and "blockSize" in parameters:
            parameters.setdefault("blockSizeTokens", parameters["blockSize"])


#: What is done for a picker with a tokenizer, in order.
WITH_TOKENIZER: tuple[Change, ...] = (tell_tokenizer, raise_token_processor, name_tokens_of_block)


def _of_type(document: Json, kind: str) -> Iterator[Json]:
    return (plugin for plugin in plugins_of(document) if plugin.get("type") == kind)
