# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How far a build of several modules is, and how long it still takes."""

from __future__ import annotations

import math
import threading

#: Seconds between two progress lines.
EVERY = 10.0
#: Fewer packages than these say nothing about the speed of the others.
LEAST = 50


class Progress:
    """Packages to compile and packages compiled, of all modules that are built side by side."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._total = 0
        self._done = 0
        self._began: float | None = None
        self._said = 0.0

    def expect(self, packages: int, now: float) -> None:
        """Add the packages of one module; the first call starts the clock."""
        with self._lock:
            self._total += packages
            if self._began is None:
                self._began = self._said = now

    def compiled(self, now: float) -> str:
        """Count one package, of which a compiler may report more than were expected; return a line to show now and then, else nothing."""
        with self._lock:
            self._done = min(self._done + 1, self._total)
            if self._began is None or now - self._said < EVERY:
                return ""
            self._said = now
            said = f"{self._done} of {self._total} packages compiled"
            if self._done < LEAST:
                return said
            left = (now - self._began) / self._done * (self._total - self._done)
        minutes = math.ceil(left / 60)
        return f"{said}, about {minutes} {'minute' if minutes == 1 else 'minutes'} left"
