# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters that turn the values of a Helm chart into a custom resource."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils.kinds.llm_inference_service.llm_d_chart.convert import convert
from ..module_utils.kube.problem import InputError
from ..plugin_utils.arguments import mapping, optional_text, text


def from_llm_d_chart(value: Any, name: Any, namespace: Any = None) -> dict[str, Any]:
    """Return the LLMInferenceService that values of llm-d-modelservice mean, and what they say beyond it."""
    plugin = "from_llm_d_chart"
    values = mapping(plugin, value)
    service = text(plugin, name, "name")
    try:
        found = convert(values, service, optional_text(plugin, namespace, "namespace"))
    except InputError as error:
        raise AnsibleFilterError(f"{plugin}: {error}") from error
    return found.to_json()


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return them by name."""
        return {"from_llm_d_chart": from_llm_d_chart}
