# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a workload or a route from its work, where waiting does not help."""

from __future__ import annotations

from dataclasses import dataclass

from .redact import redact_text
from .reference import Reference


@dataclass(frozen=True, slots=True)
class WorkloadFault:
    """One reason. reason: one word, as Kubernetes has it. message: which object, and its own words.

    subject: the pod whose fault it is, None where it is nobody's or not a pod's.
    A runtime may quote the command line that it could not start; secrets in the words of others are masked.
    """

    reason: str
    message: str
    subject: Reference | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", redact_text(self.message))
