# SPDX-License-Identifier: GPL-3.0-or-later
"""What a CustomResourceDefinition says about a kind, and which changes of one may not be made.

Source: Kubernetes documentation, versions of CustomResourceDefinitions; Gateway API documentation, release channels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .applyset import GroupKind
from .manifest import Json, value_at

API_VERSION = "apiextensions.k8s.io/v1"
KIND = "CustomResourceDefinition"
_CHANNEL = "gateway.networking.k8s.io/channel"
#: Annotations that hold the release of a bundle of CRDs.
_RELEASES = (
    "gateway.networking.k8s.io/bundle-version",
    "inference.networking.k8s.io/bundle-version",
)
_NUMBERS = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(-[0-9A-Za-z.-]+)?")


@dataclass(frozen=True, slots=True)
class Definition:
    """A kind that a CRD defines. versions: those that it serves. storage: the one that objects are kept in."""

    kind: GroupKind
    plural: str
    namespaced: bool
    versions: tuple[str, ...]
    storage: str

    def api_version(self, version: str) -> str:
        """Return a version with its group."""
        return f"{self.kind.group}/{version}"


def is_crd(manifest: Json) -> bool:
    """Tell whether an object is a CRD."""
    return bool(manifest["kind"] == KIND)


def definition(crd: Json) -> Definition | None:
    """Return the kind that a CRD defines, None where it does not say so; then the API server refuses it."""
    spec = crd.get("spec")
    names = value_at(crd, ("spec", "names"))
    if not isinstance(spec, dict) or not isinstance(names, dict):
        return None
    versions = [each for each in spec.get("versions") or [] if isinstance(each, dict)]
    served = tuple(str(each.get("name")) for each in versions if each.get("served"))
    storage = next((str(each.get("name")) for each in versions if each.get("storage")), "")
    kind, plural = names.get("kind"), names.get("plural")
    if not kind or not plural or not versions:
        return None
    return Definition(
        GroupKind(str(spec.get("group") or ""), str(kind)),
        str(plural),
        spec.get("scope") == "Namespaced",
        served,
        storage,
    )


def stored_versions(crd: Json) -> tuple[str, ...]:
    """Return the versions in which objects may still be kept."""
    return tuple(value_at(crd, ("status", "storedVersions")) or ())


def dropped_versions(wanted: Json, live: Json) -> tuple[str, ...]:
    """Return the versions in which objects may still be kept and that the wanted CRD lacks."""
    names = {each["name"] for each in value_at(wanted, ("spec", "versions")) or []}
    return tuple(version for version in stored_versions(live) if version not in names)


def conversion_service(crd: Json) -> tuple[str, str] | None:
    """Return namespace and name of the Service that converts the objects of a CRD, None where none does."""
    if value_at(crd, ("spec", "conversion", "strategy")) != "Webhook":
        return None
    service = value_at(crd, ("spec", "conversion", "webhook", "clientConfig", "service"))
    if not isinstance(service, dict):
        return None
    return str(service.get("namespace") or ""), str(service.get("name") or "")


def refused_changes(wanted: Json, live: Json) -> Iterator[str]:
    """Yield why a CRD may not replace the one that is there."""
    name = wanted["metadata"]["name"]
    ours, theirs = _annotation(wanted, _CHANNEL), _annotation(live, _CHANNEL)
    if ours and theirs and ours != theirs:
        yield (
            f"{name} is of the channel {theirs}, and this one of {ours}: objects that one channel takes are lost or refused by the "
            f"other; use a bundle of the channel {theirs}, or remove the CRD with its objects first"
        )
    for annotation in _RELEASES:
        new, old = _annotation(wanted, annotation), _annotation(live, annotation)
        if is_older(new, old):
            yield f"{name} is of release {old}, and this one of {new}: a CRD is not taken back to an older release; use {old} or newer"
    missing = dropped_versions(wanted, live)
    storage = _storage(wanted)
    if missing and storage not in {each["name"] for each in live["spec"]["versions"]}:
        yield (
            f"{name} keeps objects in version {', '.join(missing)}, which this one lacks, and does not know version {storage} yet, into "
            f"which they would be moved; install a release in between that has both"
        )


def is_older(new: str, old: str) -> bool:
    """Tell whether a release comes before another; what is no version number is never older."""
    numbers, others = release_key(new), release_key(old)
    return numbers is not None and others is not None and numbers < others


def release_key(text: str) -> tuple[int, int, int, bool, str] | None:
    """Return what releases are compared by, None for what is no version number. A release comes after its own candidates."""
    found = _NUMBERS.fullmatch(text.strip())
    if not found:
        return None
    major, minor, patch, suffix = found.groups()
    return int(major), int(minor), int(patch or 0), not suffix, suffix or ""


def bundle_release(crd: Json) -> str:
    """Return the release of the bundle that a CRD came with, empty where it does not say so."""
    return next((found for each in _RELEASES if (found := _annotation(crd, each))), "")


def definitions(manifests: Iterable[Json]) -> dict[GroupKind, Definition]:
    """Return the kinds that the CRDs among these manifests define."""
    found = (definition(manifest) for manifest in manifests if is_crd(manifest))
    return {each.kind: each for each in found if each is not None}


def _storage(crd: Json) -> str:
    found = definition(crd)
    return found.storage if found else ""


def _annotation(manifest: Json, name: str) -> str:
    return str((manifest["metadata"].get("annotations") or {}).get(name) or "")


def declared_status(crd: Json, api_version: str) -> frozenset[str]:
    """Return the paths of all fields of the status that a CRD declares for a version; `[]` stands for the items of a list."""
    status = value_at(_schema(crd, api_version), ("properties", "status"))
    return frozenset(_paths(status, "")) if isinstance(status, dict) else frozenset()


def undeclared_fields(crd: Json, manifest: Json) -> list[str]:
    """Return the fields in `spec` of an object that its CRD does not declare for its version."""
    schema = _schema(crd, str(manifest["apiVersion"]))
    spec = value_at(schema, ("properties", "spec"))
    return list(_undeclared(manifest.get("spec"), spec, "spec")) if isinstance(spec, dict) else []


def _schema(crd: Json, api_version: str) -> Json:
    name = api_version.rpartition("/")[2]
    for version in value_at(crd, ("spec", "versions")) or []:
        if version.get("name") == name:
            return value_at(version, ("schema", "openAPIV3Schema")) or {}
    return {}


def _paths(schema: Any, path: str) -> Iterator[str]:
    """Yield the paths of the fields below an object, or below the objects of a list. A schema that is no map has none."""
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("items"), dict):
        yield from _paths(schema["items"], f"{path}[]")
    for name, field in (schema.get("properties") or {}).items():
        where = f"{path}.{name}" if path else name
        yield where
        yield from _paths(field, where)


def _undeclared(value: Any, schema: Json, path: str) -> Iterator[str]:
    """Yield what a structural schema would not keep. What it keeps whatever it is, and maps of no declared form, hold anything."""
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return
    if isinstance(value, list):
        items = schema.get("items")
        if not isinstance(items, dict):
            return
        for number, item in enumerate(value):
            yield from _undeclared(item, items, f"{path}[{number}]")
    if not isinstance(value, dict):
        return
    declared = schema.get("properties") or {}
    others = schema.get("additionalProperties")
    for name, inner in value.items():
        below = declared.get(name, others)
        if isinstance(below, dict):
            yield from _undeclared(inner, below, f"{path}.{name}")
        elif declared and not below:
            yield f"{path}.{name}"
