# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that the API server is asked to admit: services at random with a few fields spoilt, sent as dry runs.

Its schema, its rules across fields and KServe's webhooks are asked at once, so what is compared is the verdict, and the fields.
"""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import Problem
from tests.lab.client import ApiError

from .llm_inputs import Generator
from .plane import Plane

Json = dict[str, Any]
#: Names at the border of what webhooks take.
ODD_NAMES = ("a.b", "1a", "a-", "Iris", "i" * 63, "i" * 64, "i" * 254, "x-9", "")
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


class Verdict(NamedTuple):
    """What we say of a request. alike: errors that the API finds as well. beyond: errors of what it takes, each by a row of docs/differences.md."""

    alike: list[Problem]
    beyond: list[Problem]


def parted(problems: Iterable[Problem], is_beyond: Callable[[Problem], bool]) -> Verdict:
    """Return the errors among what we say of a request. is_beyond: whether we refuse by it what the API takes."""
    errors = [each for each in problems if each.severity == "error"]
    beyond = [each for each in errors if is_beyond(each)]
    return Verdict([each for each in errors if each not in beyond], beyond)


def refusals(plane: Plane, documents: Sequence[Json]) -> list[str]:
    """Return what the API server says of requests: a text is empty where it takes one."""
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda one: _ask(plane, one), documents))


def differences(
    documents: Sequence[Json], told: Sequence[str], verdicts: Sequence[Verdict]
) -> list[tuple[Json, str]]:
    """Return the requests about which the API server and we disagree, each with what is different."""
    found = []
    for document, refusal, verdict in zip(documents, told, verdicts, strict=True):
        line = _difference(verdict, refusal)
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


def _difference(verdict: Verdict, refusal: str) -> str:
    told = "; ".join(f"{each.path}: {each.message}" for each in verdict.alike)
    if refusal and not any(verdict):
        return f"only they refuse: {refusal}"
    if verdict.alike and not refusal:
        return f"only we refuse: {told}"
    known = {_bare(each.path) for each in (*verdict.alike, *verdict.beyond)}
    for field in sorted(set(_FIELD.findall(refusal)) - _MISNAMED):
        bare = _bare(field)
        if not any(path.startswith(bare) or bare.startswith(path) for path in known):
            return f"they refuse {field}: {refusal}\n        we: {told}"
    return ""


#: A field that KServe's webhook names without the one that it stands in.
_MISNAMED = {"spec.predictor.confidential.resourceId"}


def _bare(path: str) -> str:
    """Return a path without numbers of items; keys are written as the API server writes them."""
    return re.sub(r"\[[^\]]*\]", "", re.sub(r'\["([^"]*)"\]', r".\1", path))


_FIELD = re.compile(
    r"(?:^|[ \[])((?:spec|metadata)[\w.\[\]]*): (?:Invalid|Required|Forbidden|Unsupported|Too)"
)
