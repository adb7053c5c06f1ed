# SPDX-License-Identifier: GPL-3.0-or-later
"""`present`: a set is installed or upgraded. Look, plan, object, take the lease, look again, write, prune."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ..cluster.connection import Cluster
from ..cluster.lease import leases
from ..engine.apply import Execution
from ..engine.applyset import examine
from ..engine.applyset.edits import clashes
from ..engine.applyset.install import Installation
from ..engine.applyset.members import ApplySet, parent
from ..engine.applyset.plan import SetPlan, coming_namespaces, kinds_of, plan_set
from ..engine.applyset.remove import Removal
from ..engine.applyset.snapshot import Live, names_of_others
from ..engine.applyset.trial import try_out
from ..engine.applyset.write import SetWriter
from ..engine.desired import Desired
from ..engine.noop_proof import doubt
from ..engine.outcome import Outcome
from ..engine.plan import Action, Change
from ..engine.policy import SetPolicy
from ..engine.preflight_checks import wait_for_dying
from ..fleet.cluster_reader import ClusterReader
from ..kube.apply_order import SetStage
from ..kube.applyset import TOOL, MemberKey, group_kinds_of, namespaces_of, tooling_of
from ..kube.crds import definitions, is_crd
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reference import Reference
from ..kube.validation.objects import object_problems
from .fitted_manifests import FittedManifests
from .input import SUBJECT, is_judged, of_object
from .release import noted_version
from .result import SetResult

Guard = Callable[[str], object]


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
        settled = plan.empty and not plan.errors and self._is_as(self._wanted(plan))
        if not settled:
            self._refuse(examine.examine(self._cluster, plan))
            refused = _refused_objects(plan)
            for reference, problems in self._refused_beside(plan).items():
                refused.setdefault(reference, []).extend(problems)
            found = [problem for problems in refused.values() for problem in problems]
            self._refuse([*found, *try_out(self._cluster, plan, self._policy, but=refused)])
            self.told.problems += self._advice(plan)
            examine.convert_late(self._cluster, plan)
        if settled or self._policy.dry_run:
            self._write(plan, live, lambda dummy: None)
            return
        wait_for_dying(self._cluster, [plan])
        self._refuse(plan.errors)
        self._make_room(plan)
        with leases(self._cluster, self._set.fleet, [self._set.parent.namespace]) as check:
            live, plan = self._plan(manifests)
            wait_for_dying(self._cluster, [plan])
            self._refuse(plan.errors)
            examine.convert_late(self._cluster, plan)
            self._write(plan, live, check)

    def _plan(self, manifests: Sequence[Json]) -> tuple[Live, SetPlan]:
        """Look at what is there, and compare."""
        self._parent = self._cluster.get(self._set.parent)
        self._check_parent()
        fitted = self._fitting.look(self._set, self._parent, manifests)
        live = fitted.live
        sets = names_of_others(self._cluster, live)
        plan = plan_set(self._set, fitted.members, live, self._policy, sets)
        plan.problems += clashes(self._fitting.kept)
        plan.problems += self._fitting.release.older_beneath(
            self._cluster, self._parent, self._set.parent.namespace
        )
        there = {**live.others, **live.members}
        plan.problems += self._fitting.release.changed_default(
            self._cluster, there, fitted.manifests
        )
        self.told.edits = self._fitting.told
        return live, plan

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

    def _is_as(self, wanted: Desired) -> bool:
        return self._parent is not None and doubt(wanted, self._parent, "") is None

    def _wanted(self, plan: SetPlan, *, superset: bool = False) -> Desired:
        """Return the parent. superset: with what the set still holds beside what it is going to."""
        kinds = kinds_of(plan)
        namespaces = {each.reference.namespace for each in plan.members}
        namespaces |= {key.namespace for key in plan.kept}
        if superset or not self._policy.prune:
            kinds |= group_kinds_of(self._parent)
            namespaces |= namespaces_of(self._parent)
        # What was installed is reported until all of the new release is.
        version = noted_version(self._parent)
        if not superset:
            version = self._fitting.release.version or version
        component = self._fitting.release.name
        return parent(self._set, kinds, namespaces, self._parent, version, component)

    def _refuse(self, problems: Sequence[Problem]) -> None:
        errors = tuple(problem for problem in problems if problem.severity == "error")
        if errors:
            raise InputError([Complaint(f"set {self._set.parent.name}", errors)])

    def _refused_beside(self, plan: SetPlan) -> dict[Reference, list[Problem]]:
        """Return by object what KServe's webhooks would refuse of what a plan writes beside services; the rest is warned about."""
        changed = {
            each.reference for each in plan.changes if each.desired and is_judged(each.reference)
        }
        if not changed:
            return {}
        # What judges them is loaded for them alone.
        from .judged_objects import judged_in_cluster

        manifests = [each.manifest() for each in plan.members]
        refused: dict[Reference, list[Problem]] = {}
        for reference, problems in judged_in_cluster(self._cluster, manifests, changed).items():
            for told in [of_object(reference, problem) for problem in problems]:
                if told.severity == "error":
                    refused.setdefault(reference, []).append(told)
                else:
                    self.told.problems.append(told)
        return refused

    def _advice(self, plan: SetPlan) -> list[Problem]:
        """Return what does not work of what a plan writes, though an API server takes it."""
        written = {each.reference for each in plan.changes if each.desired}
        if not written:
            return []
        # What gives advice is loaded for what is written alone.
        from .advice import advice, component_problems, service_problems

        manifests = [each.manifest() for each in plan.members]
        new = [each for each in manifests if Reference.of(each) in written]
        return [
            *component_problems(manifests, self._fitting.release.component),
            *advice(manifests, ClusterReader(self._cluster), written),
            *service_problems(new, self._cluster),
        ]

    def _make_room(self, plan: SetPlan) -> None:
        """Create the namespace of the parent where the set itself brings it: the parent is written first."""
        for change in plan.changes:
            place = change.stage is SetStage.NAMESPACE and change.reference.name
            if place == self._set.parent.namespace and change.action is Action.CREATE:
                writer = self._writer(plan, lambda dummy: None)
                self.told.outcomes.append(writer.apply(change, plan))

    def _write(self, plan: SetPlan, live: Live, check: Guard) -> None:
        """Carry out a plan. What is as wanted already is waited for all the same."""
        writer = self._writer(plan, check)
        execution = Execution(self._cluster, writer)
        self.told.unchanged = len(plan.unchanged)
        try:
            self._carry_out(plan, live, writer, execution)
        finally:
            self.told.outcomes += execution.outcomes
            self.told.problems += [p for p in plan.problems if p.severity == "warning"]

    def _carry_out(
        self, plan: SetPlan, live: Live, writer: SetWriter, execution: Execution
    ) -> None:
        """Write the parent with all that the set holds or will hold, the members, then the parent with what is left."""
        write = partial(writer.apply, plan=plan)
        self._write_parent(self._wanted(plan, superset=True), write, execution)
        known = {
            each.reference: there
            for each in plan.members
            if (there := live.get(MemberKey.of(each.reference)))
        }
        installation = Installation(
            self._cluster, plan, self._policy, writer, execution, known, self._progress
        )
        if trouble := installation.run():
            self.told.troubles.append(trouble)
            return
        removal = Removal(self._cluster, self._set, self._policy, writer, execution)
        removal.run(plan.removals, _converted(plan, live))
        for reference, others in removal.namespaces(plan.removals).items():
            plan.kept[MemberKey.of(reference)] = others
            text = f"{reference} is no longer in the set and is kept: it holds {others}"
            plan.problems.append(Problem("", text, "warning", rule="kept"))
        if not removal.failed:
            self._write_parent(self._wanted(plan), write, execution)

    def _write_parent(
        self, wanted: Desired, write: Callable[[Change], Outcome], execution: Execution
    ) -> None:
        """Write the parent where it is not as wanted; nothing is begun after it where that fails."""
        if self._is_as(wanted):
            return
        action = Action.UPDATE if self._parent else Action.CREATE
        parent_change = Change(
            action,
            wanted.reference,
            wanted.service,
            wanted.stage,
            wanted,
            self._parent,
            "what the set holds",
        )
        execution.run([[[(parent_change, write)]]])
        self._parent = execution.outcomes[-1].live or self._parent

    def _writer(self, plan: SetPlan, check: Guard) -> SetWriter:
        new_kinds = definitions(
            change.desired.manifest()
            for change in plan.changes
            if change.desired and change.stage in (SetStage.CRD, SetStage.CONVERSION)
        )
        coming = coming_namespaces(plan.changes)
        return SetWriter(self._cluster, self._set, self._policy, check, coming, new_kinds)


def _refused_objects(plan: SetPlan) -> dict[Reference, list[Problem]]:
    """Return by object what the API server would refuse of what a plan writes: these need not be tried."""
    found: dict[Reference, list[Problem]] = {}
    for change in plan.changes:
        for problem in object_problems(change.desired.manifest()) if change.desired else ():
            found.setdefault(change.reference, []).append(of_object(change.reference, problem))
    return found


def _converted(plan: SetPlan, live: Live) -> list[Json]:
    """Return the CRDs that stay although the set no longer holds them: their converters may be going."""
    return [there for key in plan.kept if (there := live.members.get(key)) and is_crd(there)]
