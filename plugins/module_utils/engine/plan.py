# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be done: every difference between what is wanted and what is there, before anything is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import Enum

from ..kube.apply_order import SetStage
from ..kube.intent import Stage
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reference import Reference
from . import INTENT_ANNOTATION
from .deletion_wait import is_dying
from .desired import Desired
from .immutable import immutable_field
from .noop_proof import doubt, kept_by_server
from .ownership import Owner, Ownership
from .policy import Policy


class Action(Enum):
    """What is done to one object."""

    CREATE = "create"
    UPDATE = "update"
    ADOPT = "adopt"
    RECREATE = "recreate"
    #: A delete that comes before another change of its stage, not after everything.
    REPLACE = "replace"
    DELETE = "delete"
    GIVE_BACK = "give back"


@dataclass(frozen=True, slots=True)
class Change:
    """One object that is not as it should be.

    service: what it belongs to, a service or the parent of a set. live: as it was listed; None where it is not there.
    warning: what its author should know although it goes well.
    """

    action: Action
    reference: Reference
    service: Reference
    stage: Stage | SetStage
    desired: Desired | None
    live: Json | None
    reason: str
    warning: str = ""

    @property
    def is_edit(self) -> bool:
        """Whether something else is wanted than was applied last; else an object is only set right, or gets a note of ours."""
        if self.desired is None or self.live is None:
            return True
        applied = (self.live["metadata"].get("annotations") or {}).get(INTENT_ANNOTATION)
        return bool(applied != self.desired.digest)


@dataclass(slots=True, kw_only=True)
class Plan(ABC):
    """What the objects of one owner need, and whose they are: those of a service, or those of a set.

    policy: what the run may do. dying: objects of it that are being deleted; each is planned as a create, and has to be gone before.
    """

    policy: Policy
    changes: list[Change] = field(default_factory=list)
    unchanged: list[Reference] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    dying: dict[Reference, Json] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that forbid to write anything."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def owner_uid(self) -> str:
        """The uid for owner references, empty where there is none."""
        return ""

    @abstractmethod
    def whose(self, live: Json) -> Ownership:
        """Tell whose an object is that bears a wanted name."""

    @abstractmethod
    def way_out(self, owned: Ownership) -> str:
        """Return what to do about an object of others."""

    @abstractmethod
    def unchangeable(self, kind: str) -> str:
        """Return what to do about a field of a kind that cannot change."""

    @abstractmethod
    def wrote_before(self, entry: Json, live: Json) -> bool:
        """Tell whether an entry of managed fields is of somebody whose fields become ours with an adoption."""

    def weigh(self, wanted: Desired, live: Json | None, *, adopt: bool) -> None:
        """Plan what one object needs. adopt: whether it may be taken over."""
        if live is None:
            self.add(Action.CREATE, wanted, None, "it does not exist")
            return
        owned = Ownership(Owner.THIS, "") if wanted.shared else self.whose(live)
        if not owned.ours and not (adopt and owned.adoptable):
            self.refuse(wanted, live, owned)
        elif is_dying(live):
            self.dying[wanted.reference] = live
            self.add(Action.CREATE, wanted, None, "it was being deleted")
        elif owned.ours:
            self._compare(wanted, live)
        else:
            self.add(Action.ADOPT, wanted, live, owned.text, owned.advice)

    def refuse(self, wanted: Desired, live: Json, owned: Ownership) -> None:
        """Note that the name is taken."""
        text = f"{wanted.reference} exists already and {owned.text}; {self.way_out(owned)}"
        if what := immutable_field(wanted.manifest(self.owner_uid), live):
            text += f". {what}; {self.unchangeable(wanted.reference.kind)}"
        self.problems.append(Problem("", text, rule="ownership"))

    def add(
        self, action: Action, wanted: Desired, live: Json | None, reason: str, warning: str = ""
    ) -> None:
        """Note that something is to be written."""
        place = (wanted.reference, wanted.service, wanted.stage)
        self.changes.append(Change(action, *place, wanted, live, reason, warning))

    def _compare(self, wanted: Desired, live: Json) -> None:
        uid = self.owner_uid if wanted.parent else ""
        reason = doubt(wanted, live, uid)
        if reason is None:
            self.unchanged.append(wanted.reference)
            self.problems += kept_by_server(wanted, live, uid)
            return
        what = immutable_field(wanted.manifest(uid), live)
        if what is None:
            self.add(Action.UPDATE, wanted, live, reason)
            return
        obstacle = f"{what}; {self.unchangeable(wanted.reference.kind)}"
        if wanted.reference.kind in self.policy.recreate:
            self.add(Action.RECREATE, wanted, live, obstacle)
        else:
            text = f"{wanted.reference}: {obstacle}"
            self.problems.append(Problem("", text, rule="immutable"))
