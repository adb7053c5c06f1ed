# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run is told to do, and what it works with: one value that goes through the whole story."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..cluster.connection import Cluster
from ..engine.policy import Policy
from ..fleet.release_finder import ReleaseFinder
from ..kube.reference import Reference
from ..task.result import Clock
from .answer_options import AnswerOptions

Progress = Callable[[str], None]


def _nobody_listens(_line: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Run:
    """One run over the services of a fleet.

    releases: what found the releases of the services. reconciler, skip_invalid, fit: the options of the task. keeps: services that the task
    names, valid or not; every other one of the fleet is removed. None: no other one is touched.
    wait_for: `ready`, or the type of a condition; empty where nothing is waited for. wait_timeout: seconds.
    answer: what is sent to each service at the end, which then has to have a way in; None where nothing is.
    progress: takes a line for each change while the run waits.
    """

    cluster: Cluster
    policy: Policy
    releases: ReleaseFinder
    reconciler: str
    skip_invalid: bool
    fit: str
    keeps: frozenset[Reference] | None = None
    wait_for: str = ""
    wait_timeout: float = 0.0
    answer: AnswerOptions | None = None
    clock: Clock = field(default_factory=Clock)
    progress: Progress = _nobody_listens
