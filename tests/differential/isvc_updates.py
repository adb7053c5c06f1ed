# SPDX-License-Identifier: GPL-3.0-or-later
"""InferenceServices that become other ones: which, and whether their controller then leaves the objects that we want."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from module_utils.kinds.inference_service.compile import compile as compile_service
from module_utils.kinds.inference_service.normalise import load
from module_utils.kinds.inference_service.settings import Settings
from module_utils.kinds.kserve.releases import KServe
from module_utils.kube.problem import InputError
from module_utils.kube.reference import Reference
from tests.parity.compare import Key, by_key, differences
from tests.parity.recorded_llm_services import Recorded
from tests.unit.kinds.refusals import api_refusals

from . import isvc_inputs, isvc_meant
from .batch import Case, Outcome
from .isvc_judge import problems_of
from .judge import plain
from .updates import APART, wanted, with_updates

Json = dict[str, Any]
#: The controller writes it into the annotations of a Knative Service. Without Knative's webhook, as here, there are none, and it ends there.
_ROLLOUT = "serving.knative.dev/rollout-duration"
_KNATIVES = ("serving.knative.dev/creator", "serving.knative.dev/lastModifier")
#: Labels and annotations of these are written once; to those of the others, new ones are added.
_KEPT = (("v1", "Service"), ("v1", "ConfigMap"), ("networking.k8s.io/v1", "Ingress"))
_MERGED = ("VirtualService", "HTTPRoute")
#: They are made once all components are ready: I80.
_ROUTES = ("Ingress", "HTTPRoute", "VirtualService")


def cases(seed: int, release: KServe, count: int) -> list[Case]:
    """Return services that become others, of those that the API takes."""
    both = (isvc_inputs.cases(one, release, count) for one in (seed, seed + APART))
    first, others = ([one for one in made if _is_admitted(one, release)] for made in both)
    return with_updates(first, others)


def _is_admitted(case: Case, release: KServe) -> bool:
    return load(case.document, Settings(release=release)).service is not None


def judge(outcome: Outcome, system: Sequence[Json], settings: Settings) -> Iterator[str]:
    """Yield one line for each difference after an update. What a service is before it is not judged here."""
    case = outcome.case.becomes
    if case is None or outcome.refusal is not None:
        return
    around = [*system, *outcome.case.context]
    live = [each for each in outcome.snapshots[-1] if each["kind"] == "InferenceService"]
    ours = problems_of(case.document, [*around, *case.context, *live], settings)
    if outcome.kept_out:
        if not ours and not _loses_its_mode(case.document, outcome.kept_out):
            yield f"update: only they refuse: {outcome.kept_out}"
        return
    if ours:
        # What the API takes and we refuse is judged where services are new, but for what a service may not become.
        if {each.rule for each in ours} & {"mode-change", "predictor-name"}:
            yield f"update: only we refuse: {[(one.path, one.message) for one in ours]}"
        return
    if any(one.document["spec"].get("canary") for one in (outcome.case, case)):
        # What 0.20.0 shares and takes away otherwise is judged where services are new: I123.
        return
    before = _wanted(outcome.case.document, around, settings)
    there = {Reference.of(one): one for one in (*around, *case.context, *outcome.after)}
    mine = _wanted(case.document, list(there.values()), settings)
    if mine and any(
        api_refusals(load(case.document, settings).service, settings, Recorded(there.values()))
    ):
        # Their update stops half-way: I89.
        return
    asked = wanted(outcome)
    theirs = by_key(map(plain, asked.objects))
    if _ROLLOUT in (case.document["metadata"].get("annotations") or {}) and _by_knative(theirs):
        return
    if asked.stuck:
        mine = {key: one for key, one in mine.items() if key in theirs}
    yield from (f"update: {line}" for line in _differences(mine, theirs, before))


def _by_knative(objects: Mapping[Key, Json]) -> bool:
    return any(key[0].startswith("serving.knative.dev/") for key in objects)


def _loses_its_mode(document: Json, told: str) -> bool:
    """Return whether the webhook writes the default mode over that of a service, and refuses it then: I115."""
    given = "serving.kserve.io/deploymentMode" in (document["metadata"].get("annotations") or {})
    return not given and "deploymentMode cannot be changed" in told


def _wanted(document: Json, objects: Sequence[Json], settings: Settings) -> dict[Key, Json]:
    service = load(document, settings).service
    try:
        intent = service and compile_service(service, settings, Recorded(objects))
    except InputError:
        return {}
    children = intent.children if intent else ()
    return by_key(plain(child.manifest.to_dict()) for child in children)


def _differences(
    mine: Mapping[Key, Json], theirs: Mapping[Key, Json], before: Mapping[Key, Json]
) -> Iterator[str]:
    """Yield where both differ, but for what their controller leaves as it was: I7, I10, I11, I18, I81."""
    # Of a service that we could not build, nobody knows what its controller made before.
    left = {key for key in before or theirs if key in theirs and key not in mine}
    awaited = {key for key in mine if key[1] in _ROUTES and key not in theirs}
    ours = {key: _without_old(key, one, {}) for key, one in mine.items() if key not in awaited}
    others = {
        key: _without_old(key, one, mine.get(key) or {})
        for key, one in theirs.items()
        if key not in left
    }
    yield from differences(*isvc_meant.without_children(ours, others))


def _without_old(key: Key, one: Json, ours: Json) -> Json:
    """Return a child without labels and annotations that stay although their service has lost them, or that are Knative's: I81, I82.

    ours: the child as we want it.
    """
    metadata = dict(one["metadata"])
    for field in ("labels", "annotations"):
        wanted = (ours.get("metadata") or {}).get(field) or {}
        found = metadata.pop(field, None) or {}
        if key[:2] in _KEPT:
            continue
        if ours and key[1] in _MERGED:
            found = {name: value for name, value in found.items() if name in wanted}
        elif key[0].startswith("serving.knative.dev/"):
            found = {name: value for name, value in found.items() if name not in _KNATIVES}
        if found:
            metadata[field] = found
    return {**one, "metadata": metadata}
