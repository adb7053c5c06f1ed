# SPDX-License-Identifier: GPL-3.0-or-later
"""A command line of thousands of flags is read a few times, and not once for each of its flags."""

from __future__ import annotations

import pytest

from module_utils.checks import engines
from module_utils.kube.manifest import Json
from module_utils.kube.reader import GivenObjects

from .checked import warnings
from .services import llm


@pytest.mark.parametrize("flag", ["--max-model-len=1", "--unheard-of=1"])
def test_engine_is_looked_for_once(flag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    by_command = engines.by_command

    def counted(container: Json) -> str:
        looked.append(1)
        return by_command(container)

    monkeypatch.setattr(engines, "by_command", counted)
    warnings(llm(" ".join([flag] * 1000)), GivenObjects([]))
    assert 0 < len(looked) < 20
