# SPDX-License-Identifier: GPL-3.0-or-later
"""The outside of a custom resource: version, kind and metadata, as people write them or export them from a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .core_schema import string_map
from .manifest import Json
from .names import check_namespace
from .problem import Problem
from .redact import LAST_APPLIED
from .schema import Object, Text
from .schema_check import check, child_path
from .schema_faults import missing, show
from .validation.metadata import annotation_problems, label_problems

METADATA = Object(
    fields={
        "name": Text(description="The name of the object."),
        "namespace": Text(description="The namespace of the object."),
        "labels": string_map("Labels of the object."),
        "annotations": string_map("Annotations of the object."),
    },
    required=("name",),
    hints={"generateName": "give a name: an object that is found again needs one"},
)

#: Maps of texts in metadata.
_TEXTS = ("labels", "annotations")
#: What the API server or a controller writes. It is in exported objects and is not part of what an author wants.
SERVER_OWNED = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generation",
        "managedFields",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)
_PARTS = Object(
    fields={
        name: Object(fields={}) for name in ("apiVersion", "kind", "metadata", "spec", "status")
    }
)


@dataclass(frozen=True, slots=True)
class Envelope:
    """The outside of a document. namespace: empty where the document names none."""

    name: str
    namespace: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    problems: tuple[Problem, ...]


def read_envelope(
    document: Mapping[str, Any], api_version: str, kind: str, *, namespaced: bool = True
) -> Envelope:
    """Return the outside of a custom resource and what is wrong with it. The name's own rules are the kind's.

    namespaced: False for a kind that belongs to the whole cluster.
    """
    metadata = document.get("metadata")
    written = metadata if isinstance(metadata, Mapping) else {}
    checked = check(METADATA, _authors(metadata), "metadata")
    value: Json = checked.value
    envelope = Envelope(
        name=value["name"],
        namespace=value.get("namespace") or "",
        labels=value.get("labels") or {},
        annotations=value.get("annotations") or {},
        problems=checked.problems,
    )
    found = [
        *_part_problems(document, api_version, kind),
        *checked.problems,
        *_metadata_problems(envelope, written, namespaced=namespaced),
    ]
    return Envelope(
        envelope.name, envelope.namespace, envelope.labels, envelope.annotations, tuple(found)
    )


def as_applied(document: Mapping[str, Any], envelope: Envelope) -> Json:
    """Return the custom resource as its author means it: no status, no nulls, nothing that the server or a controller writes."""
    place = {"namespace": envelope.namespace} if envelope.namespace else {}
    metadata: Json = {"name": envelope.name, **place}
    annotations = {key: value for key, value in envelope.annotations.items() if key != LAST_APPLIED}
    if envelope.labels:
        metadata["labels"] = dict(envelope.labels)
    if annotations:
        metadata["annotations"] = annotations
    return {
        "apiVersion": document["apiVersion"],
        "kind": document["kind"],
        "metadata": metadata,
        "spec": _without_nulls(document.get("spec") or {}),
    }


def _authors(metadata: Any) -> Any:
    """Return what its author wrote of the metadata. In a spec, a null is left out; here the API server stores an empty text."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        return metadata
    written = {key: value for key, value in metadata.items() if key not in SERVER_OWNED}
    for part in _TEXTS:
        if isinstance(written.get(part), Mapping):
            texts = written[part].items()
            written[part] = {key: "" if text is None else text for key, text in texts}
    return written


def _part_problems(document: Mapping[str, Any], api_version: str, kind: str) -> Iterator[Problem]:
    for field, wanted in (("apiVersion", api_version), ("kind", kind)):
        if document.get(field) != wanted:
            yield Problem(field, f"{show(document.get(field))} is not {wanted}", rule="kind")
    unknown = {key: None for key in document if key not in _PARTS.fields}
    yield from check(_PARTS, unknown, "").problems


def _metadata_problems(
    envelope: Envelope, written: Mapping[str, Any], *, namespaced: bool
) -> Iterator[Problem]:
    if written.get("name") == "":
        yield Problem("metadata.name", missing(METADATA.fields["name"]), rule="missing")
    if not namespaced:
        if envelope.namespace:
            message = "the kind belongs to the whole cluster; leave the namespace out"
            yield Problem("metadata.namespace", message, rule="kind")
    elif not envelope.namespace and not any(
        problem.path == "metadata.namespace" for problem in envelope.problems
    ):
        yield Problem(
            "metadata.namespace",
            "missing: name a namespace here or in the option namespace",
            rule="missing",
        )
    elif envelope.namespace:
        fault = check_namespace(envelope.namespace)
        if fault:
            yield Problem("metadata.namespace", fault, rule="name")
    yield from _nulls(written)
    yield from label_problems(envelope.labels, "metadata.labels")
    yield from annotation_problems(envelope.annotations, "metadata.annotations")
    if written.get("deletionTimestamp"):
        message = "the document was exported while its object was being deleted; it is read as one to create"
        yield Problem("metadata.deletionTimestamp", message, "warning", rule="exported")


def _nulls(written: Mapping[str, Any]) -> Iterator[Problem]:
    for part in _TEXTS:
        texts = written.get(part)
        for key, text in texts.items() if isinstance(texts, Mapping) else ():
            if text is None:
                message = "null is stored as an empty text; give the key a value, or remove it"
                path = child_path(f"metadata.{part}", str(key))
                yield Problem(path, message, "warning", rule="null")


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_nulls(item) for item in value]
    return value
