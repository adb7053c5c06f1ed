# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the controller of InferenceServices and we disagree about a service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.compile import (
    compile as compile_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.observe import (
    observe,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.pods.mutation.mutate import (
    mutated,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.pods.mutation.subject import (
    Subject,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.read_system_config import (
    read_system_config,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.storage.refused import (
    StorageRefused,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import (
    InputError,
    Problem,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.reference import Reference
from tests.parity.compare import Key, by_key, differences, reduced
from tests.parity.recorded_llm_services import Recorded
from tests.unit.kinds.refusals import api_refusals

from . import isvc_meant as meant
from .admission import Verdict, parted
from .batch import Outcome
from .judge import bare, plain, status_lines

Json = dict[str, Any]
_POD: Key = ("v1", "Pod", "", "")
_ROUNDS = 4
_KIND = "InferenceService"
_OF_KNATIVE = "serving.knative.dev/v1"


def judge(outcome: Outcome, system: Sequence[Json], settings: Settings) -> list[str]:
    """Return one line for each difference."""
    before = {Reference.of(each): each for each in (*system, *outcome.case.context)}
    loaded = load(outcome.case.document, settings)
    ours = problems_of(outcome.case.document, list(before.values()), settings)
    of_objects = {each.rule for each in ours} == {"name-length"}
    if loaded.service is not None and not ours:
        ours = api_refusals(loaded.service, settings, Recorded(before.values()))
        of_objects = bool(ours)
    if of_objects and any(each["apiVersion"] == _OF_KNATIVE for each in outcome.sent):
        # Names and pods of Knative are looked at by its webhook, which is not here: I34, I89.
        return []
    if ours or outcome.refusal is not None:
        return list(_refusals(outcome, ours))
    if not outcome.sent and meant.never_begins(outcome.case.document, settings.release):
        return []
    assert loaded.service is not None
    there = [*before.values(), *meant.canaries(loaded.service)]
    intent = compile_service(loaded.service, settings, Recorded(there))
    made = (plain(child.manifest.to_dict()) for child in intent.children)
    mine = by_key(map(meant.without_shares, made))
    theirs = by_key(map(plain, outcome.sent))
    said = any(each["kind"] == _KIND and "status" in each for each in outcome.snapshots[-1])
    if intent.nothing and (any(_failures(outcome)) or not said):
        # A stopped service that cannot be built: I111.
        return []
    lines = [*_failures(outcome), *differences(*meant.without_children(mine, theirs))]
    if not lines and _order(mine, theirs) != _order(theirs, mine):
        lines.append(f"the order of the children differs: {list(theirs)}")
    lines += _statuses(outcome, loaded.service, settings, before)
    lines += _pods(outcome, settings, before)
    return lines


def problems_of(document: Json, objects: Sequence[Json], settings: Settings) -> list[Problem]:
    """Return the errors that we find in a service, as far as it can be told in a cluster with these objects."""
    loaded = load(document, settings)
    found = [one for one in loaded.problems if one.severity == "error"]
    if loaded.service is not None:
        try:
            compile_service(loaded.service, settings, Recorded(objects))
        except InputError as error:
            found += [one for complaint in error.complaints for one in complaint.problems]
    return [one for one in found if one.severity == "error"]


def verdict(document: Json, objects: Sequence[Json], settings: Settings) -> Verdict:
    """Return what we say of a service beside these objects. What only its controller could not do, services that are given to it judge."""
    itself = load(document, settings).problems
    later = [one for one in problems_of(document, objects, settings) if one not in itself]
    found = parted(itself, lambda one: meant.is_taken(one) or meant.is_of_mesh(one, document))
    return Verdict(found.alike, [*found.beyond, *later])


def _order(one: dict[Key, Json], other: dict[Key, Json]) -> list[Key]:
    """Return who comes after whom. A route waits for its workload, so that chance orders them."""
    keys = services_first(key for key in one if key in other)
    routes = iter(sorted(key for key in keys if key[1] == "HTTPRoute"))
    return [next(routes) if key[1] == "HTTPRoute" else key for key in keys]


def services_first(keys: Iterable[Key]) -> list[Key]:
    """Return an order with Services in front: we apply them in a stage before the workloads, as controllers do from 0.20 on."""
    return sorted(keys, key=lambda key: key[:2] != ("v1", "Service"))


def _failures(outcome: Outcome) -> Iterator[str]:
    """Yield what the controller could not do."""
    for event in sorted(set(outcome.events)):
        if (
            event.startswith(("InternalError", "UpdateFailed"))
            and "object has been modified" not in event
        ):
            yield f"only they fail: {event}"


def _refusals(outcome: Outcome, ours: Sequence[Any]) -> Iterator[str]:
    told = [(one.path, one.rule, one.message) for one in ours]
    if meant.is_refused_on_purpose(ours) and outcome.refusal is None:
        return
    if outcome.refusal is not None and not ours:
        yield f"admission: only they refuse: {outcome.refusal['message']}"
    elif outcome.refusal is None and not list(_failures(outcome)) and outcome.sent:
        yield f"only we refuse: {told}; their events: {sorted(set(outcome.events))[:3]}"


def _statuses(
    outcome: Outcome, service: Any, settings: Settings, before: dict[Reference, Json]
) -> Iterator[str]:
    status: Json = {}
    for phase, snapshot in outcome.looks:
        live = {**before, **{Reference.of(each): each for each in snapshot}}
        parent = live.get(service.reference)
        if parent is None:
            return
        for dummy in range(_ROUNDS):
            live[service.reference] = {**parent, "status": status}
            reader = Recorded(live.values())
            intent = compile_service(service, settings, reader)
            last, status = status, observe(intent.basis, reader, ()).status
            if last == status:
                break
        if snapshot is not outcome.snapshots[phase]:
            continue
        theirs = outcome.status(phase)
        if bare(status) != bare(theirs):
            lines = list(status_lines(bare(status), bare(theirs)))
            by_chance = meant.is_ready_by_chance(theirs)
            if by_chance or meant.is_open_though_stopped(service, lines):
                return
            yield from (f"status {phase}: {line}" for line in lines)
            return


def _pods(outcome: Outcome, settings: Settings, before: dict[Reference, Json]) -> Iterator[str]:
    reader = Recorded(before.values())
    for pod, answer in outcome.pods:
        name = pod["metadata"]["generateName"]
        subject = Subject(
            name="",
            namespace=pod["metadata"]["namespace"],
            labels=pod["metadata"]["labels"],
            annotations=pod["metadata"]["annotations"],
            spec=pod["spec"],
            config=read_system_config(settings.kserve_namespace, reader),
            kserve_namespace=settings.kserve_namespace,
            reader=reader,
            release=settings.release,
            logger=outcome.case.document["spec"]["predictor"].get("logger"),
        )
        try:
            found = mutated(subject)
        except StorageRefused as error:
            if error.message not in answer.get("refusal", ""):
                yield f"pod {name}: we refuse: {error.message}; they: {answer.get('refusal')}"
            continue
        if "refusal" in answer:
            yield f"pod {name}: only they refuse: {answer['refusal']}"
            continue
        metadata = {**pod["metadata"], "annotations": dict(found.annotations)}
        ours = {_POD: reduced({**pod, "metadata": metadata, "spec": found.spec})}
        theirs = {_POD: reduced(meant.masked_pod(answer["pod"], found.spec))}
        yield from (f"pod {name}: {line}" for line in differences(ours, theirs))
