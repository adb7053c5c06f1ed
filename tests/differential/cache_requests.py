# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches with spoilt fields, which the API server and the webhook of caches are asked to admit, and what we say of them."""

from __future__ import annotations

import random
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.local_models import (
    CACHE,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.kserve.releases import KServe
from ansible_collections.modelops.inference.plugins.module_utils.kinds.registry import KINDS
from ansible_collections.modelops.inference.plugins.module_utils.kube.problem import (
    InputError,
    Problem,
)
from tests.lab.client import Client
from tests.objects import Cluster

from . import admission
from .admission import ODD_NAMES, Verdict, parted, spoilt
from .cache_plane import API_VERSION, plane_of, prepare, seen
from .cache_world import World

Json = dict[str, Any]
#: Rules by which a cache is refused that the webhook admits: it looks neither at groups nor at credentials, nor whether a Job can carry the
#: name (C9, C11).
BEYOND = frozenset({"node-group", "account", "cache-storage", "name-length"})
#: An address that is empty (C9).
_TAKEN = "name the address of the model"
_THERE = 20


def judge_requests(seed: int, release: KServe, count: int) -> tuple[int, list[str]]:
    """Return how many requests were judged, and one line for each about which we disagree."""
    world = World(seed, release, _THERE)
    asked = World(seed + 1_000_000, release, count)
    chance = random.Random(f"admission of caches {seed}")
    documents = [_request(each, chance) for each in asked.caches]
    with plane_of(release) as plane:
        prepare(plane.client, world.around)
        plane.start_controller()
        for each in world.caches:
            _create(plane.client, each)
        reader = seen(plane.client)
        told = admission.refusals(plane, documents)
    verdicts = [_verdict(each, release, reader) for each in documents]
    found = admission.differences(documents, told, verdicts)
    print(f"seed {seed}: {len(documents)} requests, {sum(map(bool, told))} refused by the API")
    return len(documents), [f"{line}: {document}" for document, line in found]


def _create(client: Client, cache: Json) -> None:
    query = {"fieldValidation": "Strict"}
    path = client.path(API_VERSION, cache["kind"], cache["metadata"].get("namespace", ""))
    client.request("POST", path, body=cache, query=query, accept=(403,))


def _request(document: Json, chance: random.Random) -> Json:
    made = spoilt(document, chance)
    made["metadata"]["name"] = f"asked-{made['metadata']['name']}"
    if made["kind"] == CACHE:
        del made["metadata"]["namespace"]
    if chance.random() < 0.1:
        made["metadata"]["name"] = chance.choice(ODD_NAMES)
    return made


def _verdict(document: Json, release: KServe, reader: Cluster) -> Verdict:
    kind = KINDS[API_VERSION, document["kind"]]
    settings = kind.settings({}, {"kserve": str(release)})
    loaded = kind.load(document, settings)
    problems: list[Problem] = list(loaded.problems)
    if loaded.service is not None:
        try:
            kind.compile(loaded.service, settings, reader)
        except InputError as error:
            problems += [each for one in error.complaints for each in one.problems]
    return parted(problems, _is_beyond)


def _is_beyond(problem: Problem) -> bool:
    """Tell whether we refuse by a problem what the API takes."""
    return problem.rule in BEYOND or problem.message.endswith(_TAKEN)
