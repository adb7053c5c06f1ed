# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of services that are judged: which controller, which inputs, which statuses, and who compares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.settings import (
    Settings as IsvcSettings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.settings import (
    Settings as LlmSettings,
)
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import Problem
from tests.parity.recorded_llm_services import RECORDINGS, shared_context

from . import (
    admission,
    build,
    isvc_inputs,
    isvc_judge,
    isvc_plane,
    isvc_pods,
    isvc_readiness,
    isvc_system,
    judge,
    llm_plane,
    meant,
    readiness,
    reproduce,
)
from .batch import Case, Outcome, Watched
from .isvc_known import known_groups
from .llm_inputs import Generator
from .llm_system import system_for
from .plane import Plane

Json = dict[str, Any]


class Surroundings(NamedTuple):
    """What stands around services. system: objects. settings: how we are run. environment: of the controller."""

    system: list[Json]
    settings: Any
    environment: Mapping[str, str]


@dataclass(frozen=True)
class Kind:
    """A kind of services. Functions take a release, and where they make something at random a seed.

    controller: takes the version of its module. requests, problems: spoilt services, and what we say of them.
    known: recorded inputs, with what stood around them. on_purpose: whether a problem refuses what the API takes. look_on: what else is
    asked of the controller about a service while it runs.
    """

    name: str
    controller: Callable[[str], build.Controller]
    plane: Callable[[build.Programs, KServe, Mapping[str, str]], Plane]
    watched: Callable[[KServe], Watched]
    statuses: Callable[[Case, list[Json], int], list[Json]]
    surroundings: Callable[[int, KServe], Surroundings]
    cases: Callable[[int, KServe, int], list[Case]]
    requests: Callable[[int, int, KServe], list[Json]]
    problems: Callable[[Json, Surroundings], list[Problem]]
    known: Callable[[KServe], Iterator[tuple[Surroundings, list[Case]]]]
    judge: Callable[[Outcome, Sequence[Json], Any], list[str]]
    on_purpose: Callable[[Problem, KServe], bool] = lambda one, _release: admission.is_on_purpose(
        one
    )
    look_on: Callable[[Plane, Outcome], None] = lambda _plane, _outcome: None


def _llm_known(release: KServe) -> Iterator[tuple[Surroundings, list[Case]]]:
    around = Surroundings(shared_context(RECORDINGS), LlmSettings(release=release), {})
    yield around, reproduce.known_cases()


def _isvc_known(release: KServe) -> Iterator[tuple[Surroundings, list[Case]]]:
    settings = IsvcSettings(release=release, pod_mutation="webhook")
    for system, cases in known_groups():
        yield Surroundings(system, settings, {}), cases


LLM = Kind(
    name="llm",
    controller=build.llm,
    plane=llm_plane.plane,
    watched=llm_plane.watched,
    statuses=readiness.statuses,
    surroundings=lambda seed, release: Surroundings(*system_for(seed, release)),
    cases=lambda seed, release, count: Generator(seed, release).cases(count),
    requests=admission.requests,
    problems=lambda document, around: admission.problems_of(document, around.settings.release),
    known=_llm_known,
    judge=judge.judge,
    on_purpose=lambda one, release: admission.is_on_purpose(one) or meant.is_filled(one, release),
)
ISVC = Kind(
    name="isvc",
    controller=build.manager,
    plane=isvc_plane.plane,
    watched=lambda _release: isvc_plane.WATCHED,
    statuses=isvc_readiness.statuses,
    surroundings=lambda seed, release: Surroundings(*isvc_system.system_for(seed, release)),
    cases=isvc_inputs.cases,
    requests=isvc_inputs.requests,
    problems=lambda document, around: isvc_judge.problems_of(document, *around[:2]),
    known=_isvc_known,
    judge=isvc_judge.judge,
    look_on=isvc_pods.add_pods,
)
KINDS = {each.name: each for each in (LLM, ISVC)}
