"""The one exception that the lab raises when it cannot do what was asked."""

from __future__ import annotations


class LabError(Exception):
    """Says in plain words what went wrong and what to do about it."""
