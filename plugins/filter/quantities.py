# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters about quantities: amounts of memory, processors and devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..module_utils.kube.quantity import Family, canonical_quantity, format_quantity, parse_quantity
from ..plugin_utils.arguments import explained, plain, text, wrong_type

_FAMILIES: dict[str, Family] = {
    "binary": "BinarySI",
    "decimal": "DecimalSI",
    "exponent": "DecimalExponent",
}


def as_quantity(value: Any, family: Any = None) -> str:
    """Return a number or a text as Kubernetes stores and prints it."""
    plugin = "as_quantity"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise wrong_type(plugin, value, "str, int or float")
    value = plain(value)
    with explained(plugin):
        if family is None:
            return canonical_quantity(value)
        suffixes = text(plugin, family, "family")
        if suffixes not in _FAMILIES:
            raise ValueError(f'family "{suffixes}" is not one of {", ".join(_FAMILIES)}')
        return format_quantity(parse_quantity(value), _FAMILIES[suffixes])


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return them by name."""
        return {"as_quantity": as_quantity}
