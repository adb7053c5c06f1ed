# SPDX-License-Identifier: GPL-3.0-or-later
"""The index of a checkpoint in several files, `model.safetensors.index.json`: how large all tensors are together, and their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .fields import Fields, Notes

_LAYER = re.compile(r"layers\.([0-9]+)\.")
_DRAFT = re.compile(r"(^|\.)mtp(_[a-z]+)?\.")


@dataclass(frozen=True, slots=True)
class Index:
    """What an index says. total_size: bytes of all tensors. names: of the tensors."""

    total_size: int
    names: frozenset[str]

    def has_drafts(self, layers: int) -> bool:
        """Tell whether the checkpoint has layers that draft: by their name, or beyond the layers of the model."""
        found = (_LAYER.search(name) for name in self.names if "vis" not in name)
        numbers = [int(match[1]) for match in found if match]
        return max(numbers, default=0) >= layers or any(map(_DRAFT.search, self.names))


def read_index(index: Mapping[str, Any], path: str, notes: Notes) -> Index | None:
    """Return what an index says, None where it does not say how large the tensors are, which is noted."""
    fields = Fields(index, path, notes)
    metadata = fields.part("metadata")
    names = fields.raw("weight_map")
    names = frozenset(map(str, names)) if isinstance(names, Mapping) else frozenset()
    value = metadata.raw("total_size") if metadata else None
    if metadata is None or not value:
        text = "no metadata.total_size; is it the model.safetensors.index.json of a model?"
        notes.add(path, text, "warning" if names else "error")
        return None
    whole = (
        int(value)
        if isinstance(value, float) and value.is_integer()
        else metadata.whole("total_size")
    )
    return Index(whole, names)
