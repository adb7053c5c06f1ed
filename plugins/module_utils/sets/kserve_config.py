# SPDX-License-Identifier: GPL-3.0-or-later
"""KServe's ConfigMap in a set, read as its controllers will read it: a text that they refuse stops every service."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ..kinds.kserve.config_schema import BLOCKS
from ..kinds.kserve.read_system_config import read_system_config
from ..kinds.kserve.system_config import CONFIG_MAP, Misconfigured
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import GivenObjects


def config_problems(manifest: Json) -> Iterator[Problem]:
    """Yield what KServe's controllers would refuse of a ConfigMap, and names that they pass over and that are near to others."""
    metadata, data = manifest["metadata"], manifest.get("data") or {}
    if manifest["kind"] != "ConfigMap" or metadata["name"] != CONFIG_MAP:
        return
    try:
        read_system_config(str(metadata.get("namespace") or ""), GivenObjects([manifest]))
    except Misconfigured as error:
        for problem in error.problems:
            where, dummy, message = problem.message.partition(": ")
            yield Problem(f"data.{where}", message, "warning", rule=problem.rule)
    for name, text in data.items():
        if name not in BLOCKS:
            yield from _unknown(f"data.{name}", name, BLOCKS)
            continue
        fields = _parsed(text)
        for field in fields:
            if field not in BLOCKS[name].fields:
                yield from _unknown(f"data.{name}.{field}", field, BLOCKS[name].fields)


def _unknown(path: str, name: str, known: Iterable[str]) -> Iterator[Problem]:
    """Yield that nothing reads a name; other releases have more names, so one is told that is near to a known one."""
    near = nearest(name, known)
    if near:
        text = f'KServe does not know it and passes over it, did you mean "{near}"?'
        yield Problem(path, text, "warning", rule="system-config")


def _parsed(text: object) -> Json:
    """Return the fields of a block, none where it is none."""
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
