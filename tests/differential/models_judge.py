# SPDX-License-Identifier: GPL-3.0-or-later
"""Where KServe's controller of TrainedModels and we disagree: which models a server is told, and what each says of itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.admission.trained_model import (
    trained_model_problems,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.children.model_config import (
    model_config,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.errors import (
    Unbuildable,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.judged_objects import (
    judged_objects,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.resolved_service import (
    resolved_service,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.trained_model_status import (
    answered,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.known_fields import (
    unknown_fields,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import InputError
from tests.parity.recorded_llm_services import Recorded

from .admission import Verdict, parted
from .batch import Outcome
from .isvc_judge import problems_of
from .judge import bare
from .models_plane import models_in

Json = dict[str, Any]
#: By which we refuse a service that the controller lets in and cannot bring up: I36.
_ON_PURPOSE = {"rollout"}


def judge(outcome: Outcome, system: Sequence[Json], settings: Any) -> list[str]:
    """Return one line for each difference."""
    if outcome.refusal is not None:
        refused = problems_of(outcome.case.document, list(system), settings)
        return [] if refused else [f"only they refuse: {outcome.refusal['message']}"]
    lines = list(_admission(outcome))
    for number, found in enumerate(outcome.given):
        lines += [f"look {number}: {line}" for line in _look(outcome, found, system, settings)]
    return lines


def verdict(document: Json, objects: Sequence[Json], settings: Any) -> Verdict:
    """Return what we say of a TrainedModel or a runtime beside these objects."""
    reader = Recorded([*objects, document])
    found = judged_objects([document], reader, {}, settings)
    # Which devices are GPUs is known here: those of KServe's own configuration.
    problems = [
        *unknown_fields(document),
        *(
            replace(one, severity="error") if one.rule == "gpu-type" else one
            for problems in found.values()
            for one in problems
        ),
    ]
    return parted(problems, lambda dummy: False)


def _admission(outcome: Outcome) -> Iterator[str]:
    case = outcome.case
    # Before the models change, one may have been taken away.
    there = models_in(outcome.given[-2]) if case.later is not None else {}
    for models, answers, before in (
        (case.models, outcome.answers, {}),
        (case.later or (), outcome.changes, there),
    ):
        for model in models:
            name = model["metadata"]["name"]
            ours = [str(each) for each in trained_model_problems(model, before.get(name))]
            theirs = answers.get(name, "")
            if bool(ours) != bool(theirs):
                yield f"{name}: we say {ours}, they {theirs!r}"


def _look(
    outcome: Outcome, found: Sequence[Json], system: Sequence[Json], settings: Any
) -> Iterator[str]:
    (live,) = [each for each in found if each["kind"] == "InferenceService"]
    status = live.get("status") or {}
    reader = Recorded([*system, *outcome.case.context, *found])
    service = load(outcome.case.document, settings).service
    assert service is not None
    try:
        resolved = resolved_service(service, settings, reader)
    except (InputError, Unbuildable) as error:
        if _rules(error) == _ON_PURPOSE:
            return
        if any(each["kind"] == "ConfigMap" and "models.json" in each["data"] for each in found):
            yield f"only we refuse: {error}"
        return
    ready = any(
        each["type"] == "Ready" and each["status"] == "True"
        for each in status.get("conditions") or ()
    )
    ours = {
        each.live["metadata"]["name"]: each.status
        for each in answered(resolved, status, ready=ready)
    }
    models = models_in(found)
    children = model_config(resolved, reader)
    for name, model in models.items():
        theirs = bare(model.get("status") or {})
        if not children:
            # Models of a service with a model of its own: I121.
            if _said(theirs, "IsMMSPredictor") != "False":
                yield f"{name}: we load no models, they do: {theirs}"
        elif bare(ours.get(name) or {}) != theirs:
            yield f"{name}: we {json.dumps(bare(ours.get(name) or {}))}, they {json.dumps(theirs)}"
    for child in children:
        config = reader.get(child.manifest.reference)
        # The controller lists models once their service is ready: I116.
        if ready and config is not None:
            yield from _lists(child.manifest.body["data"]["models.json"], config)


def _rules(error: InputError | Unbuildable) -> set[str]:
    complaints = error.complaints if isinstance(error, InputError) else ()
    return {problem.rule for one in complaints for problem in one.problems}


def _lists(ours: str, config: Json) -> Iterator[str]:
    theirs = config["data"]["models.json"]
    if ours != theirs:
        yield f"we list {ours}, they {theirs}"


def _said(status: Json, kind: str) -> str:
    found = [each["status"] for each in status.get("conditions") or () if each["type"] == kind]
    return str(found[0]) if found else ""
