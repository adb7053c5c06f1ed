# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags of vLLM whose values are JSON: whether they can be read, and what is in those that many give.

Source: vLLM vllm/engine/arg_utils.py, vllm/config/kv_transfer.py and vllm/config/speculative.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView, Workload
from ..kube.command_line import is_in_quotes, written, written_object
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json
from ..kube.problem import Problem
from .engine_values import FORM
from .engines import flags_of_vllm

#: Flags whose value is a map.
_MAPS = frozenset(
    {
        "--additional-config",
        "--compilation-config",
        "--default-chat-template-kwargs",
        "--ec-transfer-config",
        "--eplb-config",
        "--hf-overrides",
        "--kv-events-config",
        "--kv-transfer-config",
        "--limit-mm-per-prompt",
        "--mm-processor-kwargs",
        "--model-loader-extra-config",
        "--override-generation-config",
        "--pooler-config",
        "--rope-scaling",
        "--speculative-config",
        "--structured-outputs-config",
    }
)
#: How the KV cache gets from one engine to another: what an engine does there, and who carries it.
_TRANSFER = "--kv-transfer-config"
_KV_ROLES = ("kv_producer", "kv_consumer", "kv_both")
_CONNECTORS = (
    *("NixlConnector", "LMCacheConnectorV1", "LMCacheMPConnector", "OffloadingConnector"),
    *("MultiConnector", "P2pNcclConnector", "SharedStorageConnector", "MooncakeConnector"),
)
#: Connectors of engines before the present kind of them, and what took their place.
_ONCE = {
    "LMCacheConnector": "LMCacheConnectorV1",
    "MooncakeLayerwiseConnector": "MooncakeConnector",
    "NixlConnectorV1": "NixlConnector",
    "PyNcclConnector": "P2pNcclConnector",
}
#: How tokens are guessed ahead, and the ways that have to be told how many: the files of other models say it.
_SPECULATION, _COUNT = "--speculative-config", "num_speculative_tokens"
_COUNTED = ("ngram", "eagle", "eagle3", "draft_model")

NO_JSON = Check(
    "engine-value",
    WARNING,
    finds="{flag} is no JSON, so vLLM will not start: {fault}",
    fix='write names and texts in double quotes, for example {flag}={{"name": "value"}}',
)
PART = Check(
    "engine-value",
    WARNING,
    finds="{flag} has no {part}, which the way {method} needs: vLLM does not start with it",
    fix="add how many tokens to guess ahead, for example 3",
)


@check(NO_JSON, costly=True)
def not_json(view: ServiceView) -> Iterator[Problem]:
    """Yield maps that are not valid JSON, often for lack of double quotes."""
    for workload in view.serving:
        for flag in flags_of_vllm(workload):
            value = written(workload.engine_container, flag.name).strip()
            if flag.name not in _MAPS or value[:1] not in ("{", "'") or "$" in value:
                continue
            # Of quotes around an argument, and of a cache's transfer, is told by checks of their own.
            if flag.name == _TRANSFER or is_in_quotes(value):
                continue
            try:
                json.loads(value)
            except ValueError as error:
                yield NO_JSON.at(workload.in_engine(flag.place), flag=flag.name, fault=error)


@check(FORM, costly=True)
def transfer(view: ServiceView) -> Iterator[Problem]:
    """Yield missing or unknown roles in the transfer of the KV cache, and connectors by another name."""
    for dummy, given, place in _documents(view, _TRANSFER):
        connector, role = str(given.get("kv_connector") or ""), str(given.get("kv_role") or "")
        if not connector:
            continue
        if role not in _KV_ROLES:
            near = nearest(f"kv_{role}", _KV_ROLES) or nearest(role, _KV_ROLES) or _KV_ROLES[-1]
            yield FORM.at(
                place,
                flag=f"kv_role of {_TRANSFER}",
                value=role,
                wanted=f"one of {', '.join(_KV_ROLES)}",
                way=f"write {near}",
            )
        own = given.get("kv_connector_module_path")
        near = "" if own else _ONCE.get(connector) or nearest(connector, _CONNECTORS, 0.9) or ""
        if near and near != connector:
            yield FORM.at(
                place,
                flag=f"kv_connector of {_TRANSFER}",
                value=connector,
                wanted=near,
                way=f"write {near}",
            )


@check(PART, costly=True)
def speculation(view: ServiceView) -> Iterator[Problem]:
    """Yield speculative decoding without a number of tokens."""
    for workload, given, place in _documents(view, _SPECULATION):
        method = str(given.get("method") or "")
        counted = method in _COUNTED and not any(
            f.name.startswith(f"{_SPECULATION}.") for f in workload.flags
        )
        if counted and given.get(_COUNT) is None:
            yield PART.at(place, flag=_SPECULATION, part=_COUNT, method=method)


def _documents(view: ServiceView, name: str) -> Iterator[tuple[Workload, Json, Place]]:
    """Yield what a flag says, where that is an object."""
    for workload in view.serving:
        for flag in flags_of_vllm(workload):
            if flag.name != name:
                continue
            given = written_object(workload.engine_container, name)
            if given is not None:
                yield workload, given, workload.in_engine(flag.place)
