# SPDX-License-Identifier: GPL-3.0-or-later
"""The services of a task: loaded, checked each by itself and against each other, compiled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from ..kinds.kind import ServiceKind
from ..kinds.peers import NOBODY, Peers
from ..kinds.registry import REGISTERED, WRITTEN
from ..kinds.view import Neighbour, ServiceView
from ..kube.did_you_mean import nearest
from ..kube.input_schemas import InputSchemas, merged_shapes
from ..kube.intent import Child, Intent
from ..kube.manifest import Json, Manifest
from ..kube.names import check_namespace
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reader import GivenObjects, Reader
from ..kube.redact import masked_paths
from ..kube.reference import Reference
from ..kube.release import AUTO, ChosenRelease, newest_proved
from ..kube.schema_faults import show
from ..task.manifest_loader import Document

T = TypeVar("T")
#: Returns the release of a service.
Find = Callable[[ServiceKind[Any, Any], Reference], ChosenRelease]


@dataclass(slots=True)
class Service:
    """One service of the task.

    subject: how messages call it. written: the document as its author wrote it; an empty one is not tried
    with changes. problems: what was found so far, warnings included. release: of the controller that is reproduced, and why that one.
    peers: the services of the task, itself among them.
    """

    subject: str
    kind: ServiceKind[Any, Any]
    reference: Reference
    typed: Any
    settings: Any
    release: ChosenRelease
    written: Json = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    peers: Peers = NOBODY

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that forbid to go on with this service."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def noted_release(self) -> str:
        """The release as it is noted on the service's objects, empty where nobody has to find it there."""
        return "" if self.kind.releases.installed is None else str(self.release.release)

    def compile(self, reader: Reader) -> Intent:
        """Return what the service wants to exist."""
        return self.kind.compile(self.typed, self.settings, reader, self.peers)

    def view(self, basis: Any, manifests: Sequence[Json]) -> ServiceView:
        """Return the service as checks see it. basis: of its intent. manifests: its children."""
        view: ServiceView = self.kind.view(basis, self.settings, manifests)
        return view

    def judge(self, intent: Intent) -> Neighbour:
        """Add what a look at the compiled service finds to its problems. Return what other services have to know of it."""
        # Imported with the service's kind, on first use.
        from ..checks.run import settled_problems

        view = self.view(intent.basis, [child.manifest.to_dict() for child in intent.children])
        # Whoever stops a service need not mend it first.
        self.problems += [] if intent.nothing else settled_problems(view, self.kind.own_checks)
        return view.beside([child.manifest.reference for child in intent.children])

    def api_problems(
        self, basis: Any, manifests: Sequence[Json], written: Iterable[Json]
    ) -> list[Problem]:
        """Return what the API server would refuse of some of its children. manifests: all of them. written: those that are asked about."""
        # Only where something is to be written.
        from ..kinds.api_problems import api_problems

        return api_problems(self.view(basis, manifests).field_map, written)

    def advice(
        self,
        basis: Any,
        manifests: Sequence[Json],
        reader: Reader,
        run: Collection[Reference] = frozenset(),
    ) -> list[Problem]:
        """Return what takes longer to find, or a look at the cluster. run: what all services of the run make."""
        # Only where something changes, or somebody asks.
        from ..checks.further import further_problems
        from ..checks.trials import Trials

        return further_problems(
            replace(self.view(basis, manifests), run=run),
            reader,
            self.kind.own_checks,
            partial(Trials, self.kind, self.written, self.settings, reader, self.peers)
            if self.written
            else None,
        )


