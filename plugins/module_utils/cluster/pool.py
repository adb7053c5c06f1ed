# SPDX-License-Identifier: GPL-3.0-or-later
"""The threads of a connection."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Pool:
    """Runs calls side by side. Threads start when they are first needed and end with `close`."""

    def __init__(self, size: int) -> None:
        self._size = max(1, size)
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._inside = threading.local()

    def run(
        self, calls: Sequence[Callable[[], T]], expected: tuple[type[Exception], ...] = ()
    ) -> list[T | Exception]:
        """Return the results in the order of the calls; a call that raises an expected exception gives it as its result.

        Raises the first exception of another kind once all calls have ended. What is not an Exception (KeyboardInterrupt) drops the calls
        that have not begun, and is raised.
        """
        outcomes = self._outcomes(calls)
        for outcome in outcomes:
            if isinstance(outcome, Exception) and not isinstance(outcome, expected):
                raise outcome
        return outcomes

    def _outcomes(self, calls: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Do the calls. In one of its own threads it does them one after another: waiting for itself would never end."""
        if len(calls) <= 1 or self._size == 1 or getattr(self._inside, "yes", False):
            return [_outcome(call) for call in calls]
        futures = [self._threads().submit(self._one, call) for call in calls]
        try:
            return [future.result() for future in futures]
        except BaseException:
            _drop(futures)
            raise

    def close(self) -> None:
        """Drop what has not begun and wait for what has."""
        with self._lock:
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def _one(self, call: Callable[[], T]) -> T | Exception:
        self._inside.yes = True
        return _outcome(call)

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(self._size, thread_name_prefix="modelops")
            return self._executor


def _outcome(call: Callable[[], T]) -> T | Exception:
    try:
        return call()
    except Exception as error:  # noqa: BLE001  handed to the caller as a value
        return error


def _drop(futures: Sequence[Future[T | Exception]]) -> None:
    for future in futures:
        future.cancel()
