# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that the API server is asked to admit: services at random with a few fields spoilt, sent as dry runs.

Its schema, its rules across fields and KServe's webhooks are asked at once, so what is compared is the verdict, and the fields.
"""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.normalise import (
    load,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.settings import (
    Settings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import Problem
from tests.lab.client import ApiError

from .llm_inputs import Generator
from .plane import Plane

Json = dict[str, Any]
_VALUES: tuple[Any, ...] = (
    None,
    "",
    "x",
    "A_b!",
    -1,
    0,
    1,
    70000,
    10**12,
    1.5,
    True,
    [],
    {},
    ["x"],
    {"x": 1},
    "y" * 300,
    "1Gi",
    "{{ .Name }}",
)
#: Rules by which we refuse what the API takes: docs/differences.md, L42, L36.
_ON_PURPOSE = frozenset({"name"})


def requests(seed: int, count: int, release: KServe) -> list[Json]:
    """Return custom resources with a field or a few that are spoilt."""
    chance = random.Random(f"admission {seed}")
    cases = Generator(seed, release, wild=0.5).cases(count)
    return [spoilt(case.document, chance) for case in cases]


def spoilt(document: Json, chance: random.Random) -> Json:
    """Return a custom resource with some of its fields spoilt, or none."""
    found = copy.deepcopy(document)
    found["metadata"]["namespace"] = "default"
    for dummy in range(chance.choice((0, 1, 1, 1, 2))):
        _spoil(found["spec"], chance)
    return found


def _spoil(spec: Json, chance: random.Random) -> None:
    places = list(_places(spec))
    if not places:
        return
    parent, key = chance.choice(places)
    form = chance.random()
    if form < 0.2:
        del parent[key]
    elif form < 0.3 and isinstance(parent, dict):
        parent[f"{key}x"] = parent[key]
    elif form < 0.4 and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[key]))
    else:
        parent[key] = copy.deepcopy(chance.choice(_VALUES))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def is_on_purpose(problem: Problem) -> bool:
    """Tell whether a problem is one of those that the API takes of every kind and release."""
    return problem.rule in _ON_PURPOSE


def compare(
    plane: Plane,
    documents: list[Json],
    judged: Callable[[Json], list[Problem]],
    on_purpose: Callable[[Problem, Json], bool],
) -> list[tuple[Json, str]]:
    """Return the requests about which the API server and we disagree, each with what is different.

    judged: what we say of a request. on_purpose: whether we refuse a request by it that the API takes.
    """
    with ThreadPoolExecutor(4) as pool:
        refusals = list(pool.map(lambda one: _ask(plane, one), documents))
    found = []
    for document, refusal in zip(documents, refusals, strict=True):
        line = _difference(judged(document), refusal, lambda one, of=document: on_purpose(one, of))
        if line:
            found.append((document, line))
    return found


def _ask(plane: Plane, document: Json) -> str:
    path = plane.client.path(document["apiVersion"], document["kind"], "default")
    query = {"dryRun": "All", "fieldValidation": "Strict"}
    try:
        plane.client.request("POST", path, body=document, query=query)
    except ApiError as error:
        return error.message or str(error.code)
    return ""


def problems_of(document: Json, release: KServe) -> list[Problem]:
    """Return what we say of an LLMInferenceService."""
    return list(load(document, Settings(release=release)).problems)


def _difference(said: list[Problem], refusal: str, on_purpose: Callable[[Problem], bool]) -> str:
    problems = [each for each in said if each.severity == "error"]
    ours = [each for each in problems if not on_purpose(each)]
    told = "; ".join(f"{each.path}: {each.message}" for each in ours)
    if refusal and not problems:
        return f"only they refuse: {refusal}"
    if ours and not refusal:
        return f"only we refuse: {told}"
    known = {_bare(each.path) for each in problems}
    for field in sorted(set(_FIELD.findall(refusal))):
        bare = _bare(field)
        if not any(path.startswith(bare) or bare.startswith(path) for path in known):
            return f"they refuse {field}: {refusal}\n        we: {told}"
    return ""


def _bare(path: str) -> str:
    """Return a path without numbers of items; keys are written as the API server writes them."""
    return re.sub(r"\[[^\]]*\]", "", re.sub(r'\["([^"]*)"\]', r".\1", path))


_FIELD = re.compile(
    r"(?:^|[ \[])((?:spec|metadata)[\w.\[\]]*): (?:Invalid|Required|Forbidden|Unsupported|Too)"
)