class Settings:
    """The task's settings, typed once for each kind and release that is used.

    find: returns the release of a service where the task leaves it to the cluster, None where none is looked at.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        releases: Mapping[str, str | None],
        find: Find | None = None,
    ) -> None:
        self._options = options
        self._releases = {name: release for name, release in releases.items() if release}
        self._find = find
        self._typed: dict[tuple[str, str], Any] = {}

    def of(
        self, kind: ServiceKind[Any, Any], reference: Reference | None
    ) -> tuple[Any, ChosenRelease]:
        """Return the settings of a service, and which release it has. reference: None of one that has no name. Raises InputError."""
        line = kind.releases
        written = self._releases.get(line.option)
        if written is not None and (line.installed is None or written != AUTO):
            typed = self.typed(kind, str(written))
            return typed, ChosenRelease(typed.release, "option", f"{typed.release.option} says so")
        typed = self.typed(kind, "")
        if line.installed is None:
            text = f"{typed.release.option} names none, and this is the default"
            return typed, ChosenRelease(typed.release, "default", text)
        if self._find is None or reference is None:
            return typed, newest(kind, "no cluster is looked at")
        chosen = self._find(kind, reference)
        return self.typed(kind, str(chosen.release)), chosen

    def typed(self, kind: ServiceKind[Any, Any], release: str) -> Any:
        """Return the settings of a kind. release: empty for the one of a service of which nothing is known. Raises InputError."""
        key = (kind.kind, release)
        if key not in self._typed:
            releases = {kind.releases.option: release} if release else {}
            self._typed[key] = kind.settings(self._options, releases)
        return self._typed[key]


def asks_cluster(documents: Iterable[Document], releases: Mapping[str, str | None]) -> bool:
    """Tell whether a cluster has to say which release some of the services have. releases: the option of the task."""
    values = [each.value for each in documents if isinstance(each.value, dict)]
    keys = {(str(value.get("apiVersion")), str(value.get("kind"))) for value in values}
    lines = [WRITTEN[key].releases for key in keys if key in WRITTEN]
    return any(
        line.installed is not None and (releases.get(line.option) or AUTO) == AUTO for line in lines
    )


def newest(
    kind: ServiceKind[Any, Any], why: str, declared: frozenset[str] | None = None
) -> ChosenRelease:
    """Return the release of a service of which nothing else is known.

    why: in words. declared: what the CRD in the cluster declares of the status, None where nothing is known of it.
    """
    line = kind.releases
    backing = line.backing if declared is None else line.that_fit(declared)
    release = newest_proved(backing)
    what = (
        "it is the newest one that is proved"
        if backing[release] == "proved"
        else "none is proved, so it is the oldest one"
    )
    if len(backing) < len(line.backing):
        what += " of those whose status the CRD in the cluster declares"
    return ChosenRelease(release, "newest", f"{why}, and {what}")


def input_schemas_of(services: Sequence[Service]) -> InputSchemas:
    """Return the shapes of the objects of others that these services look at."""
    kinds = {service.kind.kind: service for service in services}
    # Only where objects are given in place of a cluster.
    from ..accelerators.input_schemas import INPUT_SCHEMAS

    own = merged_shapes(service.kind.shapes(service.settings) for service in kinds.values())
    return {**INPUT_SCHEMAS, **own}


def load_fleet(
    documents: Sequence[Document], settings: Settings, namespace: str | None, *, skip_invalid: bool
) -> tuple[list[Service], list[Complaint]]:
    """Return the services, and the complaints about those left out with `skip_invalid`.

    namespace: for documents that name none. Raises InputError that holds all problems of all documents.
    """
    services: list[Service] = []
    complaints: list[Complaint] = []
    for document in documents:
        kind, problem = _kind(document.value)
        if kind is None:
            complaints.append(Complaint(document.origin, (problem,)))
            continue
        value = _with_namespace(document.value, namespace)
        typed, release = settings.of(kind, _reference(kind, value))
        loaded = kind.load(value, typed)
        problems = [*release.problems, *loaded.problems, *_masks(value)]
        subject = subject_of(document.origin, value)
        if loaded.service is None:
            complaints.append(
                Complaint(subject, tuple(p for p in problems if p.severity == "error"))
            )
            continue
        reference = loaded.service.reference
        services.append(
            Service(subject, kind, reference, loaded.service, typed, release, value, problems)
        )
    _given_twice(services)
    invalid = [Complaint(service.subject, service.errors) for service in services if service.errors]
    complaints += invalid
    valid = [service for service in services if not service.errors]
    introduce(valid, Peers(service.typed for service in valid))
    if complaints and not (skip_invalid and valid):
        raise InputError([*complaints, *_also_refused(valid, GivenObjects())])
    return valid, complaints


def introduce(services: Iterable[Service], peers: Peers) -> None:
    """Let services see who else there is."""
    for service in services:
        service.peers = peers


def named(
    documents: Sequence[Document], namespace: str | None
) -> list[tuple[ServiceKind[Any, Any], Reference]]:
    """Return which services are meant, by name alone: for `absent`, where the rest of a document does not matter."""
    found: list[tuple[ServiceKind[Any, Any], Reference]] = []
    complaints: list[Complaint] = []
    for document in documents:
        kind, problem = _kind(_versioned(document.value))
        metadata = document.value.get("metadata") if isinstance(document.value, dict) else None
        name = metadata.get("name") if isinstance(metadata, dict) else None
        place = (metadata.get("namespace") if isinstance(metadata, dict) else None) or namespace
        problems = [problem] if kind is None else []
        if name and not isinstance(name, str):
            problems.append(Problem("metadata.name", f"{show(name)} is not a text; quote it"))
        elif not name:
            problems.append(Problem("metadata.name", "missing: name the service"))
        if place and not isinstance(place, str):
            problems.append(Problem("metadata.namespace", f"{show(place)} is not a text; quote it"))
        elif place and (fault := check_namespace(place)):
            problems.append(Problem("metadata.namespace", fault))
        elif not place:
            problems.append(
                Problem(
                    "metadata.namespace",
                    "missing: name a namespace here or in the option namespace",
                )
            )
        if problems or kind is None:
            complaints.append(Complaint(document.origin, tuple(problems)))
        else:
            found.append((kind, Reference(kind.api_version, kind.kind, str(place), str(name))))
    if complaints:
        raise InputError(complaints)
    return list({reference: (kind, reference) for kind, reference in found}.values())


def _versioned(value: Any) -> Any:
    """Return a document with an API version of its kind, where it names none: by name alone each kind is known."""
    known = REGISTERED.get(str(value.get("kind"))) if isinstance(value, dict) else None
    if known is None or value.get("apiVersion") is not None:
        return value
    return {**value, "apiVersion": next(iter(known[0]))}


def subject_of(origin: str, value: Json) -> str:
    """Return how messages call a document, for example `services[2] (ModelService team-a/chat)`."""
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    name = metadata.get("name") or "without a name"
    place = f"{metadata['namespace']}/{name}" if metadata.get("namespace") else name
    return f"{origin} ({value.get('kind')} {place})"


def _kind(value: Any) -> tuple[ServiceKind[Any, Any] | None, Problem]:
    known = ", ".join(
        f"{kind} ({' or '.join(versions)})" for kind, (versions, dummy) in REGISTERED.items()
    )
    if not isinstance(value, dict):
        return None, Problem(
            "", f"{type(value).__name__} is not a custom resource; give a map with one of {known}"
        )
    key = (str(value.get("apiVersion")), str(value.get("kind")))
    if key in WRITTEN:
        return WRITTEN[key], Problem("", "")
    near = nearest(key[1], REGISTERED)
    hint = f", did you mean {near}?" if near and near != key[1] else ""
    field_name = "apiVersion" if near == key[1] else "kind"
    shown = value.get(field_name)
    text = "missing" if shown is None else f'"{shown}" is not a service that this collection knows'
    return None, Problem(field_name, f"{text}{hint}; known are {known}")


def _reference(kind: ServiceKind[Any, Any], value: Json) -> Reference | None:
    """Return the name of a document's service, None where it has none."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        return None
    place, name = metadata.get("namespace"), metadata.get("name")
    named = isinstance(place, str) and isinstance(name, str) and place and name
    return Reference(kind.api_version, kind.kind, str(place), str(name)) if named else None


