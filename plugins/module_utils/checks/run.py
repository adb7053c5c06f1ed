# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the checks of every run: those that only look at a service, and those that look at all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..kinds.check import ERROR, WARNING, BoundCheck
from ..kinds.view import Neighbour, ServiceView
from ..kube.problem import Problem
from ..kube.reader import NotAllowed, Reader
from ..kube.reference import Reference
from .registry import settled_checks


def settled_problems(view: ServiceView, own: Sequence[BoundCheck] = ()) -> list[Problem]:
    """Return what a look at the service itself finds. It costs little and is reported in every run. own: checks that only this kind has."""
    return told(
        (check, problem)
        for check in (*settled_checks(), *own)
        if check.in_every_run
        for problem in check.function(view)
    )


def problems_beside(services: Sequence[Neighbour]) -> dict[Reference, list[Problem]]:
    """Return what is wrong between the services of a run, by service."""
    found: dict[Reference, list[tuple[BoundCheck, Problem]]] = {}
    for check in settled_checks():
        for reference, problem in check.function(services) if check.fleet else ():
            found.setdefault(reference, []).append((check, problem))
    return {reference: told(problems) for reference, problems in found.items()}


def asked(check: BoundCheck, view: ServiceView, reader: Reader) -> Iterator[Problem]:
    """Yield what a check finds, or that it may not read what it needs."""
    try:
        yield from check.function(view, reader) if check.reads else check.function(view)
    except NotAllowed:
        message = (
            f"{check.row.rule} was not checked: reading {' and '.join(check.reads)} is not allowed"
        )
        yield Problem("", message, WARNING, rule="could-not-look")


def told(found: Iterable[tuple[BoundCheck, Problem]]) -> list[Problem]:
    """Return problems as a service gets them, each once: errors of rows that stop a service, and warnings.

    Whatever else is an error becomes a warning, since the service's controller renders it as well.
    """
    return list(
        dict.fromkeys(
            replace(each, severity=WARNING)
            if each.severity == ERROR and not check.row.stops
            else each
            for check, each in found
        )
    )
