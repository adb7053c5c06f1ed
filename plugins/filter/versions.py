# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters that write a custom resource in another version of its API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..module_utils.kinds.llm_inference_service import conversion
from ..plugin_utils.arguments import explained, mapping


def to_v1alpha2(value: Any) -> dict[str, Any]:
    """Return an LLMInferenceService or LLMInferenceServiceConfig in v1alpha2."""
    return _converted("to_v1alpha2", conversion.to_v1alpha2, value)


def to_v1alpha1(value: Any) -> dict[str, Any]:
    """Return an LLMInferenceService or LLMInferenceServiceConfig in v1alpha1."""
    return _converted("to_v1alpha1", conversion.to_v1alpha1, value)


def _converted(
    plugin: str, convert: Callable[[dict[str, Any]], dict[str, Any]], value: Any
) -> dict[str, Any]:
    document = mapping(plugin, value)
    with explained(plugin):
        return convert(document)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return them by name."""
        return {"to_v1alpha2": to_v1alpha2, "to_v1alpha1": to_v1alpha1}
