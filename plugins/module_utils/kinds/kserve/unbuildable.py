# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a service from being built, as KServe's controller reports it and as we do."""

from __future__ import annotations

from typing import Protocol

from ...kube.problem import Complaint, InputError, Problem


class Named(Protocol):
    """A service as far as errors name it."""

    @property
    def subject(self) -> str:
        """The service as errors name it."""


class Unbuildable(Exception):
    """The children of a service cannot be worked out.

    message: what the controller writes. condition, reason: where it writes it; empty where it only tries again and again.
    path: the field to change, empty for the whole service. advice: what to do about it.
    told: what we say instead of the message, where that helps nobody. first: what we say before it, where it speaks of more than its
    reader sees; the message follows in brackets.
    """

    def __init__(
        self,
        message: str,
        *,
        condition: str,
        reason: str,
        path: str,
        advice: str,
        rule: str,
        told: str,
        first: str = "",
    ) -> None:
        self.message = message
        self.condition = condition
        self.reason = reason
        words = _explained(told or message, condition, reason, advice, first)
        self.problem = Problem(path, words, rule=rule)
        super().__init__(message)

    def as_input_error(self, service: Named) -> InputError:
        """Return the error that a user sees."""
        return InputError([Complaint(service.subject, (self.problem,))])


def _explained(message: str, condition: str, reason: str, advice: str, first: str) -> str:
    seen = f"KServe reports {condition} False, {reason}" if condition else ""
    way = f"; {advice}" if advice else ""
    if first:
        return f"{first}{way} ({seen or 'KServe says'}: {message})"
    return f"{message}{f' ({seen})' if seen else ''}{way}"
