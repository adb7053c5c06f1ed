# SPDX-License-Identifier: GPL-3.0-or-later
"""A task that is told to stop stops as it does for Ctrl-C: by an exception that lets it tell what it did."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stoppable() -> Iterator[None]:
    """Turn the first signal that ends a process into KeyboardInterrupt; a second one does what it would have done.

    The handlers that were there come back at the end; a signal that is ignored stays so. In a thread other than the main one nothing is
    changed: signals go elsewhere.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        number: handler
        for number in SIGNALS
        if (handler := signal.getsignal(number)) not in (None, signal.SIG_IGN)
    }

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def interrupt(dummy_number: int, dummy_frame: FrameType | None) -> None:
        restore()
        raise KeyboardInterrupt

    for number in before:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        restore()
