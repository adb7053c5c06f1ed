# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind is known by its name, and costs nothing until a service of it is there."""

from __future__ import annotations

import subprocess
import sys

import pytest

from module_utils.kinds.registry import KINDS, WRITTEN

LOADED = """
import sys
from ansible_collections.modelops.inference.plugins.module_utils.modules import llmisvc_reconcile
print([name for name in sys.modules if name.endswith("_service.kind")])
"""


@pytest.mark.parametrize("key", KINDS)
def test_kind_is_what_it_is_registered_as(key: tuple[str, str]) -> None:
    assert KINDS[key].key == key
    assert WRITTEN[key] is KINDS[key]


def test_no_kind_is_imported_before_a_service_of_it_is_there() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
