# SPDX-License-Identifier: GPL-3.0-or-later
"""What each kind of service offers to the rest of the house: one value of `ServiceKind` per package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeAlias, TypeVar

from ..kube.fault import WorkloadFault
from ..kube.input_schemas import InputSchemas
from ..kube.intent import Intent
from ..kube.manifest import Json
from ..kube.problem import Problem
from ..kube.reader import Lookup, Reader
from ..kube.reference import Reference
from ..kube.schema import Object
from .certificates import Certificates
from .check import BoundCheck
from .children import Children, ObjectKind, pairs
from .entrance import Entrance
from .idle import Idle
from .peers import Peers
from .release_line import ReleaseLine
from .runtime_choice import RuntimeChoice
from .view import ServiceView

S = TypeVar("S")
"""The typed service of a kind, for example ModelService."""
C = TypeVar("C")
"""The typed settings of a kind."""


@dataclass(frozen=True, slots=True)
class Loaded(Generic[S]):
    """One custom resource read: the typed service where it can be used, and every problem found (warnings included)."""

    service: S | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """An object of others for which a service answers. live: as it was read. status: as the service's controller would write it, without times."""

    live: Json
    status: Json


@dataclass(frozen=True, slots=True)
class Observation:
    """What the live children say about a service.

    status: the custom resource's status as its controller would write it, with our extra conditions, without times.
    ready: whether the service does its work. faults: what waiting will not mend, where it lasts.
    awaited: by condition type the objects of others that have to say something first, and without which waiting for it does not help.
    looked_at: objects of others that the status was read from; set by whoever has asked.
    replicas: ready and desired ones of all workloads, None where nobody can tell.
    answered: objects of others whose status follows from the service's.
    """

    status: Json
    ready: bool
    faults: tuple[WorkloadFault, ...] = ()
    awaited: Mapping[str, Sequence[Reference]] = field(default_factory=dict)
    url: str = ""
    problems: tuple[Problem, ...] = ()
    looked_at: tuple[Reference, ...] = ()
    replicas: tuple[int, int] | None = None
    answered: tuple[Answered, ...] = ()


#: A live object, and what it is to become, where that is known.
Pair: TypeAlias = "tuple[Json, Json | None]"


@dataclass(frozen=True, slots=True)
class OtherRelease:
    """A sign that objects are of another release than the one that is wanted. theirs: in words. seen: where, and what."""

    theirs: str
    wanted: str
    seen: str


def _no_shapes(_settings: object) -> InputSchemas:
    return {}


