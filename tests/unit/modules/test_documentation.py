# SPDX-License-Identifier: GPL-3.0-or-later
"""What every module has alike is said alike: fragments hold the options; for return values the oldest supported Ansible has none."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.modelops.inference.plugins import modules
from module_utils.task import result

NAMES = sorted(path.stem for path in Path(modules.__path__[0]).glob("*.py"))
COUNTERS = sorted(result.stats(None, result.Clock()))


def returned(name: str) -> dict[str, Any]:
    """The documented return values of a module."""
    module = import_module(f"{modules.__name__}.{name}")
    return dict(yaml.safe_load(module.RETURN))


@pytest.mark.parametrize("name", NAMES)
def test_counters_are_told_in_the_same_words_by_every_module(name: str) -> None:
    assert returned(name)["stats"] == returned("llmisvc_reconcile")["stats"]
    said = " ".join(returned(name)["stats"]["description"])
    assert [counter for counter in COUNTERS if f"C({counter})" not in said] == []
