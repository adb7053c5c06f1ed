# SPDX-License-Identifier: GPL-3.0-or-later
"""One round: an object of ours, what others do to it one after the other, and after each deed what is decided for several intents.

All of it follows from a number, the seed, so that a round can be done again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from module_utils.engine import SETTLED_ANNOTATION
from module_utils.engine.desired import Desired
from module_utils.kube.canonical import canonical_json, digest
from tests.lab.client import ApiError, Client

from .deeds import DEEDS, Scene
from .edits import EDITS
from .judge import Judged, judge, settle
from .subjects import subjects, wanted

Json = dict[str, Any]
#: Deeds in a round, and intents that are tried after each beside the one that was applied.
DEEDS_EACH = 14
INTENTS_EACH = 8
#: How often an object is brought back to what we want.
SETTLED = 0.5
UNTOLD = "same intent"


@dataclass(frozen=True, slots=True)
class Case:
    """What was tried and how it was decided. deed and intent: their classes."""

    seed: int
    number: int
    subject: str
    deed: str
    intent: str
    desired: Desired
    live: Json
    judged: Judged


class Round:
    """A round on a cluster. uid: of the parent that owns the objects of the namespace."""

    def __init__(self, client: Client, namespace: str, uid: str, seed: int) -> None:
        self._client = client
        self._namespace = namespace
        self._uid = uid
        self._seed = seed
        self._random = Random(seed)
        self._number = 0

    def cases(self) -> Iterator[Case]:
        """Do the round and yield its cases."""
        subject, manifest, unclaimed = self._random.choice(subjects())
        name = f"r{self._seed}"
        current = wanted(manifest, self._namespace, name, unclaimed)
        try:
            yield from self._acts(subject, current)
        finally:
            self._client.delete(current.reference.to_manifest())

    def _acts(self, subject: str, current: Desired) -> Iterator[Case]:
        live = settle(self._client, current, self._uid)
        for dummy in range(DEEDS_EACH):
            current, live = self._settled(current, live)
            deed, live = self._deed(current, live)
            yield from self._judged(subject, deed, current, live)

    def _settled(self, current: Desired, live: Json) -> tuple[Desired, Json]:
        """Now and then apply, with another intent sometimes."""
        if self._random.random() >= SETTLED:
            return current, live
        other = self._other(current)[1] if self._random.random() < 0.5 else current
        try:
            return other, settle(self._client, other, self._uid)
        except ApiError:
            return current, self._look(current)

    def _deed(self, current: Desired, live: Json) -> tuple[str, Json]:
        """Let somebody do something that the server takes."""
        while True:
            name = self._random.choice(sorted(DEEDS))
            scene = Scene(self._client, self._random, current, self._uid, live)
            try:
                return name, DEEDS[name](scene)
            except ApiError:
                live = self._look(current)

    def _look(self, current: Desired) -> Json:
        wanted = current.reference
        found = self._client.get(wanted.api_version, wanted.kind, wanted.name, wanted.namespace)
        if found is None:
            raise LookupError(f"{wanted} is gone")
        return found

    def _judged(self, subject: str, deed: str, current: Desired, live: Json) -> Iterator[Case]:
        # A mark stands for the intent by its hash alone.
        known = SETTLED_ANNOTATION not in (live["metadata"].get("annotations") or {})
        others = [self._other(current, old_hash=known) for dummy in range(INTENTS_EACH)]
        intents = [(UNTOLD, current), *others]
        for intent, one in intents:
            judged = judge(self._client, one, live, self._uid)
            self._number += 1
            yield Case(self._seed, self._number, subject, deed, intent, one, live, judged)

    def _other(self, current: Desired, *, old_hash: bool = False) -> tuple[str, Desired]:
        """Return another intent. old_hash: mostly with the hash of the present one, so that the other witnesses have to see it."""
        body = json.loads(current.body)
        name = self._random.choice(sorted(EDITS))
        edited = EDITS[name](self._random, body)
        edited["metadata"]["annotations"] = body["metadata"]["annotations"]
        text = canonical_json(edited)
        if old_hash and self._random.random() < 0.8:
            return f"{name}, old hash", replace(current, body=text)
        return f"{name}, new hash", replace(current, body=text, digest=digest(text))