@dataclass(frozen=True)
class ServiceKind(Generic[S, C]):
    """The functions and facts of one kind.

    load: checks and defaults one custom resource; never raises for bad input.
    releases: of the kind's controller, and how the one of a service is found.
    settings: types the user's `settings` for a release; raises InputError.
    compile: the children; of other services it knows those of the task, and by its reader those of the cluster. view: what a service
    became, in words of no kind, from its intent's `basis` and its children.
    schema: of the `spec` of a custom resource as it is written.
    pod_metadata: where `labels` and `annotations` that are meant for pods are, as advice. idle: why some fields come to nothing.
    unseen: a regular expression for fields whose effect is not seen in what is compiled, or comes later.
    own_checks: checks that no other kind can have.
    observe: status of a compiled service, from its intent's `basis`, the live objects and the pods of its workloads.
    entrance: how a compiled service is called, from its intent's `basis`, its settings and a reader.
    reconcile_error: what was observed, of a service of which something could not be applied, with the error's text.
    children: what services have, by release. reads: kinds of others that compile and observe read, beside those of the children.
    looked_up: kinds of the service's namespace of which they read what the author, or a preset, names.
    certificates: how the kind keeps the certificates of its services, None where they have none.
    pod_labels: what selects the pods of all services: labels, or a label selector.
    shapes: of the objects of others that compile reads, by the release of the settings, where they are not among the common ones.
    other_release: what live objects, the custom resource among them, say against the wanted release, each beside what it is to
    become; True: that is certain, whoever made them, False: if we made them. None for a kind whose objects carry a label with it.
    changed_by_presets: whether a live workload would become the wanted one by what the collection's own presets add since it was made.
    standing: what the children of other services depend on in the status of one; None for a kind where nothing does.
    runtimes: which ones serve a service and its canaries, from its document, its settings and a reader; None for a kind without runtimes.
    judged: what the webhooks of the kind's controller refuse of objects beside services, by object: from the objects, a reader of all
    others, what shows them as they are, and settings; None for a kind without such objects.
    condition_types: what its status says, in all releases together.
    finalizers: what the kind's own controller leaves on the custom resource.
    namespaced: False for a kind that belongs to the whole cluster. reaches: whether children are beyond the service's namespace.
    says_ready: whether a status that the kind's controller wrote says that a service is ready; None where the condition Ready does.
    used_by: which services still need what a live custom resource provides, and keep it from being removed; None where nothing does.
    leads_to: the services to which one sends requests by their names, from its custom resource; None where none does.
    controller: labels by which the Deployment of the kind's controller is recognised. field_manager: the name under which it writes.
    """

    api_version: str
    kind: str
    plural: str
    crd: Callable[[], Json]
    settings: Callable[[Mapping[str, Any], Mapping[str, str]], C]
    load: Callable[[Json, C], Loaded[S]]
    compile: Callable[[S, C, Reader, Peers], Intent]
    view: Callable[[Any, C, Sequence[Json]], ServiceView]
    observe: Callable[[Any, Reader, Sequence[Json]], Observation]
    entrance: Callable[[Any, C, Reader], Entrance]
    reconcile_error: Callable[[Observation, str], Observation]
    children: Children[Any]
    releases: ReleaseLine
    pod_labels: Mapping[str, Any]
    finalizers: tuple[str, ...]
    controller: Mapping[str, str]
    field_manager: str
    schema: Callable[[Json, C], Object]
    pod_metadata: Mapping[str, str]
    condition_types: tuple[str, ...] = ()
    idle: tuple[Idle, ...] = ()
    unseen: str = ""
    own_checks: tuple[BoundCheck, ...] = ()
    reads: tuple[ObjectKind, ...] = ()
    looked_up: tuple[tuple[str, str], ...] = ()
    certificates: Certificates | None = None
    shapes: Callable[[C], InputSchemas] = _no_shapes
    other_release: Callable[[C, Sequence[Pair], bool], OtherRelease | None] | None = None
    changed_by_presets: Callable[[Json, Json], bool] | None = None
    standing: Callable[[Json], object] | None = None
    runtimes: Callable[[Json, C, Reader], Iterable[RuntimeChoice]] | None = None
    namespaced: bool = True
    reaches: bool = False
    says_ready: Callable[[Json], bool] | None = None
    used_by: Callable[[Json, Reader], Sequence[Reference]] | None = None
    leads_to: Callable[[Json], Iterable[Reference]] | None = None
    judged: (
        Callable[[Iterable[Json], Reader, Lookup, C], Mapping[Reference, Sequence[Problem]]] | None
    ) = None

    @property
    def key(self) -> tuple[str, str]:
        """apiVersion and kind of the custom resource."""
        return self.api_version, self.kind

    @cached_property
    def kinds(self) -> tuple[tuple[str, str], ...]:
        """The kinds of everything that belongs to a service: its custom resource and its children."""
        return self.key, *self.child_kinds

    @cached_property
    def child_kinds(self) -> tuple[tuple[str, str], ...]:
        """The kinds of all children of all releases."""
        return pairs(self.children.kinds)

    @cached_property
    def observed_kinds(self) -> tuple[tuple[str, str], ...]:
        """The kinds of children that observe looks at, pods apart."""
        return pairs([each for each in self.children.kinds if each.observed])

    @cached_property
    def compared_kinds(self) -> tuple[tuple[str, str], ...]:
        """The kinds of which compile reads its own children."""
        return pairs([each for each in self.children.kinds if each.compared])

    @cached_property
    def answered_kinds(self) -> tuple[tuple[str, str], ...]:
        """Of these, the kinds to which somebody else answers in the status."""
        return pairs([each for each in self.children.kinds if each.answered])

    @cached_property
    def foreign_kinds(self) -> tuple[tuple[str, str], ...]:
        """The kinds of which observe looks at objects of others."""
        return pairs([each for each in (*self.children.kinds, *self.reads) if each.foreign])

    @cached_property
    def common_kinds(self) -> tuple[tuple[str, str], ...]:
        """The kinds of others that many services share."""
        return pairs([each for each in self.reads if each.common])
