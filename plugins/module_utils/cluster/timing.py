# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock, the pauses and the dice of a connection, so that tests can bring their own; and what is left of a deadline."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass


def _pause(wake: threading.Event, seconds: float) -> bool:
    return wake.wait(seconds)


@dataclass(frozen=True, slots=True)
class Timing:
    """monotonic: seconds from any start. pause(wake, seconds): sleep, cut short by the event. random: in [0, 1)."""

    monotonic: Callable[[], float] = time.monotonic
    pause: Callable[[threading.Event, float], bool] = _pause
    random: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock after which nothing more is waited for."""

    until: float
    seconds: float
    timing: Timing

    @classmethod
    def after(cls, seconds: float | None, timing: Timing) -> Deadline:
        """Return the deadline so many seconds from now; None never comes."""
        if seconds is None:
            return cls(math.inf, math.inf, timing)
        return cls(timing.monotonic() + seconds, seconds, timing)

    def left(self) -> float:
        """Return the seconds that are left; zero or less once it has passed."""
        return self.until - self.timing.monotonic()
