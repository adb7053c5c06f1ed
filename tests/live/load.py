# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A steady load of requests while something changes, and which of them were not answered."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Self

from .asking import Answer

#: Requests on their way at a time, and seconds that each of them leaves between two of its own.
_SENDERS, _PAUSE = 4, 0.05


class Load:
    """Requests without end between the beginning of a block and its end; each is sent once."""

    def __init__(self, request: Callable[[], Answer]) -> None:
        self._request = request
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._senders = [threading.Thread(target=self._send) for dummy in range(_SENDERS)]
        self.sent = 0
        #: Seconds since the beginning, and what came back.
        self.failed: list[tuple[float, Answer]] = []

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        for sender in self._senders:
            sender.start()
        return self

    def __exit__(self, *dummy: object) -> None:
        self._over.set()
        for sender in self._senders:
            sender.join()

    def go_on_until(self, count: int) -> None:
        """Return when so many requests were sent."""
        while self.sent < count:
            self._over.wait(_PAUSE)

    def _send(self) -> None:
        while not self._over.wait(_PAUSE):
            answer = self._request()
            with self._lock:
                self.sent += 1
                if answer.code != 200:
                    self.failed.append((round(time.monotonic() - self._began, 1), answer))

    def __str__(self) -> str:
        told = "".join(f"\n  after {when} s: {answer}" for when, answer in self.failed[:10])
        return f"{len(self.failed)} of {self.sent} requests failed{told}"
