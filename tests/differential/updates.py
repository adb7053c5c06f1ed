# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that become other ones: which, and whether the controller then leaves the objects that we want."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from module_utils.kinds.kserve.releases import KServe
from module_utils.kinds.llm_inference_service.compile import compile as compile_service
from module_utils.kinds.llm_inference_service.normalise import load
from module_utils.kinds.llm_inference_service.settings import Settings
from module_utils.kube.manifest import value_at
from module_utils.kube.problem import InputError
from module_utils.kube.reference import Reference
from tests.parity.compare import by_key, differences
from tests.parity.recorded_llm_services import Recorded
from tests.unit.kinds.refusals import api_refusals

from . import meant
from .batch import Case, Outcome
from .judge import plain, surroundings_of
from .llm_inputs import Generator
from .recordings import moved

Json = dict[str, Any]


_REFUSED = (400, 403, 422)
#: How far apart the seeds are of services and of what they become.
APART = 500_000


def cases(seed: int, release: KServe, count: int) -> list[Case]:
    """Return services that become others, of those that the API takes."""
    both = (Generator(one, release).cases(count) for one in (seed, seed + APART))
    first, others = ([one for one in made if _is_admitted(one, release)] for made in both)
    return with_updates(first, others)


def _is_admitted(case: Case, release: KServe) -> bool:
    return load(case.document, Settings(release=release)).service is not None


def with_updates(cases: Sequence[Case], others: Iterable[Case]) -> list[Case]:
    """Return the cases that have the name of another one, which they become."""
    left = list(others)
    found = []
    for case in cases:
        name = case.document["metadata"]["name"]
        other = next((one for one in left if one.document["metadata"]["name"] == name), None)
        if other is not None:
            left.remove(other)
            document, *context = moved(
                [other.document, *other.context], other.namespace, case.namespace
            )
            case.becomes = Case(case.namespace, document, context)
            found.append(case)
    return found


@dataclass
class Wanted:
    """What a controller last wanted the objects to be that it made. stuck: whether something stopped it after the update."""

    objects: list[Json]
    stuck: bool


def wanted(outcome: Outcome) -> Wanted:
    """Return what a controller wanted after an update, by what it asked for.

    A write that only asks is what it wants, also where the server refuses it; the one that follows has the server's defaults, too.
    Where a refusal stops the controller, or a Gateway that is missing (L61), it has no wish about the rest, and what it asks for as
    before may still be of the pass in which the update came.
    """
    found: dict[str, tuple[bool, Json]] = {}
    asked: set[str] = set()
    stuck = meant.stops_half_way(outcome.status_in(outcome.after))
    for later, requests in enumerate(outcome.requests):
        for entry in requests:
            path, code, body = entry["path"], entry["code"], entry.get("body") or {}
            asks, refused = "dryRun" in entry.get("query", ""), code in _REFUSED
            stuck |= bool(later and refused)
            if entry["method"] == "POST" and code < 300 and not asks:
                found[f"{path}/{body['metadata'].get('name')}"] = (bool(later), body)
            elif entry["method"] == "PUT" and path in found and asks and (code < 300 or refused):
                asked.add(path)
                found[path] = _wish(found[path], body, later)
            elif entry["method"] == "PUT" and path in found and path not in asked and code < 300:
                found[path] = _wish(found[path], body, later)
            elif entry["method"] == "DELETE" and code < 300:
                found.pop(path, None)
    return Wanted(
        [
            body
            for later, body in found.values()
            if "involvedObject" not in body and (later or not stuck)
        ],
        stuck,
    )


def _wish(before: tuple[bool, Json], body: Json, later: int) -> tuple[bool, Json]:
    """Return what is wanted, and whether that is new since the update."""
    old, new = ({**one, "metadata": _authored(one)} for one in (before[1], body))
    return before[0] or bool(later and old != new), body


def _authored(body: Json) -> Json:
    return {key: value for key, value in body["metadata"].items() if key != "resourceVersion"}


def judge(outcome: Outcome, system: Sequence[Json], settings: Settings) -> Iterator[str]:
    """Yield one line for each difference after an update. What a service is before it is not judged here."""
    case = outcome.case.becomes
    if case is None or outcome.refusal is not None:
        return
    loaded = load(case.document, settings)
    faults = [one for one in loaded.problems if one.severity == "error"]
    if outcome.kept_out:
        if not faults and "immutable" not in outcome.kept_out:
            yield f"update: only they refuse: {outcome.kept_out}"
        return
    if loaded.service is None:
        if not meant.is_refused_on_purpose(faults, case.document, settings.release):
            yield f"update: only we refuse: {[(one.path, one.message) for one in faults]}"
        return
    around = surroundings_of(outcome, system)
    around |= {Reference.of(one): one for one in (*case.context, *outcome.after)}
    try:
        intent = compile_service(loaded.service, settings, Recorded(around.values()))
    except InputError:
        # What is refused before a write is judged where services are new.
        return
    asked = wanted(outcome)
    if asked.stuck and api_refusals(loaded.service, settings, Recorded(around.values())):
        # The API takes neither's objects: L11.
        return
    theirs = by_key(map(plain, asked.objects))
    ours = by_key(plain(child.manifest.to_dict()) for child in intent.children)
    if meant.fails_though_stopped(case.document, outcome.status_in(outcome.after)):
        theirs = {key: one for key, one in theirs.items() if key in ours}
    if asked.stuck:
        ours = {key: one for key, one in ours.items() if key in theirs}
    theirs = {key: one for key, one in theirs.items() if key in ours or not meant.is_left(one)}
    both = [{key: meant.without_fetching(each[key]) for key in each} for each in (ours, theirs)]
    if value_at(case.document["spec"], ("router", "scheduler", "config")) is None:
        both = [{key: meant.without_configuration(each[key]) for key in each} for each in both]
    yield from (f"update: {line}" for line in differences(*both))
