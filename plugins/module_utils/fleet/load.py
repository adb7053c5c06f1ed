# SPDX-License-Identifier: GPL-3.0-or-later
"""The services of a task, loaded from their documents and checked each by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..kinds.chart_fields import CHART_FIELDS
from ..kinds.kind import ServiceKind
from ..kinds.peers import Peers
from ..kinds.registry import BESIDE, REGISTERED, WRITTEN
from ..kube.did_you_mean import nearest
from ..kube.input_schemas import InputSchemas, merged_shapes
from ..kube.manifest import Json
from ..kube.names import check_namespace
from ..kube.problem import Complaint, InputError, Problem
from ..kube.reader import GivenObjects
from ..kube.redact import masked_paths
from ..kube.reference import Reference
from ..kube.schema_faults import show
from ..task.manifest_loader import Document
from .compile import also_refused
from .service import Service
from .settings import Settings


def input_schemas_of(services: Sequence[Service]) -> InputSchemas:
    """Return the shapes of the objects of others that these services look at."""
    kinds = {service.kind.kind: service for service in services}
    # Only where objects are given in place of a cluster.
    from ..accelerators.input_schemas import INPUT_SCHEMAS

    own = merged_shapes(service.kind.shapes(service.settings) for service in kinds.values())
    return {**INPUT_SCHEMAS, **own}


def load_fleet(
    documents: Sequence[Document],
    settings: Settings,
    namespace: str | None,
    *,
    skip_invalid: bool,
    also: Sequence[str] = (),
) -> tuple[list[Service], list[Complaint]]:
    """Return the services, and the complaints about those left out with `skip_invalid`.

    namespace: for documents that name none. also: other kinds that the task takes. Raises InputError that holds all problems of all documents.
    """
    services: list[Service] = []
    complaints: list[Complaint] = []
    for document in documents:
        kind, problem = _kind(document.value, also)
        if kind is None:
            complaints.append(Complaint(document.origin, (problem,)))
            continue
        value = _with_namespace(document.value, namespace if kind.namespaced else None)
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
        raise InputError([*complaints, *also_refused(valid, GivenObjects())])
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
        whole = kind is not None and not kind.namespaced
        place = "" if whole else place
        problems = [problem] if kind is None else []
        if name and not isinstance(name, str):
            problems.append(Problem("metadata.name", f"{show(name)} is not a text; quote it"))
        elif not name:
            problems.append(Problem("metadata.name", "missing: name the service"))
        if place and not isinstance(place, str):
            problems.append(Problem("metadata.namespace", f"{show(place)} is not a text; quote it"))
        elif place and (fault := check_namespace(place)):
            problems.append(Problem("metadata.namespace", fault))
        elif not place and not whole:
            problems.append(
                Problem(
                    "metadata.namespace",
                    "missing: name a namespace here or in the option namespace",
                )
            )
        if problems or kind is None:
            complaints.append(Complaint(document.origin, tuple(problems)))
        else:
            place = str(place or "")
            found.append((kind, Reference(kind.api_version, kind.kind, place, str(name))))
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


def _kind(value: Any, also: Sequence[str] = ()) -> tuple[ServiceKind[Any, Any] | None, Problem]:
    services = [
        f"{kind} ({' or '.join(versions)})" for kind, (versions, dummy) in REGISTERED.items()
    ]
    known = ", ".join([*also, *services])
    if not isinstance(value, dict):
        return None, Problem(
            "", f"{type(value).__name__} is not a custom resource; give a map with one of {known}"
        )
    key = (str(value.get("apiVersion")), str(value.get("kind")))
    if key in WRITTEN:
        return WRITTEN[key], Problem("", "")
    if key in BESIDE:
        advice = f"{key[1]} is not a service, services only use it; apply it with applyset, or give it in cluster_objects"
        return None, Problem("kind", advice)
    if key[1] in REGISTERED:
        wanted = " or ".join(REGISTERED[key[1]][0])
        given = "missing" if value.get("apiVersion") is None else f'"{key[0]}" has no {key[1]}'
        return None, Problem("apiVersion", f"{given}; write {wanted}")
    near = nearest(key[1], [*REGISTERED, *also])
    hint = f", did you mean {near}?" if near and near != key[1] else ""
    field_name = "apiVersion" if near == key[1] else "kind"
    shown = value.get(field_name)
    if shown is None and CHART_FIELDS & value.keys():
        return None, Problem(
            field_name,
            "missing; these are values of llm-d's Helm chart: give what the filter modelops.inference.from_llm_d_chart makes of them",
        )
    if shown is None:
        text = "missing"
    elif also:
        text = f'"{shown}" is not a workload or service that this collection knows'
    else:
        text = f'"{shown}" is not a service that this collection knows'
    return None, Problem(field_name, f"{text}{hint}; known are {known}")


def _reference(kind: ServiceKind[Any, Any], value: Json) -> Reference | None:
    """Return the name of a document's service, None where it has none."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        return None
    place, name = metadata.get("namespace") or "", metadata.get("name")
    is_text = isinstance(place, str) and isinstance(name, str)
    named = is_text and bool(name) and bool(place) is kind.namespaced
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
