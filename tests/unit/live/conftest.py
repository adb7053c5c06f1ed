# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""These tests know nothing of the `make test` that may run them: it has a turn of its own, and what fails here on purpose is no failure of it."""

import pytest

from tests.live import turn
from tests.tools import failures


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what `make test` tells its steps."""
    for name in (turn.BEGAN, turn.BUILDER, failures.VARIABLE):
        monkeypatch.delenv(name, raising=False)
