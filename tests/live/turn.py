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

#: When `make test` began, in seconds since 1970, and the process that builds beside it: 0 where there was nothing to build.
BEGAN, BUILDER = "LIVE_SUITE_BEGAN", "LIVE_BUILDER"
#: Tells pytest how many seconds the scenarios have together.
SECONDS = "LIVE_SECONDS"

#: What is not built after an hour is left to the next run, which goes on where this one ended; nor does the turn wait longer than
#: this for a build.
_BUILT_WITHIN, _WAITED_AT_MOST = 3600.0, 240.0
#: A whole run is over after so long: start, scenarios and end have what is left of it.
_WHOLE_RUN = 4400.0
#: Seconds of the scenarios together, and the fewest with which a start is worth its while.
_SCENARIOS, _FEWEST = 600.0, 180.0
#: What start and end take at most, on a busy machine.
_AROUND = 180.0
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
        """How it is told."""
        return {BEGAN: str(self.began), BUILDER: str(self.builder)}

    @property
    def seconds(self) -> float:
        """What the scenarios have together: 0 where that is too little for a start."""
        left = min(_SCENARIOS, self.began + _WHOLE_RUN - _AROUND - time.time())
        return left if left >= _FEWEST else 0.0

    def await_built(self, missing: Callable[[], list[str]]) -> list[str]:
        """Wait for what is built beside, and return what is not there when the time is over or nobody builds any more."""
        until = min(self.began + _BUILT_WITHIN, time.time() + _WAITED_AT_MOST)
        while (absent := missing()) and time.time() < until:
            if not self.builder or not is_alive(self.builder):
                break
            time.sleep(_LOOK_EVERY)
        return absent
