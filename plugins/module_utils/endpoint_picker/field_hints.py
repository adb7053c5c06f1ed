# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a field of a configuration belongs that a release does not have at its place: under another name, or elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .releases import PickerRelease
from .schema import Fields, ListOf, fields_of, has_field

#: Fields that releases call otherwise, or have elsewhere.
_ELSEWHERE = {
    "data": ("dataLayer", "write dataLayer"),
    "dataLayer": ("data", "write data"),
    **dict.fromkeys(
        (
            "saturationDetector.queueDepthThreshold",
            "saturationDetector.kvCacheUtilThreshold",
            "saturationDetector.metricsStalenessThreshold",
        ),
        (
            "saturationDetector.pluginRef",
            "declare the plugin utilization-detector with it as a parameter",
        ),
    ),
}


def moved(path: str, release: PickerRelease) -> str:
    """Return what to write in a release that has a field elsewhere, empty where it has not."""
    other, fix = _ELSEWHERE.get(path, ("", ""))
    there = other and has_field(fields_of(release.generation), other.split("."))
    return fix if there else ""


def homes(key: str, fields: Fields, path: str = "") -> Iterator[str]:
    """Yield the places at which fields have one of a name."""
    for name, field in fields.items():
        here = f"{path}.{name}".lstrip(".")
        if name == key and path:
            yield here
        below = field.fields if isinstance(field, ListOf) else field
        if isinstance(below, Mapping):
            yield from homes(key, below, f"{here}[]" if isinstance(field, ListOf) else here)
