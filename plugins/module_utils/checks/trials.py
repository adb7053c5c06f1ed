# SPDX-License-Identifier: GPL-3.0-or-later
"""A service compiled again and again with one thing changed, to see what comes of it. Nothing is read from the cluster for that.

What the first compile read is kept; what it did not read counts as absent, before and after a change alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from ..kinds.kind import ServiceKind
from ..kinds.peers import Peers
from ..kinds.view import ServiceView
from ..kube.intent import Intent
from ..kube.manifest import Json
from ..kube.problem import InputError, Problem
from ..kube.reader import Reader
from ..kube.reference import Reference
from ..kube.schema import Object

T = TypeVar("T")
Key = tuple[str, str, str, tuple[tuple[str, str], ...]]


class _Kept:
    """A reader that remembers what it was asked while it learns, and knows nothing else afterwards."""

    def __init__(self, reader: Reader) -> None:
        self.complete = reader.complete
        self.learns = True
        self._reader = reader
        self._objects: dict[Reference, Json | None] = {}
        self._lists: dict[Key, Sequence[Json]] = {}

    def get(self, reference: Reference) -> Json | None:
        """Return the object, None where it is not there or nobody has asked for it before."""
        if self.learns and reference not in self._objects:
            self._objects[reference] = self._reader.get(reference)
        return self._objects.get(reference)

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the objects of a kind that carry all labels."""
        key = (api_version, kind, namespace, tuple(sorted(labels.items())))
        if self.learns and key not in self._lists:
            self._lists[key] = self._reader.list(api_version, kind, namespace, labels)
        return self._lists.get(key, ())


class _Beside:
    """Children that are there already, and what is there anyhow."""

    def __init__(self, children: Mapping[Reference, Json], others: Reader) -> None:
        self.complete = others.complete
        self._children = children
        self._others = others

    def get(self, reference: Reference) -> Json | None:
        """Return the object, None where it is not there."""
        return self._children.get(reference) or self._others.get(reference)

    def list(
        self, api_version: str, kind: str, namespace: str, labels: Mapping[str, str]
    ) -> Sequence[Json]:
        """Return the objects of a kind that carry all labels."""
        return self._others.list(api_version, kind, namespace, labels)


@dataclass(frozen=True)
class Outcome:
    """What a document becomes. errors: why it becomes nothing. legal: whether it can be read by itself."""

    legal: bool
    problems: tuple[Problem, ...]
    intent: Intent | None = None

    @cached_property
    def children(self) -> tuple[Json, ...]:
        """The objects that it makes."""
        made = self.intent.children if self.intent else ()
        return tuple(child.manifest.to_dict() for child in made)


class Trials:
    """One service, to be tried with changes. told: the fields of which checks say already that they have no effect."""

    def __init__(
        self,
        kind: ServiceKind[Any, Any],
        document: Json,
        settings: Any,
        reader: Reader,
        peers: Peers,
        told: frozenset[str],
    ) -> None:
        self.kind = kind
        self.document = document
        self.settings = settings
        self._reader = _Kept(reader)
        self._peers = peers
        self.told = told
        self.before = self._learning(lambda: self.outcome(document))

    @property
    def schema(self) -> Object:
        """The schema of the document's `spec`."""
        return self.kind.schema(self.document, self.settings)

    @cached_property
    def view(self) -> ServiceView:
        """What the service becomes, as checks see it."""
        intent = self.before.intent
        basis = intent.basis if intent else None
        return self.kind.view(basis, self.settings, self.before.children)

    def outcome_looked_up(self, document: Json) -> Outcome:
        """Return what a document becomes where what it reads is looked up; for few documents, since that costs requests."""
        return self._learning(lambda: self.outcome(document))

    def outcome(self, document: Json) -> Outcome:
        """Return what a document becomes."""
        loaded = self.kind.load(document, self.settings)
        if loaded.service is None:
            return Outcome(False, loaded.problems)
        try:
            intent = self.kind.compile(loaded.service, self.settings, self._reader, self._peers)
        except InputError as error:
            found = [each for one in error.complaints for each in one.problems]
            return Outcome(True, tuple(found))
        return Outcome(True, loaded.problems, intent)

    def said(self, outcome: Outcome) -> tuple[Any, ...]:
        """Return what is told of what a document became: how it is called, its status, what its webhook warns of."""
        if outcome.intent is None:
            return (outcome.problems,)
        basis, children = outcome.intent.basis, outcome.children
        made = {Reference.of(child): child for child in children}
        entrance = self.kind.entrance(basis, self.settings, self._reader)
        observed = self.kind.observe(basis, _Beside(made, self._reader), ())
        # Its routes are children, which are compared as such.
        entrance = replace(entrance, routes=())
        return entrance, observed.status, observed.url, outcome.problems

    @cached_property
    def said_before(self) -> tuple[Any, ...]:
        """What is told of the service as it is."""
        return self._learning(lambda: self.said(self.before))

    def _learning(self, step: Callable[[], T]) -> T:
        self._reader.learns = True
        try:
            return step()
        finally:
            self._reader.learns = False
