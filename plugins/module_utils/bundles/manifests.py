# SPDX-License-Identifier: GPL-3.0-or-later
"""The manifests of a bundle as their author wrote them, and everything that is wrong with their form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..kube.envelope import SERVER_OWNED
from ..kube.manifest import Json, value_at
from ..kube.problem import Complaint, InputError, Problem
from ..kube.redact import LAST_APPLIED
from ..kube.reference import Reference
from ..kube.schema_faults import show
from ..kube.text import few
from ..kube.validation.metadata import annotation_problems, label_problems

#: Parts of which an empty one means that the file was cut off there, or that somebody forgot to write it.
_NEVER_EMPTY = ("spec", "webhooks", "metadata")
#: Where the containers of a kind are.
_CONTAINERS = {
    "Deployment": ("spec", "template", "spec", "containers"),
    "DaemonSet": ("spec", "template", "spec", "containers"),
    "StatefulSet": ("spec", "template", "spec", "containers"),
    "Job": ("spec", "template", "spec", "containers"),
    "Pod": ("spec", "containers"),
}
#: How many objects a message names.
_NAMED = 5
#: What a template of a Helm chart begins with.
_TEMPLATE = "{{"
#: The group of what no API server serves.
_KUSTOMIZE = "kustomize.config.k8s.io/"
#: Kinds that say nothing without a spec.
_WITH_SPEC = frozenset({*_CONTAINERS, "CustomResourceDefinition", "Service", "Certificate"})


@dataclass(frozen=True, slots=True)
class Given:
    """One object of a bundle. origin: where it is, for messages."""

    origin: str
    manifest: Json

    @property
    def reference(self) -> Reference:
        """The object's name as it is written."""
        return Reference.of(self.manifest)

    @property
    def subject(self) -> str:
        """How messages call the object."""
        return f"{self.origin} ({self.reference})"


def read_manifests(documents: Iterable[tuple[str, Any]]) -> list[Given]:
    """Return the objects of documents (origin, value), without what the server writes. Raises InputError with every problem."""
    found: list[Given] = []
    complaints: list[Complaint] = []
    for origin, value in documents:
        problems = tuple(_problems(value))
        if problems:
            complaints.append(Complaint(_subject(origin, value), problems))
        else:
            found.append(Given(origin, _authored(value)))
    if complaints:
        raise InputError(complaints)
    return found


def without(given: Sequence[Given], names: Sequence[str]) -> list[Given]:
    """Return a bundle without some objects, each named `Kind/name` or `Kind/namespace/name`.

    Raises InputError that names each one that the bundle does not have.
    """
    problems = []
    for place, name in enumerate(names):
        if not any(name in _names(one.reference) for one in given):
            kind = name.partition("/")[0]
            known = [_names(one.reference)[0] for one in given if one.reference.kind == kind]
            there = few(known, _NAMED) or "none"
            text = f"the bundle has no {name}; of this kind there are: {there}"
            problems.append(Problem(f"transform.leave_out[{place}]", text))
    if problems:
        raise InputError([Complaint("transform", tuple(problems))])
    return [one for one in given if not set(_names(one.reference)) & set(names)]


def _names(reference: Reference) -> tuple[str, str]:
    full = f"{reference.kind}/{reference.namespace}/{reference.name}"
    return f"{reference.kind}/{reference.name}", full


def duplicates(objects: Sequence[tuple[Given, Reference]]) -> list[Complaint]:
    """Return a complaint for each object that is given more than once. The reference holds the namespace that the object gets."""
    first: dict[tuple[str, str, str, str], Given] = {}
    complaints = []
    for given, reference in objects:
        key = (reference.group, reference.kind, reference.namespace, reference.name)
        if key in first:
            text = f"{reference} is in {first[key].origin} as well; remove one of them"
            complaints.append(Complaint(given.origin, (Problem("", text, rule="duplicate"),)))
        first.setdefault(key, given)
    return complaints


def _subject(origin: str, value: Any) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("kind"), str):
        metadata = value.get("metadata")
        name = metadata.get("name") if isinstance(metadata, Mapping) else None
        return f"{origin} ({value['kind']} {name or 'without a name'})"
    return origin


def _problems(value: Any) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        kind = type(value).__name__
        yield Problem("", f"{kind} is not a manifest; give a map with apiVersion and kind")
        return
    if str(value.get("apiVersion")).startswith(_KUSTOMIZE):
        text = "kustomize alone reads it; give what kubectl kustomize makes of its folder"
        yield Problem("kind", text)
        return
    for field in ("apiVersion", "kind"):
        if not isinstance(value.get(field), str) or not value[field]:
            yield Problem(field, f"{_no_text(value.get(field))}; this is no Kubernetes object")
    for part in _NEVER_EMPTY:
        if part in value and value[part] is None:
            yield Problem(part, "it is empty; is the file cut off?")
    yield from _metadata_problems(value.get("metadata"))
    yield from _body_problems(value)


def _no_text(value: Any) -> str:
    return "missing" if value in (None, "") else f"{show(value)} is not a text"


def _metadata_problems(metadata: Any) -> Iterator[Problem]:
    if metadata is None:
        metadata = {}
    if not isinstance(metadata, Mapping):
        yield Problem("metadata", f"{type(metadata).__name__} is not a map")
        return
    name, namespace = metadata.get("name"), metadata.get("namespace")
    if not isinstance(name, str) or not name:
        hint = (
            "; an object that is found again needs one, and generateName gives another each time"
            if metadata.get("generateName")
            else ""
        )
        yield Problem("metadata.name", f"{_no_text(name)}{hint}")
    elif _TEMPLATE in name:
        text = f"{show(name)} is a template that nobody has filled in; render the chart first, for example with helm template"
        yield Problem("metadata.name", text)
    if namespace is not None and not isinstance(namespace, str):
        yield Problem("metadata.namespace", f"{namespace!r} is not a text")
    for part, check in (("labels", label_problems), ("annotations", annotation_problems)):
        given = metadata.get(part)
        if given is None:
            continue
        if not isinstance(given, Mapping):
            yield Problem(f"metadata.{part}", f"{type(given).__name__} is not a map")
            continue
        texts = {key: text for key, text in given.items() if isinstance(text, str)}
        for key in given.keys() - texts.keys():
            yield Problem(f"metadata.{part}.{key}", f"{given[key]!r} is not a text; quote it")
        yield from check(texts, f"metadata.{part}")


def _body_problems(value: Mapping[str, Any]) -> Iterator[Problem]:
    kind = str(value.get("kind"))
    if kind in _WITH_SPEC and "spec" not in value:
        yield Problem("spec", f"missing: a {kind} says nothing without it; is the file cut off?")
    path = _CONTAINERS.get(kind)
    if path and value.get("spec") and not value_at(dict(value), path):
        yield Problem(".".join(path), "it names no container; is the file cut off?")


def _authored(value: Mapping[str, Any]) -> Json:
    """Return a manifest without what the server or a client writes by itself; bundles carry it as exports do."""
    metadata = {
        key: part
        for key, part in value["metadata"].items()
        if part is not None and key not in SERVER_OWNED - {"finalizers"}
    }
    annotations = metadata.get("annotations")
    if annotations and LAST_APPLIED in annotations:
        kept = {key: text for key, text in annotations.items() if key != LAST_APPLIED}
        metadata["annotations"] = kept
    rest = {key: part for key, part in value.items() if key not in ("metadata", "status")}
    return {**rest, "metadata": metadata}
