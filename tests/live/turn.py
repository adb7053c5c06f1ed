# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How much time the live lab has when its turn comes as the last part of `make test`, which a variable tells it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from ..lab.process import is_alive
from .outside import END_WITHIN, START_WITHIN

#: When `make test` began, in seconds since 1970, and the process that builds beside it: 0 where there was nothing to build.
BEGAN, BUILDER = "LIVE_SUITE_BEGAN", "LIVE_BUILDER"
#: Tells pytest when the time of the scenarios is over, in seconds since 1970.
UNTIL = "LIVE_UNTIL"

#: What is not built after an hour is left to the next run, which continues where this one ended.
_BUILT_WITHIN = 3600.0
#: A whole run is over after so long.
_WHOLE_RUN = 4500.0
#: Seconds of the scenarios together, and the fewest with which a start is worth its while.
_SCENARIOS, _FEWEST = 840.0, 180.0
#: What a scenario takes at most that began in time.
_LAST_SCENARIO = 240.0
_LOOK_EVERY = 1.0


@dataclass(frozen=True)
class Turn:
    """The turn of the live lab. began: when `make test` did. builder: the process that builds beside it."""

    began: float
    builder: int = 0

    @classmethod
    def of_environment(cls) -> Turn | None:
        """Return the turn that `make test` gives, None where somebody called `make live`."""
        began = os.environ.get(BEGAN)
        return cls(float(began), int(os.environ.get(BUILDER, "0"))) if began else None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that tell `make live` of it."""
        return {BEGAN: str(self.began), BUILDER: str(self.builder)}

    @property
    def is_worth_a_start(self) -> bool:
        """Whether scenarios have enough time, even after the slowest start."""
        return self._last_begin - time.time() >= START_WITHIN + _FEWEST

    @property
    def is_building(self) -> bool:
        """Whether somebody still builds beside the tests."""
        return bool(self.builder) and is_alive(self.builder)

    @property
    def until(self) -> float:
        """When no scenario begins any more, where they start now."""
        return min(time.time() + _SCENARIOS, self._last_begin)

    @property
    def hangs_at(self) -> float:
        """When the scenarios are ended, however far they are."""
        return self.until + _LAST_SCENARIO

    @property
    def _last_begin(self) -> float:
        return self.began + _WHOLE_RUN - END_WITHIN - _LAST_SCENARIO

    def await_built(self, missing: Callable[[], list[str]]) -> list[str]:
        """Wait for what is built beside, and return what is not there when the time is over or nobody builds any more."""
        while (absent := missing()) and time.time() < self.began + _BUILT_WITHIN:
            if not self.is_building:
                break
            time.sleep(_LOOK_EVERY)
        return absent
