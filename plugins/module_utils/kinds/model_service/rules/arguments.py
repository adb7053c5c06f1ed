# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of the engine: `spec.engine.args` comes after those that are made from the other fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....kube.problem import Problem
from ....kube.redact import redact
from ..settings import Settings
from ..spec import ModelService

_FLAG_AND_VALUE = re.compile(r"(?P<flag>--?[A-Za-z][A-Za-z0-9_.-]*)\s+(?P<value>\S.*)", re.DOTALL)

#: Flags that are made from fields, each with the fields.
_COMPUTED = {
    "--port": "spec.engine.port, or spec.routingProxy.targetPort behind the proxy",
    "--served-model-name": "spec.model.name",
    "--model": "spec.model.mountPath",
    "--tensor-parallel-size": "spec.decode.parallelism.tensor and spec.prefill.parallelism.tensor",
    "--data-parallel-size": "spec.decode.parallelism.data and spec.prefill.parallelism.data",
    "--data-parallel-size-local": "spec.decode.parallelism.dataLocal and spec.prefill.parallelism.dataLocal",
}
_SHORT = {
    "-tp": "--tensor-parallel-size",
    "-dp": "--data-parallel-size",
    "-dpl": "--data-parallel-size-local",
}


def one_word_per_item(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of a flag and its value in one item: no shell splits it, so the engine sees one strange word."""
    for number, argument in enumerate(redact({"args": list(service.engine.args)})["args"]):
        match = _FLAG_AND_VALUE.fullmatch(argument)
        if match:
            flag, value = match["flag"], match["value"]
            message = (
                f'"{argument}" reaches the engine as one word, since no shell splits it; write "{flag}={value}", '
                f'or two items, "{flag}" and "{value}"'
            )
            yield Problem(f"spec.engine.args[{number}]", message, "warning", rule="argument-blank")


def computed_flags(service: ModelService, _settings: Settings) -> Iterator[Problem]:
    """Warn of flags that contradict a field: ports, selectors and devices follow the field, the engine the flag. See docs/differences.md, W57."""
    for number, argument in enumerate(service.engine.args):
        word = re.split(r"[=\s]", argument, maxsplit=1)[0]
        flag = _SHORT.get(word, word.replace("_", "-"))
        if flag in _COMPUTED:
            message = (
                f"{word} overrides what is made from {_COMPUTED[flag]}, while ports, pool and devices still follow the "
                "field; set the field and leave the flag out"
            )
            yield Problem(
                f"spec.engine.args[{number}]", message, "warning", rule="argument-computed"
            )
