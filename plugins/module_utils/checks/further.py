# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the checks that take longer, read the cluster, or try a service with changes: where something changes, or somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..kinds.check import BoundCheck
from ..kinds.view import ServiceView
from ..kube.problem import Problem
from ..kube.reader import Reader
from . import no_effect
from .registry import checks
from .run import asked, settled_problems, told
from .trials import Trials


def further_problems(
    view: ServiceView,
    reader: Reader,
    own: Sequence[BoundCheck] = (),
    trials: Callable[[frozenset[str]], Trials] | None = None,
) -> list[Problem]:
    """Return what takes longer to find, or a look at the cluster.

    own: checks that only this kind has. trials: makes the service to be tried with changes, of the fields that are named already; None where it is not tried.

    Where something may not be read, the check that needs it is left out, and that is reported.
    """
    found = told(
        (check, problem)
        for check in (*checks(), *own)
        if not (check.in_every_run or check.fleet or check.tries)
        for problem in asked(check, view, reader)
    )
    if trials is None:
        return found
    named = (*settled_problems(view, own), *found)
    tried = trials(frozenset(each.path for each in named if each.rule == no_effect.NO_EFFECT.rule))
    return [
        *found,
        *told(
            (check, problem)
            for check in checks()
            if check.tries
            for problem in check.function(tried)
        ),
    ]
