# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of a config, read one by one. What is missing or wrong is noted, and a stand-in continues, so that all faults are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kube.problem import Problem
from ...kube.schema_faults import show

#: What a user gives in place of a field.
BY_HAND: Mapping[str, str] = {
    "num_hidden_layers": "layers",
    "num_attention_heads": "attention_heads",
    "num_key_value_heads": "kv_heads",
    "head_dim": "head_dim",
    "hidden_size": "hidden_size",
    "kv_lora_rank": "kv_lora_rank",
    "qk_rope_head_dim": "rope_head_dim",
}


#: More than the largest models have, by far.
MOST_LAYERS = 10_000


#: Factors of lengths and sizes are far below this; what is not comes from an infinity or a mistake.
_MOST_FACTOR = 1_000_000


class Notes:
    """The problems found so far, each place once. root: path of the option `model`."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.found: dict[tuple[str, str], Problem] = {}

    def add(self, path: str, text: str, severity: Any = "error") -> None:
        """Note a problem, once for each place and severity."""
        self.found.setdefault((path, severity), Problem(path, text, severity, rule="model-config"))


class Fields:
    """One part of a config: the whole, or what is below `text_config`. A null is a field without a value.

    defaults: values of the model class where the config does not say; a null says that there is none.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        path: str,
        notes: Notes,
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        self._given = {**(defaults or {}), **values}
        self._values = {k: v for k, v in self._given.items() if v is not None}
        self.path = path
        self.notes = notes

    def overlaid(self, over: Mapping[str, Any], defaults: Mapping[str, Any]) -> Fields:
        """Return the same part with values that take precedence over its own, and defaults for those that it has not."""
        return Fields({**self._given, **over}, self.path, self.notes, defaults)

    def has(self, name: str) -> bool:
        """Tell whether a field has a value."""
        return name in self._values

    def raw(self, name: str) -> Any:
        """Return a value as it is, None where there is none."""
        return self._values.get(name)

    def names(self) -> list[str]:
        """Return the names of all fields that have a value."""
        return list(self._values)

    def fault(self, name: str, text: str) -> None:
        """Note what is wrong with a field."""
        self.notes.add(f"{self.path}.{name}", text)

    def whole(self, *names: str, default: int | None = None, least: int = 1) -> int:
        """Return a whole number, from the first of several names that has a value. default: None where it must be there."""
        name = next((name for name in names if name in self._values), "")
        if not name:
            if default is None:
                self.fault(names[0], self._missing(names[0]))
            return least if default is None else default
        value = self._values[name]
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self.fault(name, f"{show(value)} is not a whole number of {least} or more")
            return max(least, default or 0)
        return value

    def _missing(self, name: str) -> str:
        by_hand = BY_HAND.get(name)
        other = f", or give {self.notes.root}.{by_hand}" if by_hand else ""
        return f"missing: sizing needs it; is the config whole?{other}"

    @property
    def layers(self) -> int:
        """The number of layers; where only a list of their kinds says it, as many as that has."""
        listed = self.items("layers_block_type") if self.has("layers_block_type") else []
        return self.count("num_hidden_layers", "n_layer", default=len(listed) or None)

    def count(self, *names: str, default: int | None = None, least: int = 1) -> int:
        """Return a whole number of layers. More than any model has are a fault, since each of them would be looked at."""
        found = self.whole(*names, default=default, least=least)
        if found <= MOST_LAYERS:
            return found
        name = next(name for name in names if name in self._values)
        self.fault(name, f"{found} is more than the {MOST_LAYERS} layers that are reckoned with")
        return least

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return whether a field is true."""
        value = self._values.get(name, default)
        if not isinstance(value, bool):
            self.fault(name, f"{show(value)} is not true or false")
            return default
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """Return a number above 0, whole or not. default: None where it must be there."""
        value = self._values.get(name, default)
        if value is None:
            self.fault(name, self._missing(name))
        elif isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fault(name, f"{show(value)} is not a number")
        elif not 0 < value < _MOST_FACTOR:
            self.fault(name, f"{show(value)} is not above 0 and below {_MOST_FACTOR}")
        else:
            return float(value)
        return default or 1.0

    def text(self, name: str) -> str:
        """Return a text, empty where there is none."""
        value = self._values.get(name, "")
        if not isinstance(value, str):
            self.fault(name, f"{show(value)} is not a text")
            return ""
        return value

    def items(self, name: str) -> list[Any]:
        """Return a list, empty where there is none."""
        value = self._values.get(name, [])
        if not isinstance(value, list):
            self.fault(name, f"{show(value)} is not a list")
            return []
        return value

    def part(self, name: str) -> Fields | None:
        """Return what is below a field, None where there is nothing."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            self.fault(name, f"{show(value)} is not a map")
            return None
        return Fields(value, f"{self.path}.{name}", self.notes)
