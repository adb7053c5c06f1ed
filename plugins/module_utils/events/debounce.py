# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletions of children are held back until no more follow: a service that is removed loses them one after another, and that is no drift."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .changes import DELETION, DRIFT, Notice

#: How long none of a service's children is deleted before it is told which were. In seconds.
QUIET_S = 5.0


class Debounce:
    """Notices on their way to whoever is told. clock: seconds, of any beginning."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._held: dict[str, list[Notice]] = {}
        self._last: dict[str, float] = {}

    def pass_on(self, notice: Notice) -> Iterator[Notice]:
        """Yield a notice to pass on at once; keep one about a child that was deleted. A service that goes takes what was kept with it."""
        if notice.type == DRIFT and notice.reason == "deleted":
            self._held.setdefault(notice.service, []).append(notice)
            self._last[notice.service] = self._clock()
            return
        if notice.type == DELETION:
            self._held.pop(notice.service, None)
            self._last.pop(notice.service, None)
        yield notice

    def due(self) -> Iterator[Notice]:
        """Yield what was kept of services that have been quiet since."""
        now = self._clock()
        for service in [each for each, last in self._last.items() if now - last >= QUIET_S]:
            del self._last[service]
            yield from self._held.pop(service)
