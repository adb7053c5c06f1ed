# SPDX-License-Identifier: GPL-3.0-or-later
"""Every check, by theme. A check of a theme is found by itself; a new theme is named here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import ModuleType

from ..kinds.check import BoundCheck
from . import (
    credentials,
    devices,
    disaggregation,
    engine_flags,
    engine_names,
    engine_words,
    fleet,
    models,
    names,
    no_effect,
    picker,
    ports,
    queues,
    quota,
    routing,
    scaling,
)

THEMES: Sequence[ModuleType] = (
    engine_flags,
    engine_names,
    engine_words,
    devices,
    disaggregation,
    picker,
    ports,
    routing,
    scaling,
    quota,
    queues,
    models,
    names,
    credentials,
    fleet,
    no_effect,
)


@cache
def checks() -> Sequence[BoundCheck]:
    """Return every check, in the order of themes and of their files."""
    return tuple(check for theme in THEMES for check in of_theme(theme))


def of_theme(theme: ModuleType) -> Sequence[BoundCheck]:
    """Return the checks of one theme."""
    return tuple(each for each in vars(theme).values() if isinstance(each, BoundCheck))
