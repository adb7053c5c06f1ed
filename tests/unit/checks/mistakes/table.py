# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes, each made in every kind of service that can have it, and where each is reported."""

from __future__ import annotations

from .engines import ENGINES
from .lines import LINES
from .pods import PODS
from .routes import ROUTES

#: Rule → kind → the mistake.
MISTAKES = {**ENGINES, **LINES, **PODS, **ROUTES}
