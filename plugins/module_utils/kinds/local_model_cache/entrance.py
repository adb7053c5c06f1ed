# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache is not called."""

from __future__ import annotations

from ...kube.reader import Reader
from ..entrance import Entrance
from .resolved import Resolved
from .settings import Settings


def entrance(resolved: Resolved, settings: Settings, reader: Reader) -> Entrance:  # noqa: ARG001
    """Return that there is no way in."""
    name = resolved.cache.name
    return Entrance(None, name, closed="it holds a model for services, and is not called itself")
