# SPDX-License-Identifier: GPL-3.0-or-later
"""What the collection's presets add to an engine's command line because of what a service says.

The flags are vLLM's. What the service writes itself is left to it. A service that asks for nothing gets the command that it always got.
Source: KServe v0.20.0, config/llmisvcconfig (parallelism of single pods); docs/samples/llmisvc (NixlConnector, VLLM_ADDITIONAL_ARGS).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from ....accelerators.demand import templates_of
from ....kube.command_line import flags
from ....kube.manifest import Json, value_at
from ...kserve.pod import container_of, variable_of

#: Users give arguments by this variable, with the quotes of a shell.
VARIABLE = "VLLM_ADDITIONAL_ARGS"
_READ_VARIABLE = f'eval "set -- ${VARIABLE} \\"\\$@\\""; '
_TRANSFER = """ --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'"""
_TENSOR, _PIPELINE, _EXPERT = (
    "--tensor-parallel-size",
    "--pipeline-parallel-size",
    "--enable-expert-parallel",
)
_OWN_NAMES = {"-tp": _TENSOR, "-pp": _PIPELINE}
_ADDED = re.compile(
    f"{re.escape(_READ_VARIABLE)}|{re.escape(_TRANSFER)}| (?:{_TENSOR}|{_PIPELINE}) [0-9]+| {_EXPERT}"
)
_SHELL = ["/bin/bash", "-c"]


class EngineArguments(NamedTuple):
    """What one server gets. sizes: words for its share of the model. transfers: whether it hands the KV cache over."""

    sizes: str = ""
    transfers: bool = False
    variable: bool = False

    def before(self) -> str:
        """Return what a shell does before it starts the server."""
        return _READ_VARIABLE if self.variable else ""

    def words(self) -> str:
        """Return the words for a shell that every server gets, with a blank before each."""
        return _TRANSFER if self.transfers else ""


class Asked(NamedTuple):
    """What a service asks for, by the place of its pods in the spec."""

    template: EngineArguments = EngineArguments()
    worker: EngineArguments = EngineArguments()
    prefill_template: EngineArguments = EngineArguments()
    prefill_worker: EngineArguments = EngineArguments()


NOTHING_ASKED = Asked()


def asked(spec: Json) -> Asked:
    """Return what a spec asks for. spec: the service's own, under its baseRefs."""
    prefill = spec.get("prefill")
    split = prefill is not None
    return Asked(
        *(
            _asked_in(workload, field, split=split)
            for workload in (spec, prefill or {})
            for field in ("template", "worker")
        )
    )


def _asked_in(workload: Json, field: str, *, split: bool) -> EngineArguments:
    server = container_of(workload.get(field), "main") or {}
    variable = variable_of(server, VARIABLE)
    text = {"args": [str((variable or {}).get("value") or "")]}
    written = {flag for flag, dummy in (*flags(server), *flags(text))}
    written |= {_OWN_NAMES[flag] for flag in written & _OWN_NAMES.keys()}
    wanted = {
        _TENSOR: value_at(workload, ("parallelism", "tensor")),
        _PIPELINE: value_at(workload, ("parallelism", "pipeline")),
    }
    words = [f" {flag} {size}" for flag, size in wanted.items() if size and flag not in written]
    if value_at(workload, ("parallelism", "expert")) and _EXPERT not in written:
        words.append(f" {_EXPERT}")
    transfers = split and not any(flag.startswith("--kv-transfer-config") for flag in written)
    return EngineArguments("".join(words), transfers, variable is not None)


def changed_by_presets(live: Json, wanted: Json) -> bool:
    """Tell whether a server of a workload is to start with what the presets add, which its pods were made without."""
    before, after = (dict(templates_of(each)) for each in (live, wanted))
    return any(
        _differ_by_additions(_command(before.get(place)), _command(template))
        for place, template in after.items()
    )


def _command(template: Json | None) -> list[str]:
    server = container_of((template or {}).get("spec"), "main") or {}
    return [str(word) for word in server.get("command") or ()]


def _differ_by_additions(live: Sequence[str], wanted: Sequence[str]) -> bool:
    added = [_ADDED.findall(" ".join(each)) for each in (live, wanted)]
    return added[0] != added[1] and _without_additions(live) == _without_additions(wanted)


def _without_additions(command: Sequence[str]) -> list[str]:
    if list(command[:2]) != _SHELL or len(command) < len(_SHELL) + 1:
        return list(command)
    try:
        words = shlex.split(_ADDED.sub("", command[2]))
    except ValueError:
        return list(command)
    return [word for word in words if word not in ("exec", "$@")]
