# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a model from a pod."""

from __future__ import annotations


class ArtifactError(Exception):
    """A model cannot be attached.

    message: in the controller's words. path: the field to change. advice: what to do.
    of_default_account: only pods that use the namespace's default account are affected.
    """

    def __init__(
        self, message: str, path: str, advice: str, *, of_default_account: bool = False
    ) -> None:
        self.message = message
        self.path = path
        self.advice = advice
        self.of_default_account = of_default_account
        super().__init__(message)
