# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a template, in the words of Go."""

from __future__ import annotations


class TemplateError(Exception):
    """A template cannot be read or filled in.

    reason: what is wrong, as Go says it. action: the text of the action that fails, without braces; empty where there is none.
    expression: the part of it that fails; empty where the template cannot even be read. offset: where, in characters.
    """

    def __init__(
        self, reason: str, *, action: str = "", expression: str = "", offset: int = 0
    ) -> None:
        self.reason = reason
        self.action = action
        self.expression = expression
        self.offset = offset
        super().__init__(reason)

    def as_go(self, name: str, text: str) -> str:
        """Return the message that Go gives. name: that of the template. text: the whole template."""
        line = text.count("\n", 0, self.offset) + 1
        if not self.expression:
            return f"template: {name}:{line}: {self.reason}"
        column = self.offset - (text.rfind("\n", 0, self.offset) + 1)
        place = f"{name}:{line}:{len(text[self.offset - column : self.offset].encode())}"
        return f'template: {place}: executing "{name}" at <{self.expression}>: {self.reason}'
