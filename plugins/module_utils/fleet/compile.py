# SPDX-License-Identifier: GPL-3.0-or-later
"""The services of a task compiled, and checked against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from ..kinds.view import Neighbour
from ..kube.intent import Child, Intent
from ..kube.manifest import Manifest
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from .service import Service

T = TypeVar("T")


def compile_fleet(
    services: Sequence[Service],
    reader: Reader,
    into: Callable[[Service, Intent], T],
    *,
    skip_invalid: bool = False,
    compiler: Callable[[Service, Reader], Intent] = Service.compile,
    judged: bool = False,
) -> tuple[list[T], list[Complaint]]:
    """Compile every service; return those that can be made, and the complaints about those left out with `skip_invalid`.

    What checks find is added to the problems of a service.
    judged: what the API server would refuse of any child is wrong with the service, too; else whoever writes it asks.
    into: makes of a service and its intent what is kept; only one intent is held at a time. Where two services would claim one
    object neither is made, unless it is one that they share. Raises InputError that holds what is wrong with each of them.
    """
    compiled: dict[Reference, T] = {}
    claims: list[tuple[Service, Sequence[Reference]]] = []
    shared: dict[Reference, Manifest] = {}
    found: dict[Reference, list[Problem]] = {}
    neighbours: list[Neighbour] = []
    for service in services:
        try:
            intent = _without_shared(compiler(service, reader), shared)
        except InputError as error:
            problems = [problem for each in error.complaints for problem in each.problems]
            found[service.reference] = problems
            continue
        refused = _refused(service, intent) if judged else []
        if refused:
            found[service.reference] = refused
            continue
        neighbour = service.judge(intent)
        if service.errors:
            found[service.reference] = list(service.errors)
            continue
        neighbours.append(neighbour)
        claims.append((service, neighbour.makes))
        compiled[service.reference] = into(service, intent)
    _judge_together(services, neighbours)
    found |= _collisions(claims)
    complaints = [
        Complaint(service.subject, tuple(found[service.reference]))
        for service in services
        if service.reference in found
    ]
    kept = [made for reference, made in compiled.items() if reference not in found]
    if complaints and not (skip_invalid and kept):
        fine = [service for service in services if service.reference not in found]
        raise InputError([*complaints, *(() if judged else also_refused(fine, reader))])
    return kept, complaints


def _judge_together(services: Sequence[Service], neighbours: Sequence[Neighbour]) -> None:
    """Add what is wrong between services to the problems of each."""
    from ..checks.run import problems_beside

    beside = problems_beside(neighbours)
    for service in services if beside else ():
        service.problems += beside.get(service.reference, [])


def also_refused(services: Iterable[Service], reader: Reader) -> Iterator[Complaint]:
    """Yield what the API server would refuse of services, so that one message tells it with what is wrong with others.

    A service that cannot be compiled from what the reader knows is left out.
    """
    for service in services:
        try:
            problems = _refused(service, service.compile(reader))
        except InputError:
            continue
        errors = tuple(each for each in problems if each.severity == "error")
        if errors:
            yield Complaint(service.subject, errors)


def _refused(service: Service, intent: Intent) -> list[Problem]:
    manifests = [child.manifest.to_dict() for child in intent.children]
    return service.api_problems(intent.basis, manifests, manifests)


def _without_shared(intent: Intent, shared: dict[Reference, Manifest]) -> Intent:
    """Leave out of an intent what an earlier service makes in the same way. shared: what they have made; gets what this one does."""

    def is_its_own(child: Child) -> bool:
        if not child.shared:
            return True
        first = shared.setdefault(child.manifest.reference, child.manifest)
        return first is child.manifest or first != child.manifest

    return replace(intent, children=tuple(filter(is_its_own, intent.children)))


def without_errors(
    compiled: Sequence[tuple[Service, Intent]], *, skip_invalid: bool
) -> tuple[list[tuple[Service, Intent]], list[Complaint]]:
    """Return the compiled services in which no error was found, and the complaints about the others.

    Raises InputError that holds them all where they are not to be left out, or nothing would stay.
    """
    complaints = [
        Complaint(service.subject, service.errors) for service, dummy in compiled if service.errors
    ]
    kept = [(service, intent) for service, intent in compiled if not service.errors]
    if complaints and not (skip_invalid and kept):
        raise InputError(complaints)
    return kept, complaints


def paired(service: Service, intent: Intent) -> tuple[Service, Intent]:
    """Keep all of a compiled service."""
    return service, intent


def _collisions(
    claims: Sequence[tuple[Service, Sequence[Reference]]],
) -> dict[Reference, list[Problem]]:
    """Return the problems of each service that wants an object which another wants, too."""
    claimed: dict[Reference, Service] = {}
    found: dict[Reference, list[Problem]] = {}
    for service, references in claims:
        for reference in references:
            other = claimed.setdefault(reference, service)
            if other is not service:
                names = " and ".join(f'"{name}"' for name in _names(other, service))
                message = f"{names} both become {reference}; rename one of them"
                problem = Problem("metadata.name", message, rule="collision")
                for claimant in (other, service):
                    found.setdefault(claimant.reference, []).append(problem)
    return found


def _names(*services: Service) -> list[str]:
    """Return what tells services apart: their names, with the namespaces where these differ."""
    places = {service.reference.namespace for service in services}
    if len(places) == 1:
        return [service.reference.name for service in services]
    return [each.reference.full_name for each in services]
