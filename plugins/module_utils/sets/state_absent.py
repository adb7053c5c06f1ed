# SPDX-License-Identifier: GPL-3.0-or-later
"""`absent`: a set is removed, its objects before what serves them, its parent and its namespaces last."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..cluster.connection import Cluster
from ..cluster.lease import leases
from ..engine.apply import Execution
from ..engine.applyset.custom import objects_of
from ..engine.applyset.examine import lacking_rights, still_used
from ..engine.applyset.members import ApplySet
from ..engine.applyset.plan import keeps, lost_data, removal
from ..engine.applyset.remove import Removal
from ..engine.applyset.snapshot import look
from ..engine.applyset.write import SetWriter
from ..engine.plan import Change
from ..engine.policy import SetPolicy
from ..kube.applyset import TOOL, GroupKind, MemberKey, tooling_of
from ..kube.crds import is_crd
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reference import Reference
from ..kube.text import counted, few
from .input import SUBJECT
from .release import SetRelease
from .result import SetResult

_NAMED = 5


class Remover:
    """Removes a set. told: what it did so far, also where `run` raises."""

    def __init__(
        self, cluster: Cluster, applyset: ApplySet, policy: SetPolicy, release: SetRelease
    ) -> None:
        self._cluster = cluster
        self._set = applyset
        self._policy = policy
        self._release = release
        self.told = SetResult()

    def run(self, manifests: Sequence[Json]) -> None:
        """Remove everything that carries the set's label. manifests: name kinds to look at where the parent is gone already.

        Raises InputError before the first deletion, and ClusterError.
        """
        parent = self._cluster.get(self._set.parent)
        self._check_parent(parent)
        self._release = self._release.noted(parent)
        # An earlier run was cut off: namespaces go after the parent.
        more = [GroupKind("", "Namespace")] if parent is None else []
        references = [Reference.of(each) for each in manifests]
        live = look(self._cluster, self._set, parent, references, more)
        members = list(live.members.values())
        if parent is None and not members:
            return
        changes, kept = self._plan(members)
        others = self._objects(members, changes)
        if self._policy.delete_objects:
            changes += others
        else:
            self._refuse(self._served(others))
        self._refuse(
            [
                *still_used(self._cluster, changes),
                *lacking_rights(self._cluster, self._set, changes),
            ]
        )
        self._warn(kept)
        if self._policy.dry_run:
            self._delete(parent, changes, kept, lambda dummy: None)
        elif changes or parent or kept:
            place = self._set.parent.namespace
            with leases(self._cluster, self._set.fleet, [place]) as check:
                self._delete(parent, changes, kept, check)

    def _delete(
        self,
        parent: Json | None,
        changes: list[Change],
        kept: Sequence[Json],
        check: Callable[[str], object],
    ) -> None:
        """Delete members, the parent, and last the namespaces: the parent may be in one of them."""
        writer = SetWriter(self._cluster, self._set, self._policy, check)
        execution = Execution(self._cluster, writer)
        removing = Removal(self._cluster, self._set, self._policy, writer, execution)
        try:
            removing.run(changes, kept)
            if parent is not None:
                removing.run([removal(parent, self._set, "the set is removed")], ())
            stay = removing.namespaces(changes)
        finally:
            self.told.outcomes += execution.outcomes
        for reference, left in stay.items():
            text = f"{reference} is kept: others keep {left} in it"
            self.told.problems.append(Problem("", text, "warning", rule="kept"))

    def _plan(self, members: Sequence[Json]) -> tuple[list[Change], list[Json]]:
        """Return what is deleted, and the CRDs that stay."""
        changes, kept = [], []
        for live in members:
            if keeps(Reference.of(live), self._policy):
                kept.append(live)
            else:
                changes.append(removal(live, self._set, "the set is removed"))
                self.told.problems += lost_data(Reference.of(live))
        return changes, kept

    def _objects(self, members: Sequence[Json], changes: Sequence[Change]) -> list[Change]:
        """Return the deletion of each object of the set's kinds that is no member itself."""
        ours = {MemberKey.of(change.reference) for change in changes}
        found = [
            removal(item, self._set, "its controller is removed")
            for crd in members
            if is_crd(crd)
            for item in objects_of(self._cluster, crd)
        ]
        return [change for change in found if MemberKey.of(change.reference) not in ours]

    def _served(self, others: Sequence[Change]) -> list[Problem]:
        """Return a problem where the component still serves something: nobody would look after it, nor remove its finalizers."""
        component = self._release.component
        served = [
            str(change.reference)
            for change in others
            if component is not None and GroupKind.of(change.reference) in component.serves
        ]
        if not served:
            return []
        text = (
            f"it still serves {counted(len(served), 'object')}: {few(served, _NAMED)}; remove them first, "
            "or set delete_objects: true to delete them while their controller runs"
        )
        return [Problem("", text, rule="still-serving")]

    def _warn(self, kept: Sequence[Json]) -> None:
        """Tell which CRDs stay, and which of their objects wait for a controller that goes."""
        for crd in kept:
            held = [
                str(Reference.of(item))
                for item in objects_of(self._cluster, crd)
                if item["metadata"].get("finalizers")
            ]
            if held:
                text = (
                    f"{Reference.of(crd)} is kept with objects whose finalizers nobody removes any more: {few(held, _NAMED)}; "
                    "delete them while their controller runs"
                )
                self.told.problems.append(Problem("", text, "warning", rule="held-objects"))
        if kept:
            names = few([crd["metadata"]["name"] for crd in kept], _NAMED)
            text = f"{len(kept)} CRDs are kept with their objects: {names}; keep_crds: false deletes them"
            self.told.problems.append(Problem("", text, "warning", rule="kept"))

    def _check_parent(self, parent: Json | None) -> None:
        tool = tooling_of(parent).partition("/")[0] if parent else TOOL
        if tool != TOOL:
            what = f"a set of {tool}" if tool else "no parent of a set"
            text = f"{self._set.parent} is {what}, and is left alone"
            raise InputError.single(SUBJECT, "name", text)

    def _refuse(self, problems: Sequence[Problem]) -> None:
        if problems:
            raise InputError([Complaint(f"set {self._set.parent.name}", tuple(problems))])
