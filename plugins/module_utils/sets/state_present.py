# SPDX-License-Identifier: GPL-3.0-or-later
"""`present`: a set is installed or upgraded. Look, plan, object, take the lease, look again, write, prune."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..cluster.connection import Cluster
from ..cluster.errors import ClusterError
from ..cluster.lease import leases
from ..engine.applyset import examine
from ..engine.applyset.edits import clashes
from ..engine.applyset.install import Installation
from ..engine.applyset.members import ApplySet, member, parent, scaled_workloads
from ..engine.applyset.ownership import names_of_sets
from ..engine.applyset.plan import SetPlan, kinds_of, plan_set
from ..engine.applyset.policy import SetPolicy
from ..engine.applyset.remove import Removal
from ..engine.applyset.snapshot import Live, look, named
from ..engine.applyset.trial import namespaces_to_come, try_out
from ..engine.applyset.write import SetWriter
from ..engine.desired import Desired
from ..engine.noop_proof import doubt
from ..engine.plan import Action
from ..kube.apply_order import SetStage, set_stage
from ..kube.applyset import (
    TOOL,
    GroupKind,
    MemberKey,
    group_kinds_of,
    namespaces_of,
    part_of,
    tooling_of,
)
from ..kube.crds import definitions, is_crd
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reference import Reference
from .fitted_manifests import FittedManifests
from .input import SUBJECT
from .release import noted_version
from .result import SetResult

#: The lease of a set stands beside its parent.
LEASE = "applyset."


class Presenter:
    """One run over a set. told: what it did so far, also where `run` raises."""

    def __init__(
        self,
        cluster: Cluster,
        applyset: ApplySet,
        policy: SetPolicy,
        fitting: FittedManifests,
        progress: Callable[[str], None],
    ) -> None:
        self._cluster = cluster
        self._set = applyset
        self._policy = policy
        self._fitting = fitting
        self._progress = progress
        self._parent: Json | None = None
        self.told = SetResult()

    def run(self, manifests: Sequence[Json]) -> None:
        """Make the cluster match the manifests. Raises InputError before the first write, and ClusterError."""
        live, plan = self._plan(manifests)
        self._refuse(self._fitting.release.problems(self._cluster, self._parent, manifests))
        if plan.empty and not plan.errors and self._is_settled(plan):
            self._tell(plan)
            self._install(plan, live)
            return
        self._examine(plan)
        if self._policy.dry_run:
            self._tell(plan)
            self._write(plan, live)
            return
        self._refuse(examine.wait_for_dying(self._cluster, plan))
        self._make_room(plan)
        with leases(self._cluster, LEASE + self._set.parent.name, [self._set.parent.namespace]):
            live, plan = self._plan(manifests)
            self._refuse([*plan.errors, *examine.wait_for_dying(self._cluster, plan)])
            examine.convert_late(self._cluster, plan)
            self._tell(plan)
            self._write(plan, live)

    def _plan(self, manifests: Sequence[Json]) -> tuple[Live, SetPlan]:
        """Look at what is there, and compare."""
        self._parent = self._cluster.get(self._set.parent)
        self._check_parent()
        self._fitting.notice(self._parent)
        live = self._look([Reference.of(manifest) for manifest in manifests])
        manifests = self._fitting.fit(manifests, live)
        scaled = scaled_workloads(manifests)
        members = [
            member(self._set, manifest, scaled=scaled, shared=_is_shared(manifest, live))
            for manifest in manifests
        ]
        ids = frozenset(part_of(there) for there in live.others.values()) - {""}
        sets = names_of_sets(self._cluster, ids) if ids else {}
        plan = plan_set(members, live, self._policy, sets)
        plan.problems += clashes(self._fitting.kept)
        there = {**live.others, **live.members}
        plan.problems += self._fitting.release.changed_default(self._cluster, there, manifests)
        self.told.edits = self._fitting.told
        return live, plan

    def _look(self, wanted: Sequence[Reference]) -> Live:
        versions = {GroupKind.of(reference): reference.api_version for reference in wanted}
        kinds = set(versions) | group_kinds_of(self._parent)
        namespaces = {reference.namespace for reference in wanted} | namespaces_of(self._parent)
        namespaces.add(self._set.parent.namespace)
        found = look(self._cluster, self._set.id, kinds, versions, sorted(namespaces - {""}))
        unseen = [reference for reference in wanted if MemberKey.of(reference) not in found]
        return Live(found, named(self._cluster, unseen))

    def _check_parent(self) -> None:
        """Refuse an object of the parent's name that is something else, or another tool's set. Raises InputError."""
        if self._parent is None:
            return
        tool = tooling_of(self._parent).partition("/")[0]
        if tool == TOOL or (not tool and self._policy.adopt):
            return
        what = f"it is a set of {tool}" if tool else "it is no parent of a set"
        hint = "give this set another name" + ("" if tool else ", or set adopt: true to use it")
        text = f"{self._set.parent} exists already and {what}; {hint}"
        raise InputError.single(SUBJECT, "name", text)

    def _is_settled(self, plan: SetPlan) -> bool:
        return self._parent is not None and doubt(self._wanted(plan), self._parent, "") is None

    def _wanted(self, plan: SetPlan, *, superset: bool = False) -> Desired:
        """Return the parent. superset: with what the set still holds beside what it is going to."""
        kinds = kinds_of(plan.members, plan.kept)
        namespaces = {each.reference.namespace for each in plan.members}
        namespaces |= {key.namespace for key in plan.kept}
        if superset or not self._policy.prune:
            kinds |= group_kinds_of(self._parent)
            namespaces |= namespaces_of(self._parent)
        # What was installed is told until all of the new release is.
        version = noted_version(self._parent)
        if not superset:
            version = self._fitting.release.version or version
        component = self._fitting.release.name
        return parent(self._set, kinds, namespaces, self._parent, version, component)

    def _examine(self, plan: SetPlan) -> None:
        self._refuse(examine.examine(self._cluster, self._set, plan))
        coming = namespaces_to_come(plan.steps)
        self._refuse(try_out(self._cluster, self._set, plan, self._policy, coming))
        examine.convert_late(self._cluster, plan)

    def _refuse(self, problems: Sequence[Problem]) -> None:
        errors = tuple(problem for problem in problems if problem.severity == "error")
        if errors:
            raise InputError([Complaint(f"set {self._set.parent.name}", errors)])

    def _tell(self, plan: SetPlan) -> None:
        self.told.unchanged = len(plan.unchanged)
        self.told.problems = [p for p in plan.problems if p.severity == "warning"]

    def _make_room(self, plan: SetPlan) -> None:
        """Create the namespace of the parent where the set itself brings it: the parent is written first."""
        for step in plan.steps:
            place = step.reference.kind == "Namespace" and step.reference.name
            if place == self._set.parent.namespace and step.action is Action.CREATE:
                writer = SetWriter(self._cluster, self._set, self._policy)
                self.told.outcomes.append(writer.apply(step))

    def _write(self, plan: SetPlan, live: Live) -> None:
        """Write the parent with all that the set holds or will hold, the members, then the parent with what is left."""
        writer = self._writer(plan)
        first = self._wanted(plan, superset=True)
        if not self._write_parent(writer, first):
            return
        installation = self._install(plan, live, writer)
        if installation.trouble:
            return
        removal = Removal(self._cluster, self._set, self._policy, writer)
        removal.run(plan.removals, _converted(plan, live))
        kept = removal.namespaces(plan.removals)
        self.told.outcomes += removal.outcomes
        for reference, others in kept.items():
            plan.kept[MemberKey.of(reference)] = others
            text = f"{reference} is no longer in the set and is kept: it holds {others}"
            self.told.problems.append(Problem("", text, "warning", rule="kept"))
        if removal.failed is None:
            self._write_parent(writer, self._wanted(plan))

    def _install(self, plan: SetPlan, live: Live, writer: SetWriter | None = None) -> Installation:
        known = {each.reference: there for each in plan.members if (there := live.get(each.key))}
        installation = Installation(
            self._cluster,
            self._set,
            self._policy,
            writer or self._writer(plan),
            known,
            self._progress,
        )
        try:
            installation.run(plan)
        finally:
            self.told.outcomes += installation.outcomes
        if installation.trouble:
            self.told.troubles.append(installation.trouble)
        return installation

    def _write_parent(self, writer: SetWriter, wanted: Desired) -> bool:
        """Write the parent where it is not as wanted; tell whether it stands now."""
        if self._parent is not None and doubt(wanted, self._parent, "") is None:
            return True
        try:
            outcome = writer.apply_parent(wanted, self._parent)
        except ClusterError as error:
            self.told.troubles.append(str(error))
            return False
        self.told.outcomes.append(outcome)
        self._parent = outcome.live
        return True

    def _writer(self, plan: SetPlan) -> SetWriter:
        new_kinds = definitions(
            step.member.desired.manifest("")
            for step in plan.steps
            if step.member and step.stage in (SetStage.CRD, SetStage.CONVERSION)
        )
        return SetWriter(
            self._cluster,
            self._set,
            self._policy,
            namespaces_to_come(plan.steps),
            lambda wanted: GroupKind.of(wanted.reference) in new_kinds,
        )


def _is_shared(manifest: Json, live: Live) -> bool:
    """Tell whether a namespace was there before the set, so that it is not removed with it."""
    reference = Reference.of(manifest)
    there = live.others.get(MemberKey.of(reference))
    return set_stage(reference) is SetStage.NAMESPACE and there is not None and not part_of(there)


def _converted(plan: SetPlan, live: Live) -> list[Json]:
    """Return the CRDs that stay although the set no longer holds them: their converters may be going."""
    return [there for key in plan.kept if (there := live.members.get(key)) and is_crd(there)]
