# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a line that is said to have no effect has one: the whole task is run without it, and with other values."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

from tests.mistakes.places import Json, Place, dropped, places, put
from tests.mistakes.sources import Source

from .services import other_value

#: Other values that a line is given.
VALUES = 6
#: What messages say of a field that does nothing, whatever its value.
_OF_A_FIELD = " has no effect: "


def wrong_findings(source: Source, result: Json, seed: str) -> Iterator[tuple[Json, str]]:
    """Yield findings `no-effect` about fields that change something, each with how that was seen.

    Left out are findings that speak of one value alone (`0 becomes 1`), which another value does not disprove, and labels and
    annotations: their copies are there, and nobody reads them.
    """
    chance = random.Random(seed)
    for problem in result["services"][0]["problems"]:
        texts = ".labels" in problem["path"] or ".annotations" in problem["path"]
        of_field = problem["rule"] == "no-effect" and _OF_A_FIELD in problem["message"]
        if of_field and problem["path"].startswith("spec.") and not texts:
            how = _effect(source, problem["path"], result, chance)
            if how:
                yield problem, how


def _effect(source: Source, path: str, result: Json, chance: random.Random) -> str:
    before = _made(result, path)
    for document, how in _variants(source, path, chance):
        other = source.result_of(document)
        if not other.get("failed") and _made(other, path) != before:
            return how
    return ""


def _variants(source: Source, path: str, chance: random.Random) -> Iterator[tuple[Json, str]]:
    spots = list(places(source.document, source.schema))
    for place in spots:
        if place.path == path and not isinstance(place.key, int):
            yield dropped(source.document, place.steps), "without it"
        if place.path == path or place.path.startswith((f"{path}.", f"{path}[")):
            if isinstance(place.value, dict | list) or _is_identity(place):
                continue
            for dummy in range(VALUES):
                value = _of_its_scheme(place.value, other_value(place, chance))
                if value is not None:
                    yield put(source.document, place.steps, value), f"{place.path}: {value}"


def _is_identity(place: Place) -> bool:
    """Say whether a value is the name of an item of a list: with another one it is another item, which may well do something."""
    return place.key == "name" and len(place.steps) > 1 and isinstance(place.steps[-2], int)


def _of_its_scheme(before: Any, value: Any) -> Any:
    """Return another address of the same scheme: what an address does hangs on its scheme, and messages say so."""
    scheme, separator, dummy = str(before).partition("://")
    if not separator or not isinstance(value, str):
        return value
    return f"{scheme}://{value.partition('://')[2] or value}"


def _made(result: Mapping[str, Any], path: str) -> Any:
    """Return what is compared: objects, and what is said of the service apart from lines without effect, and from the field and what is in it."""
    service = dict(result["services"][0])
    service["problems"] = [
        (each["path"], each["rule"])
        for each in service["problems"]
        if each["rule"] != "no-effect"
        and each["severity"] != "info"
        and not f"{each['path']}.".startswith((f"{path}.", f"{path}["))
    ]
    service.pop("unchanged", None)
    return result["manifests"], service
