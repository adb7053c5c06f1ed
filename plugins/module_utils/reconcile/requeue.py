# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run has to do once more: some children depend on what its own writes brought about.

A certificate names the addresses that the server gives to Services, so everything from the certificate on waits for them. What a
live object decides (a route that a gateway has refused) may be decided anew. Pods that name the generation of their custom resource
wait for its update: else they would be made anew twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from ..engine.outcome import Outcome
from ..engine.plan import Action, Change
from ..engine.service_plan import ServicePlan
from ..fleet.cluster_reader import ClusterReader
from ..kube.intent import Stage
from ..kube.reference import Reference
from .certificates import KeyMaker
from .compiled_service import CompiledService, compiled_service
from .controller_mode import CONTROLLER
from .planner import Planned
from .run_state import RunState, known_objects

#: How often a run compiles at most; a settled fleet needs one time.
ROUNDS = 4
#: Changes that wait for the next round, by service.
PutOff = dict[Reference, list[Change]]


def put_off(
    planned: Planned, unfinished: Collection[Reference], targets: Collection[CompiledService]
) -> PutOff:
    """Take out of a plan what has to wait, deletions as well.

    Of unfinished services the certificate and all that comes after it; of those whose children name a generation that this very plan
    raises, all children.
    """
    late: PutOff = {}
    of_generation = {target.reference for target in targets if target.of_generation}
    for plan in planned.plans:
        if plan.controller:
            continue
        if plan.service in of_generation and _raises_generation(plan):
            first = Stage.ACCESS
        elif plan.service in unfinished:
            first = Stage.CERTIFICATE
        else:
            continue
        late[plan.service] = [c for c in plan.changes if c.stage >= first]
        plan.changes[:] = [c for c in plan.changes if c.stage < first]
    planned.removed[:] = [change for change in planned.removed if change.service not in late]
    return late


def _raises_generation(plan: ServicePlan) -> bool:
    """Tell whether a plan may raise the generation of a custom resource: it writes one that is there."""
    return any(
        change.stage is Stage.PARENT and change.action in (Action.UPDATE, Action.ADOPT)
        for change in plan.changes
    )


def skipped(late: PutOff, outcomes: Collection[Outcome]) -> Iterator[Outcome]:
    """Yield what becomes of changes that waited for an object that could not be made so."""
    culprits = {outcome.service: outcome for outcome in outcomes if outcome.action == "failed"}
    for service, changes in late.items():
        if service in culprits:
            reason = f"{culprits[service].reference} failed"
            yield from (Outcome(each.reference, service, "skipped", reason) for each in changes)


def reader_after(reader: ClusterReader, done: RunState) -> ClusterReader:
    """Return what services see after the writes of a run so far."""
    kinds = {
        pair
        for target in done.targets
        for pair in (target.service.kind.key, *target.service.kind.compared_kinds)
    }
    live = known_objects(done.snapshot.objects, done.outcomes)
    return reader.after(
        {ref: found for ref, found in live.items() if (ref.api_version, ref.kind) in kinds}, kinds
    )


def recompiled(
    done: RunState, keys: KeyMaker, late: PutOff, since: int, fleet: str
) -> list[CompiledService]:
    """Return the services that want something else than before. since: the first outcome of the last round.

    Of a service that had a failure nothing is tried again. Raises InputError.
    """
    failed = {each.service for each in done.outcomes if each.action == "failed"}
    written = {each.service for each in done.outcomes[since:]} | late.keys()
    found = []
    for target in done.targets:
        service = target.service
        if target.reconciler == CONTROLLER or not service.kind.compared_kinds:
            continue
        if target.reference in failed or target.reference not in written:
            continue
        made = compiled_service(service, keys.compile(service), fleet, target.reconciler)
        if target.reference in late or made.children != target.children:
            found.append(made)
    return found


def merged(outcomes: Collection[Outcome]) -> list[Outcome]:
    """Return one outcome for each object, where several rounds wrote one: what it was before, and how it is now."""
    found: dict[Reference, Outcome] = {}
    for outcome in outcomes:
        first = found.get(outcome.reference)
        found[outcome.reference] = _both(first, outcome) if first else outcome
    return list(found.values())


def _both(first: Outcome, later: Outcome) -> Outcome:
    if later.action in ("failed", "deleted") or first.action == "unchanged":
        return later
    difference = later.difference
    if first.difference and later.difference:
        difference = replace(later.difference, before=first.difference.before)
    return replace(
        first,
        difference=difference or first.difference,
        live=later.live or first.live,
        warning=first.warning or later.warning,
    )
