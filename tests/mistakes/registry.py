# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of mistakes, each a function from a service to its spoilt forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from .places import Json, Place, Spoilt, places
from .sources import Source


@dataclass(frozen=True)
class Service:
    """A service to be spoilt."""

    source: Source

    @property
    def document(self) -> Json:
        return self.source.document

    @property
    def kind(self) -> str:
        return str(self.document["kind"])

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every value below `spec`."""
        return tuple(places(self.document, self.source.schema))

    @cached_property
    def release(self) -> str:
        """The release of the controller that a task finds."""
        (service,) = self.source.result_of(self.document)["services"]
        return str(service["release"]["version"])

    def fields(self, *names: str) -> Iterator[Place]:
        """Yield the fields of these names, wherever they are."""
        return (place for place in self.places if place.key in names)

    def containers(self) -> Iterator[Place]:
        """Yield the containers of its pods."""
        lists = ("containers", "initContainers")
        for place in self.places:
            if len(place.steps) > 1 and place.steps[-2] in lists and isinstance(place.value, dict):
                yield place

    def pods(self) -> Iterator[Place]:
        """Yield what holds containers."""
        return (
            place
            for place in self.places
            if isinstance(place.value, dict) and "containers" in place.value
        )


Make = Callable[[Service], Iterable[Spoilt]]
#: By name.
MISTAKES: dict[str, Make] = {}


def mistake(make: Make) -> Make:
    """Register a kind of mistake under the name of its function."""
    MISTAKES[make.__name__.replace("_", "-")] = make
    return make
