# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving a bundle into another namespace: the objects, and everything that names the namespace they were in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...kube.manifest import Json, value_at
from ...kube.names import check_namespace
from ...kube.problem import Problem
from ...kube.schema_faults import show
from ...kube.text import few

#: How many namespaces a message names.
_SHOWN = 5
_LEVEL = "pod-security.kubernetes.io/"
#: Annotations that name an object as `<namespace>/<name>`. Source: cert-manager documentation, CA injector.
_NAMED = ("cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret")


def move(manifests: Sequence[Json], moves: Mapping[str, str]) -> Iterator[Problem]:
    """Move namespaces by their names. Yields a problem for each that the bundle does not name."""
    found: set[str] = set()
    for name, wanted in moves.items():
        if not isinstance(wanted, str):
            yield Problem(f"transform.namespaces.{name}", f"{show(wanted)} is not a text; quote it")
        elif fault := check_namespace(wanted):
            yield Problem(f"transform.namespaces.{name}", fault)
    moves = {name: str(wanted) for name, wanted in moves.items()}
    for manifest in manifests:
        _move_object(manifest, moves, found)
        for place in _places(manifest):
            _replace(place, "namespace", moves, found)
        _move_annotations(manifest, moves, found)
        if manifest["kind"] == "Certificate":
            _move_names(manifest["spec"], moves)
    there = sorted({str(each["metadata"].get("namespace") or "") for each in manifests} - {""})
    for name in sorted(moves.keys() - found):
        text = (
            f"nothing in the bundle is in this namespace; there are: {few(there, _SHOWN) or 'none'}"
        )
        yield Problem(f"transform.namespaces.{name}", text)


def set_pod_security(manifests: Sequence[Json], level: str) -> Iterator[Problem]:
    """Set the level of Pod Security of the bundle's namespaces."""
    namespaces = [manifest for manifest in manifests if manifest["kind"] == "Namespace"]
    if not namespaces:
        text = "the bundle has no Namespace to label; label it where it is made"
        yield Problem("transform.pod_security", text)
    for manifest in namespaces:
        labels = manifest["metadata"].setdefault("labels", {})
        labels |= {f"{_LEVEL}{mode}": level for mode in ("enforce", "audit", "warn")}


def _move_object(manifest: Json, moves: Mapping[str, str], found: set[str]) -> None:
    metadata = manifest["metadata"]
    _replace(metadata, "namespace", moves, found)
    if manifest["kind"] == "Namespace" and metadata["name"] in moves:
        found.add(metadata["name"])
        labels = metadata.get("labels") or {}
        if "kubernetes.io/metadata.name" in labels:
            labels["kubernetes.io/metadata.name"] = moves[metadata["name"]]
        metadata["name"] = moves[metadata["name"]]


def _replace(place: Any, key: str, moves: Mapping[str, str], found: set[str]) -> None:
    if isinstance(place, dict) and place.get(key) in moves:
        found.add(place[key])
        place[key] = moves[place[key]]


def _places(manifest: Json) -> Iterator[Any]:
    """Yield what names an object of another namespace."""
    yield from manifest.get("subjects") or []
    for webhook in manifest.get("webhooks") or []:
        yield value_at(webhook, ("clientConfig", "service"))
    yield value_at(manifest, ("spec", "conversion", "webhook", "clientConfig", "service"))
    if manifest["kind"] == "APIService":
        yield value_at(manifest, ("spec", "service"))


def _move_annotations(manifest: Json, moves: Mapping[str, str], found: set[str]) -> None:
    annotations = manifest["metadata"].get("annotations") or {}
    for key in _NAMED:
        namespace, slash, name = str(annotations.get(key) or "").partition("/")
        if slash and namespace in moves:
            found.add(namespace)
            annotations[key] = f"{moves[namespace]}/{name}"


def _move_names(spec: Json, moves: Mapping[str, str]) -> None:
    """Change the names of Services that a certificate is for: `<service>.<namespace>.svc`."""
    if isinstance(spec.get("commonName"), str):
        spec["commonName"] = _moved(spec["commonName"], moves)
    if spec.get("dnsNames"):
        spec["dnsNames"] = [_moved(name, moves) for name in spec["dnsNames"]]


def _moved(name: str, moves: Mapping[str, str]) -> str:
    parts = name.split(".")
    if len(parts) >= 3 and parts[2] == "svc" and parts[1] in moves:
        parts[1] = moves[parts[1]]
    return ".".join(parts)
