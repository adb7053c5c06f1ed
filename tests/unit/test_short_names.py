# SPDX-License-Identifier: GPL-3.0-or-later
"""A room has one module, however it is called."""

from __future__ import annotations

import importlib
import sys

import pytest

from tests import LONG, SHORT


@pytest.mark.parametrize("room", ["", ".kube", ".kube.problem", ".kinds.registry"])
def test_short_name_is_the_module_of_the_long_one(room: str) -> None:
    long = importlib.import_module(LONG + room)
    assert importlib.import_module(SHORT + room) is long
    assert sys.modules[LONG + room] is long
    assert long.__spec__ is not None
    assert long.__spec__.name == long.__name__ == LONG + room
