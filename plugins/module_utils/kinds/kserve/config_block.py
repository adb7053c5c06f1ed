# SPDX-License-Identifier: GPL-3.0-or-later
"""One block of `inferenceservice-config`: JSON text to fields, with every fault named by block, field and position."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...kube.fields import filled
from ...kube.manifest import Json
from ...kube.names import check_namespace
from ...kube.problem import Problem
from ...kube.quantity import canonical_quantity
from ...kube.schema_check import check
from ...kube.schema_faults import show
from .config_schema import BLOCKS
from .system_config import CONFIG_MAP


@dataclass(slots=True)
class Block:
    """One block as it is read. present: whether the ConfigMap has it. problems: what is wrong so far."""

    name: str
    place: str
    value: Json
    present: bool
    problems: list[Problem] = field(default_factory=list)

    def text(self, *path: str) -> str:
        """Return a text, empty where it is not there."""
        found: Any = self.value
        for step in path:
            found = (found or {}).get(step)
        return found or ""

    def flag(self, name: str) -> bool:
        """Return whether a switch is on."""
        return bool(self.value.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(self.value.get(name) or ())

    def amount(self, path: tuple[str, ...], *, required: bool = False) -> str:
        """Return a quantity in canonical form, empty where it is not there."""
        text = self.text(*path)
        if not text and not required:
            return ""
        try:
            return canonical_quantity(text)
        except (ValueError, TypeError):
            fault = f"{show(text)} is not a quantity such as 100m or 1Gi" if text else "missing"
            self.fault(".".join(path), fault)
            return ""

    def resources(self, *path: str, required: bool = False) -> Json:
        """Return the four amounts below a path as requests and limits of a container."""
        return filled(
            {
                part: filled(
                    {
                        "cpu": self.amount((*path, f"cpu{ending}"), required=required),
                        "memory": self.amount((*path, f"memory{ending}"), required=required),
                    }
                )
                for part, ending in (("limits", "Limit"), ("requests", "Request"))
            }
        )

    def fault(self, name: str, message: str) -> None:
        """Keep what is wrong with a field, or with the block where the name is empty."""
        where = f"{self.name}.{name}" if name else self.name
        self.problems.append(Problem(self.place, f"{where}: {message}", rule="system-config"))


def read_block(name: str, data: Mapping[str, Any], default: Json, namespace: str) -> Block:
    """Return a block of the ConfigMap. default: what it holds where it is not there."""
    text = data.get(name)
    place = f"ConfigMap {namespace}/{CONFIG_MAP}"
    block = Block(name, place, default, present=text is not None)
    if text is not None:
        value = _parsed(block, text)
        # Go passes over fields that it does not know.
        checked = check(BLOCKS[name], value, "", unknown=False)
        for problem in checked.problems:
            block.fault(problem.path, problem.message)
        block.value = checked.value
    return block


def _parsed(block: Block, text: Any) -> Any:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        block.fault("", f"not JSON: {error.msg}, line {error.lineno}, column {error.colno}")
        return {}
    except TypeError:
        block.fault("", f"{show(text)} is not a text")
        return {}
    # Go reads null as nothing, which leaves all fields as they are.
    return {} if value is None else value


def gateway_fault(name: str) -> str:
    """Say what keeps a text from being `<namespace>/<name>` of a Gateway, as KServe takes it; empty where nothing does."""
    parts = name.split("/")
    if not name:
        return "missing"
    if len(parts) != len(("namespace", "name")):
        return f"{show(name)} is not of the form <namespace>/<name>"
    wrong = (check_namespace(part) for part in parts)
    return next((fault for fault in wrong if fault), "")
