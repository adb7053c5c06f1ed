# SPDX-License-Identifier: GPL-3.0-or-later
"""`absent`: a set is removed, its objects before what serves them, its parent and its namespaces last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..cluster.connection import Cluster
from ..cluster.lease import leases
from ..engine.applyset.custom import objects_of
from ..engine.applyset.examine import still_used
from ..engine.applyset.members import ApplySet
from ..engine.applyset.plan import Step, keeps, removal
from ..engine.applyset.policy import SetPolicy
from ..engine.applyset.remove import Removal
from ..engine.applyset.snapshot import look
from ..engine.applyset.write import SetWriter
from ..engine.plan import Action
from ..engine.rights import Need, missing_rights
from ..kube.apply_order import SetStage, set_stage
from ..kube.applyset import TOOL, GroupKind, MemberKey, group_kinds_of, namespaces_of, tooling_of
from ..kube.crds import is_crd
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reference import Reference
from ..kube.text import counted, few
from .input import SUBJECT
from .release import SetRelease
from .result import SetResult
from .state_present import LEASE

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
        members = self._look(parent, manifests)
        if parent is None and not members:
            return
        steps, kept = self._plan(members)
        others = self._objects(members, steps)
        if self._policy.delete_objects:
            steps += others
        else:
            self._refuse(self._served(others))
        self._refuse([*self._lost(steps), *self._rights(steps)])
        self._warn(kept)
        writer = SetWriter(self._cluster, self._set, self._policy)
        removing = Removal(self._cluster, self._set, self._policy, writer)
        last = [] if parent is None else [_parent_step(parent)]
        try:
            if self._policy.dry_run:
                removing.run([*steps, *last], kept)
            elif steps or last or kept:
                place = self._set.parent.namespace
                with leases(self._cluster, LEASE + self._set.parent.name, [place]):
                    removing.run(steps, kept)
                    removing.run(last, ())
            stay = removing.namespaces(steps)
        finally:
            self.told.outcomes += removing.outcomes
        for reference, left in stay.items():
            text = f"{reference} is kept: others keep {left} in it"
            self.told.problems.append(Problem("", text, "warning", rule="kept"))

    def _look(self, parent: Json | None, manifests: Sequence[Json]) -> list[Json]:
        versions = {
            GroupKind(Reference.of(each).group, each["kind"]): each["apiVersion"]
            for each in manifests
        }
        kinds = set(versions) | group_kinds_of(parent)
        if parent is None:
            # An earlier run was cut off: namespaces go after the parent.
            kinds.add(GroupKind("", "Namespace"))
        namespaces = sorted({self._set.parent.namespace, *namespaces_of(parent)})
        return list(look(self._cluster, self._set.id, kinds, versions, namespaces).values())

    def _plan(self, members: Sequence[Json]) -> tuple[list[Step], list[Json]]:
        """Return what is deleted, and the CRDs that stay."""
        steps, kept = [], []
        for live in members:
            if keeps(Reference.of(live), self._policy):
                kept.append(live)
            else:
                steps.append(removal(live, "the set is removed"))
        return steps, kept

    def _objects(self, members: Sequence[Json], steps: Sequence[Step]) -> list[Step]:
        """Return the deletion of each object of the set's kinds that is no member itself."""
        ours = {MemberKey.of(step.reference) for step in steps}
        found = [
            removal(item, "its controller is removed")
            for crd in members
            if is_crd(crd)
            for item in objects_of(self._cluster, crd)
        ]
        return [step for step in found if MemberKey.of(step.reference) not in ours]

    def _served(self, others: Sequence[Step]) -> list[Problem]:
        """Return a problem where the component still serves something: nobody would look after it, nor remove its finalizers."""
        component = self._release.component
        served = [
            str(step.reference)
            for step in others
            if component is not None and GroupKind.of(step.reference) in component.serves
        ]
        if not served:
            return []
        text = (
            f"it still serves {counted(len(served), 'object')}: {few(served, _NAMED)}; remove them first, "
            "or set delete_objects: true to delete them while their controller runs"
        )
        return [Problem("", text, rule="still-serving")]

    def _lost(self, steps: Sequence[Step]) -> Iterator[Problem]:
        leaving = {step.reference for step in steps}
        for step in steps:
            if step.live is not None and is_crd(step.live):
                yield from still_used(self._cluster, step.live, leaving)

    def _rights(self, steps: Sequence[Step]) -> list[Problem]:
        needs = [Need(self._set.parent, "delete", step.reference) for step in steps]
        return missing_rights(self._cluster, needs).get(self._set.parent, [])

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


def _parent_step(parent: Json) -> Step:
    reference = Reference.of(parent)
    stage = set_stage(reference)
    if stage is not SetStage.CONFIG:
        raise ValueError(f"{reference} is no parent of a set")
    return Step(Action.DELETE, reference, stage, None, parent, "the set is removed")