def _masks(value: Json) -> Iterator[Problem]:
    for path in masked_paths(value):
        message = "contains the mask of a secret, not the secret; write the value, or refer to a Secret with valueFrom"
        yield Problem(path, message, rule="masked")


def _with_namespace(value: Json, namespace: str | None) -> Json:
    metadata = value.get("metadata")
    if namespace and isinstance(metadata, dict) and not metadata.get("namespace"):
        return {**value, "metadata": {**metadata, "namespace": namespace}}
    return value


def _given_twice(services: Sequence[Service]) -> None:
    seen: set[Reference] = set()
    for service in services:
        if service.reference in seen:
            message = f'"{service.reference.name}" is in the list more than once; keep one of them'
            service.problems.append(Problem("metadata.name", message, rule="service-twice"))
        seen.add(service.reference)


def compile_fleet(
    services: Sequence[Service],
    reader: Reader,
    into: Callable[[Service, Intent], T],
    *,
    skip_invalid: bool = False,
    compiler: Callable[[Service, Reader], Intent] = Service.compile,
    judged: bool = False,
) -> tuple[list[T], list[Complaint]]:
    """Compile every service; return those that can be made, and the complaints about those left out with `skip_invalid`.

    What checks find is added to the problems of a service.
    judged: what the API server would refuse of any child is wrong with the service, too; else whoever writes it asks.
    into: makes of a service and its intent what is kept; only one intent is held at a time. Where two services would claim one
    object neither is made, unless it is one that they share. Raises InputError that holds what is wrong with each of them.
    """
    compiled: dict[Reference, T] = {}
    claims: list[tuple[Service, Sequence[Reference]]] = []
    shared: dict[Reference, Manifest] = {}
    found: dict[Reference, list[Problem]] = {}
    neighbours: list[Neighbour] = []
    for service in services:
        try:
            intent = _without_shared(compiler(service, reader), shared)
        except InputError as error:
            problems = [problem for each in error.complaints for problem in each.problems]
            found[service.reference] = problems
            continue
        refused = _refused(service, intent) if judged else []
        if refused:
            found[service.reference] = refused
            continue
        neighbour = service.judge(intent)
        if service.errors:
            found[service.reference] = list(service.errors)
            continue
        neighbours.append(neighbour)
        claims.append((service, neighbour.makes))
        compiled[service.reference] = into(service, intent)
    _judge_together(services, neighbours)
    found |= _collisions(claims)
    complaints = [
        Complaint(service.subject, tuple(found[service.reference]))
        for service in services
        if service.reference in found
    ]
    kept = [made for reference, made in compiled.items() if reference not in found]
    if complaints and not (skip_invalid and kept):
        fine = [service for service in services if service.reference not in found]
        raise InputError([*complaints, *(() if judged else _also_refused(fine, reader))])
    return kept, complaints


