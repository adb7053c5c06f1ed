# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin as a configuration declares it, and the parameters that it was given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..kube.manifest import Json
from .findings import Value


@dataclass(frozen=True, slots=True)
class Declared:
    """One entry of `plugins`. given: whether it has parameters at all, even null."""

    name: str
    type: str
    path: str
    parameters: Value
    given: bool

    def at(self, key: str) -> str:
        """Return the path of a parameter."""
        return f"{self.path}.parameters.{key}"

    def get(self, key: str) -> Value:
        """Return a parameter by its key as in `profiles.decode`, None if it is not given. Letter case does not matter."""
        value: Value = self.parameters
        for step in key.split("."):
            value = lookup(value, step)
        return value

    def is_null(self, key: str) -> bool:
        """Whether a parameter is given as null, which is another thing than not giving it."""
        *parents, last = key.split(".")
        value = self.get(".".join(parents)) if parents else self.parameters
        if not isinstance(value, dict):
            return False
        return any(
            name.casefold() == last.casefold() and item is None for name, item in value.items()
        )

    def text(self, key: str) -> str:
        """Return a parameter that is text, empty if it is not given."""
        value = self.get(key)
        return value if isinstance(value, str) else ""

    def items(self, key: str) -> Iterator[tuple[str, Json]]:
        """Yield the objects of a list with their paths."""
        value = self.get(key)
        for index, item in enumerate(value if isinstance(value, list) else []):
            yield f"{self.at(key)}[{index}]", item if isinstance(item, dict) else {}


def lookup(value: Value, key: str) -> Value:
    """Return the value of a key in any letter case, None if there is none."""
    if not isinstance(value, dict):
        return None
    if key in value:
        return value[key]
    return next((item for name, item in value.items() if name.casefold() == key.casefold()), None)
