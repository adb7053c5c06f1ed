# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of a set name, and what is not there: an API server takes such objects, and nothing works.

What pods name is looked up by the checks that services have. Controllers may create something later, so everything here is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..checks.workloads import dangling_names
from ..kinds.check import WARNING
from ..kinds.view import templates_of
from ..kube.did_you_mean import nearest
from ..kube.manifest import Json, value_at
from ..kube.problem import Problem
from ..kube.reader import NotAllowed, Reader
from ..kube.reference import Reference
from ..kube.text import few

_RBAC = "rbac.authorization.k8s.io/v1"
_CERTIFICATES = "cert-manager.io/v1"
#: ClusterRoles that every cluster has, beside those of the system.
_ALWAYS_THERE = frozenset({"cluster-admin", "admin", "edit", "view"})
_SYSTEM = "system:"
_WORKLOADS = frozenset({"Deployment", "DaemonSet", "StatefulSet", "Job", "LeaderWorkerSet"})
#: How many names a message has.
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Link:
    """A name of another object. path: where it stands. effect: what comes of it if nothing has the name."""

    target: Reference
    path: str
    effect: str


def links_of(manifest: Json) -> Iterator[Link]:
    """Yield the names by which an object leads to others, those of pods apart."""
    find = _LINKS.get(manifest["kind"])
    if find:
        yield from find(manifest)


def _of_webhooks(manifest: Json) -> Iterator[Link]:
    for number, webhook in enumerate(manifest.get("webhooks") or ()):
        effect = "the API server cannot call the webhook"
        path = f"webhooks[{number}].clientConfig"
        yield from _of_client(webhook.get("clientConfig"), path, effect)


def _of_definition(manifest: Json) -> Iterator[Link]:
    path = ("spec", "conversion", "webhook", "clientConfig")
    effect = "objects of the kind cannot be converted"
    yield from _of_client(value_at(manifest, path), ".".join(path), effect)


def _of_api_service(manifest: Json) -> Iterator[Link]:
    effect = "the API server cannot serve the group"
    yield from _of_client(manifest.get("spec"), "spec", effect)


def _of_client(client: Json | None, path: str, effect: str) -> Iterator[Link]:
    service = (client or {}).get("service") or {}
    if service.get("name") and service.get("namespace"):
        target = Reference("v1", "Service", str(service["namespace"]), str(service["name"]))
        yield Link(target, f"{path}.service", effect)


def _of_binding(manifest: Json) -> Iterator[Link]:
    namespace = str(manifest["metadata"].get("namespace") or "")
    role = manifest.get("roleRef") or {}
    kind, name = role.get("kind"), str(role.get("name") or "")
    if name and name not in _ALWAYS_THERE and not name.startswith(_SYSTEM):
        place = namespace if kind == "Role" else ""
        yield Link(Reference(_RBAC, str(kind), place, name), "roleRef", "it gives no rights")
    for number, subject in enumerate(manifest.get("subjects") or ()):
        place = str(subject.get("namespace") or namespace)
        if subject.get("kind") == "ServiceAccount" and subject.get("name") and place:
            account = Reference("v1", "ServiceAccount", place, str(subject["name"]))
            yield Link(account, f"subjects[{number}]", "nobody gets these rights")


def _of_certificate(manifest: Json) -> Iterator[Link]:
    issuer = value_at(manifest, ("spec", "issuerRef")) or {}
    kind = str(issuer.get("kind") or "Issuer")
    if issuer.get("name") and kind in ("Issuer", "ClusterIssuer"):
        place = str(manifest["metadata"].get("namespace") or "") if kind == "Issuer" else ""
        target = Reference(_CERTIFICATES, kind, place, str(issuer["name"]))
        yield Link(target, "spec.issuerRef", "no certificate is issued")


_LINKS: Mapping[str, Any] = {
    "APIService": _of_api_service,
    "Certificate": _of_certificate,
    "ClusterRoleBinding": _of_binding,
    "CustomResourceDefinition": _of_definition,
    "MutatingWebhookConfiguration": _of_webhooks,
    "RoleBinding": _of_binding,
    "ValidatingWebhookConfiguration": _of_webhooks,
}


def broken_links(manifest: Json, manifests: Sequence[Json], reader: Reader) -> Iterator[Problem]:
    """Yield the names of an object that lead nowhere. manifests: all of the set. reader: sees them too, and what is there beside them."""
    for link in links_of(manifest):
        try:
            found = reader.get(link.target)
        except NotAllowed:
            continue
        if found is None:
            yield from _missing(link, reader)
    if manifest["kind"] == "Service":
        yield from _selected(manifest, manifests)
    if manifest["kind"] in _WORKLOADS:
        for problem in dangling_names(manifest, reader):
            yield replace(problem, severity=WARNING)


def _missing(link: Link, reader: Reader) -> Iterator[Problem]:
    """Yield that nothing has a name. Where no cluster is looked at, it is told beside one of the same kind and place alone."""
    kind, place = link.target.kind, link.target.namespace
    others = (
        [] if reader.complete else _names(reader.list(link.target.api_version, kind, place, {}))
    )
    near = nearest(link.target.name, others)
    if not reader.complete and not (near or (place and others)):
        return
    absent = "does not exist" if reader.complete else "is not in the set"
    hint = f'; did you mean "{near}"?' if near else ""
    text = f"names {link.target}, which {absent}: {link.effect}{hint}"
    yield Problem(link.path, text, WARNING, rule="leads-nowhere")


def _selected(service: Json, manifests: Sequence[Json]) -> Iterator[Problem]:
    """Yield that a Service selects no pods of the workloads beside it, though they have its labels, or a port that they have not."""
    place = service["metadata"].get("namespace")
    selector = value_at(service, ("spec", "selector")) or {}
    pods = [
        template
        for each in manifests
        if each["kind"] in _WORKLOADS and each["metadata"].get("namespace") == place
        for dummy, template in templates_of(each)
    ]
    labelled = [value_at(pod, ("metadata", "labels")) or {} for pod in pods]
    chosen = [
        pod for pod, has in zip(pods, labelled, strict=True) if selector.items() <= has.items()
    ]
    if selector and chosen:
        yield from _unnamed_ports(service, chosen)
    elif selector:
        yield from _unmatched(selector, labelled)


def _unmatched(selector: Json, labelled: Sequence[Json]) -> Iterator[Problem]:
    """Yield the labels of a selector that pods have with other values alone."""
    for key, value in selector.items():
        there = sorted({labels[key] for labels in labelled if key in labels})
        if there and value not in there:
            text = f"selects {key}: {value}, which no workload beside it has, so nothing answers; there is {few(there, _SHOWN)}"
            yield Problem("spec.selector", text, WARNING, rule="leads-nowhere")


def _unnamed_ports(service: Json, pods: Sequence[Json]) -> Iterator[Problem]:
    """Yield the ports that a Service calls by names that no container of its pods gives."""
    names = {
        str(port.get("name"))
        for pod in pods
        for container in value_at(pod, ("spec", "containers")) or ()
        for port in container.get("ports") or ()
        if port.get("name")
    }
    for number, port in enumerate(value_at(service, ("spec", "ports")) or ()):
        target = port.get("targetPort")
        if isinstance(target, str) and target not in names:
            listed = f"; there is {few(sorted(names), _SHOWN)}" if names else ""
            text = f"no container behind it has a port of the name {target}, so nothing answers{listed}"
            yield Problem(f"spec.ports[{number}].targetPort", text, WARNING, rule="leads-nowhere")


def _names(objects: Sequence[Json]) -> list[str]:
    return sorted(str(each["metadata"]["name"]) for each in objects)
