# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of the option `settings`, which tasks with services of several kinds share."""

from __future__ import annotations

from importlib import import_module

import pytest

from module_utils.kinds.options import NAMES
from module_utils.kinds.registry import KINDS
from module_utils.kube.problem import InputError

#: The rooms of the kinds that read settings.
ROOMS = (
    "model_service.settings_schema",
    "llm_inference_service.settings",
    "inference_service.settings",
    "inference_graph.settings",
    "local_model_cache.settings",
)


def test_names_are_those_that_some_kind_reads() -> None:
    read = {
        name
        for room in ROOMS
        for name in import_module(f"module_utils.kinds.{room}").SETTINGS.fields
    }
    assert read == NAMES


@pytest.mark.parametrize("key", sorted(KINDS))
def test_each_kind_refuses_a_name_that_none_reads(key: tuple[str, str]) -> None:
    """A misspelt setting does nothing, whichever kind the services are of."""
    with pytest.raises(InputError, match="cluster_domian: unknown field"):
        KINDS[key].settings({"cluster_domian": "example.org"}, {})


@pytest.mark.parametrize("key", sorted(KINDS))
def test_each_kind_passes_over_names_of_others(key: tuple[str, str]) -> None:
    KINDS[key].settings({"wildcard_hostname": "a", "gateway_name": "edge"}, {})
