# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine calls its model, against the name by which requests ask for it."""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import WARNING, Check, check
from ..kinds.view import ServiceView
from ..kube.manifest import Json
from ..kube.problem import Problem
from .engine_names import is_vllm
from .engine_words import has_shell

_NAME, _MODEL, _FILE = "--served-model-name", "--model", "--config"

UNNAMED = Check(
    "served-name",
    WARNING,
    finds="requests ask for the model {said} ({field}), and without --served-model-name the engine calls it {served}: they are answered with 404",
    fix="pass --served-model-name={said} to the engine",
)


@check(UNNAMED, costly=True)
def unnamed(view: ServiceView) -> Iterator[Problem]:
    """Yield engines that serve the model under its path, while the service says another name."""
    for workload in view.serving:
        said = workload.said.get("model_name")
        container = workload.engine_container
        if said is None or not is_vllm(container) or has_shell(container):
            continue
        given = {flag.name: flag.value for flag in workload.flags}
        served = given.get(_MODEL) or _served_path(container)
        if _NAME in given or _FILE in given or not served or "$" in served:
            continue
        if served != said.value:
            path = workload.engine_path
            place = workload.written(f"{path}.args", f"{path}.command")
            yield UNNAMED.at(place, said=said.value, field=said.field, served=served)


def _served_path(container: Json) -> str:
    """Return the word after `serve`: what vLLM loads, and calls it by where nothing else is said."""
    words = [str(word) for part in ("command", "args") for word in container.get(part) or ()]
    if "serve" not in words:
        return ""
    following = words[words.index("serve") + 1 :][:1]
    return following[0] if following and not following[0].startswith("-") else ""
