# SPDX-License-Identifier: GPL-3.0-or-later
"""One service of a task: what it was written as, what it becomes, and what was found wrong with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ..kinds.kind import ServiceKind
from ..kinds.peers import NOBODY, Peers
from ..kinds.view import Neighbour, ServiceView
from ..kube.intent import Intent
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..kube.release import ChosenRelease


@dataclass(slots=True)
class Service:
    """One service of the task.

    subject: how messages call it. written: the document as its author wrote it; an empty one is not tried
    with changes. problems: what was found so far, warnings included. release: of the controller that is reproduced, and why that one.
    peers: the services of the task, itself among them.
    """

    subject: str
    kind: ServiceKind[Any, Any]
    reference: Reference
    typed: Any
    settings: Any
    release: ChosenRelease
    written: Json = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    peers: Peers = NOBODY

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that forbid to continue with this service."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def noted_release(self) -> str:
        """The release as it is noted on the service's objects, empty where nobody has to find it there."""
        return "" if self.kind.releases.installed is None else str(self.release.release)

    def compile(self, reader: Reader) -> Intent:
        """Return what the service wants to exist."""
        return self.kind.compile(self.typed, self.settings, reader, self.peers)

    def view(self, basis: Any, manifests: Sequence[Json]) -> ServiceView:
        """Return the service as checks see it. basis: of its intent. manifests: its children."""
        view: ServiceView = self.kind.view(basis, self.settings, manifests)
        return view

    def judge(self, intent: Intent) -> Neighbour:
        """Add what a look at the compiled service finds to its problems. Return what other services have to know of it."""
        # Imported with the service's kind, on first use.
        from ..checks.run import settled_problems

        view = self.view(intent.basis, [child.manifest.to_dict() for child in intent.children])
        # Whoever stops a service need not mend it first.
        self.problems += [] if intent.nothing else settled_problems(view, self.kind.own_checks)
        return view.beside([child.manifest.reference for child in intent.children])

    def api_problems(
        self, basis: Any, manifests: Sequence[Json], written: Iterable[Json]
    ) -> list[Problem]:
        """Return what the API server would refuse of some of its children. manifests: all of them. written: those that are asked about."""
        # Only where something is to be written.
        from ..kinds.api_problems import api_problems

        return api_problems(self.view(basis, manifests).field_map, written)

    def advice(
        self,
        basis: Any,
        manifests: Sequence[Json],
        reader: Reader,
        run: Collection[Reference] = frozenset(),
    ) -> list[Problem]:
        """Return what takes longer to find, or a look at the cluster. run: what all services of the run make."""
        # Only where something changes, or somebody asks.
        from ..checks.further import further_problems
        from ..checks.trials import Trials

        return further_problems(
            replace(self.view(basis, manifests), run=run),
            reader,
            self.kind.own_checks,
            partial(Trials, self.kind, self.written, self.settings, reader, self.peers)
            if self.written
            else None,
        )