def _judge_together(services: Sequence[Service], neighbours: Sequence[Neighbour]) -> None:
    """Add what is wrong between services to the problems of each."""
    from ..checks.run import problems_beside

    beside = problems_beside(neighbours)
    for service in services if beside else ():
        service.problems += beside.get(service.reference, [])


def _also_refused(services: Iterable[Service], reader: Reader) -> Iterator[Complaint]:
    """Yield what the API server would refuse of services, so that one message tells it with what is wrong with others.

    A service that cannot be compiled from what the reader knows is left out.
    """
    for service in services:
        try:
            problems = _refused(service, service.compile(reader))
        except InputError:
            continue
        errors = tuple(each for each in problems if each.severity == "error")
        if errors:
            yield Complaint(service.subject, errors)


def _refused(service: Service, intent: Intent) -> list[Problem]:
    manifests = [child.manifest.to_dict() for child in intent.children]
    return service.api_problems(intent.basis, manifests, manifests)


def _without_shared(intent: Intent, shared: dict[Reference, Manifest]) -> Intent:
    """Leave out of an intent what an earlier service makes in the same way. shared: what they have made; gets what this one does."""

    def is_its_own(child: Child) -> bool:
        if not child.shared:
            return True
        first = shared.setdefault(child.manifest.reference, child.manifest)
        return first is child.manifest or first != child.manifest

    return replace(intent, children=tuple(filter(is_its_own, intent.children)))


def without_errors(
    compiled: Sequence[tuple[Service, Intent]], *, skip_invalid: bool
) -> tuple[list[tuple[Service, Intent]], list[Complaint]]:
    """Return the compiled services in which no error was found, and the complaints about the others.

    Raises InputError that holds them all where they are not to be left out, or nothing would stay.
    """
    complaints = [
        Complaint(service.subject, service.errors) for service, dummy in compiled if service.errors
    ]
    kept = [(service, intent) for service, intent in compiled if not service.errors]
    if complaints and not (skip_invalid and kept):
        raise InputError(complaints)
    return kept, complaints


def paired(service: Service, intent: Intent) -> tuple[Service, Intent]:
    """Keep all of a compiled service."""
    return service, intent


def _collisions(
    claims: Sequence[tuple[Service, Sequence[Reference]]],
) -> dict[Reference, list[Problem]]:
    """Return the problems of each service that wants an object which another wants, too."""
    claimed: dict[Reference, Service] = {}
    found: dict[Reference, list[Problem]] = {}
    for service, references in claims:
        for reference in references:
            other = claimed.setdefault(reference, service)
            if other is not service:
                names = " and ".join(f'"{name}"' for name in _names(other, service))
                message = f"{names} both become {reference}; rename one of them"
                problem = Problem("metadata.name", message, rule="collision")
                for claimant in (other, service):
                    found.setdefault(claimant.reference, []).append(problem)
    return found


def _names(*services: Service) -> list[str]:
    """Return what tells services apart: their names, with the namespaces where these differ."""
    places = {service.reference.namespace for service in services}
    if len(places) == 1:
        return [service.reference.name for service in services]
    return [each.reference.full_name for each in services]
