# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of a text that no loader can decode."""

from __future__ import annotations


class DecodeError(Exception):
    """The text is nothing that a loader can decode. rule and fix: as in a finding."""

    def __init__(self, rule: str, message: str, fix: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.fix = fix
