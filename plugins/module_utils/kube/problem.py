# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with an input: collected in full, shown at once, raised before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from .redact import redact_message

#: `info` is what whoever uses a thing has to know; it is no fault and no warning.
Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, or will not do what its author wants.

    path: the field as its author writes it, for example `spec.decode.parallelism.tensor`; empty for the whole object.
    message: the value and what to do about it.
    rule: a stable name of the rule that found it, for example `shared-memory`.
    Secrets that a message repeats are masked.
    """

    path: str
    message: str
    severity: Severity = "error"
    rule: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", redact_message(self.path, self.message))
        object.__setattr__(self, "path", redact_message("", self.path))

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


@dataclass(frozen=True, slots=True)
class Complaint:
    """All problems of one subject, for example `services[2] (ModelService team-a/qwen3.5)`."""

    subject: str
    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        count = len(self.problems)
        head = f"{self.subject}: {count} problem{'' if count == 1 else 's'}"
        return "\n".join([head, *(f"  {problem}" for problem in self.problems)])


class InputError(Exception):
    """The input cannot be used. Holds every problem found; nothing was changed."""

    def __init__(self, complaints: Iterable[Complaint]) -> None:
        self.complaints = tuple(complaint for complaint in complaints if complaint.problems)
        super().__init__("\n".join(str(complaint) for complaint in self.complaints))

    @classmethod
    def single(cls, subject: str, path: str, message: str) -> InputError:
        """Return an error that holds one problem."""
        return cls([Complaint(subject, (Problem(path, message),))])
