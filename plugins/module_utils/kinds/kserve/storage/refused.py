# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a model from a pod."""

from __future__ import annotations


class StorageRefused(Exception):
    """A model cannot be brought into a pod. message: in KServe's words. field: below the component, to be changed. advice: what to do."""

    def __init__(self, message: str, field: str, advice: str) -> None:
        self.message = message
        self.field = field
        self.advice = advice
        super().__init__(message)
