# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine run for objects of any kind, where no service makes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from module_utils.cluster.connection import Cluster, connect
from module_utils.engine.apply import Execution, Outcome
from module_utils.engine.desired import Desired, desired
from module_utils.engine.owner_object import record
from module_utils.engine.policy import Policy
from module_utils.engine.service_plan import plan_service
from module_utils.engine.snapshot import take_snapshot
from module_utils.engine.write import Writer
from module_utils.kube.intent import Child, Stage
from module_utils.kube.manifest import Json, Manifest
from module_utils.kube.problem import Problem

from .services import small


@dataclass(slots=True)
class Ran:
    """What a run did. outcomes: of the objects that were sent; none where nothing was. writes: requests that wrote."""

    outcomes: list[Outcome]
    problems: list[Problem]
    writes: int

    @property
    def changed(self) -> bool:
        """Whether a field that we send is another than before."""
        return any(outcome.changed for outcome in self.outcomes)

    @property
    def actions(self) -> dict[str, str]:
        """What was done, by name."""
        return {outcome.reference.name: outcome.action for outcome in self.outcomes}

    @property
    def reasons(self) -> str:
        """Why each object was sent, and what it failed of."""
        return "\n".join(outcome.reason for outcome in self.outcomes)

    @property
    def warnings(self) -> str:
        """What the run warns about."""
        return "\n".join(problem.message for problem in self.problems)


@dataclass(slots=True)
class Engine:
    """Runs for one service of a namespace, whose children are given."""

    cluster: Cluster
    namespace: str
    policy: Policy = field(default_factory=Policy)

    def child(self, api_version: str, kind: str, body: Json, *, name: str = "x") -> Desired:
        """Return an object of the service."""
        manifest = Manifest(
            api_version, kind, name, self.namespace, labels={"app": name}, body=body
        )
        child = Child(Stage.WORKLOAD, manifest)
        made = desired(child, self._parent.service, self.policy.fleet)
        return made.owned_by(self._parent.reference)

    def run(self, *children: Desired) -> Ran:
        """Look, plan, and write what is planned."""
        before = self.cluster.stats.writes
        kinds = [(each.reference.api_version, each.reference.kind) for each in children]
        kinds.append(("v1", "ConfigMap"))
        snapshot = take_snapshot(self.cluster, kinds, self.policy.fleet, (self.namespace,))
        plan = plan_service(self._parent, children, snapshot, self.policy)
        outcomes: list[Outcome] = []
        if plan.changes:
            writer = Writer(self.cluster, self.policy, frozenset(), lambda dummy: None)
            execution = Execution(self.cluster, writer)
            execution.apply([plan])
            outcomes = execution.outcomes
        return Ran(outcomes, plan.problems, self.cluster.stats.writes - before)

    @property
    def _parent(self) -> Desired:
        return record(small("any", self.namespace), self.policy.fleet)


@contextmanager
def engine(kubeconfig: Path, namespace: str) -> Iterator[Engine]:
    """Return the engine for a namespace."""
    with connect({"kubeconfig": str(kubeconfig), "environment": {}}) as cluster:
        yield Engine(cluster, namespace)
