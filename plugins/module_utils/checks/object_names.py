# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that no object can have, in whatever refers to an object: whoever looks for it looks for ever.

Source: Kubernetes documentation, Object Names and IDs: objects of nearly all kinds are called by DNS subdomains.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kinds.check import ERROR, WARNING, Check, check
from ..kinds.field_map import Place
from ..kinds.view import ServiceView
from ..kube import gvk
from ..kube.named_objects import CALLED_OTHERWISE
from ..kube.names import check_dns_subdomain, check_namespace, quoted
from ..kube.problem import Problem, Severity
from ..kube.reference import Reference
from .backends import backend_references

#: Kinds that are named together with a namespace.
_WITH_NAMESPACE = ("Gateway", "Service")

_FORM = 'names have only lower-case letters, digits, "-" and ".", and begin and end with a letter or digit'

IMPOSSIBLE = Check(
    "name-impossible",
    WARNING,
    finds=f"no {{kind}} can be called {{name}}: {_FORM}",
    fix="{way}",
    stops=True,
)
NAMESPACE = Check(
    "name-impossible",
    WARNING,
    finds='no namespace can be called {name}: a namespace has only lower-case letters, digits and "-"',
    fix="correct it",
)


@check(IMPOSSIBLE, costly=True)
def impossible(view: ServiceView) -> Iterator[Problem]:
    """Yield references whose names no object can have."""
    told: set[tuple[str, str]] = set()
    for reference, place, severity in _named(view):
        key = (reference.kind, reference.name)
        if reference.name and check_dns_subdomain(reference.name) and key not in told:
            told.add(key)
            name, way = quoted(reference.name), _way(view, reference)
            yield IMPOSSIBLE.at(place, severity=severity, kind=reference.kind, name=name, way=way)


@check(NAMESPACE, costly=True)
def impossible_namespace(view: ServiceView) -> Iterator[Problem]:
    """Yield references to objects in namespaces that cannot exist."""
    told: set[str] = set()
    for reference, place in (*_parents(view), *_backends(view)):
        namespace = reference.namespace
        if namespace and check_namespace(namespace) and namespace not in told:
            told.add(namespace)
            yield NAMESPACE.at(place, name=quoted(namespace))


def _named(view: ServiceView) -> Iterator[tuple[Reference, Place, Severity]]:
    """Yield everything that a service refers to; an error where pods wait for it."""
    for named, place in view.names:
        # What nobody wrote there follows from a field about which its kind speaks itself.
        if named.kind not in CALLED_OTHERWISE and place.exact:
            waits = named.stuck and not named.optional
            yield named.references[0], place, ERROR if waits else WARNING
    for reference, place in (*view.refers, *_parents(view), *_backends(view), *_credentials(view)):
        yield reference, place, WARNING


def _parents(view: ServiceView) -> Iterator[tuple[Reference, Place]]:
    for route in view.routes:
        for parent in route.parents:
            if parent.gateway.api_version == gvk.GATEWAY:
                yield parent.gateway, parent.place


def _backends(view: ServiceView) -> Iterator[tuple[Reference, Place]]:
    for route, path, each in backend_references(view):
        namespace = str(each.get("namespace") or route.reference.namespace)
        kind = str(each.get("kind") or "Service")
        place = view.field_map.at(route.reference, f"{path}.name")
        yield Reference("", kind, namespace, str(each.get("name") or "")), place


def _credentials(view: ServiceView) -> Iterator[tuple[Reference, Place]]:
    """Yield the Secret that an annotation of the service names."""
    metadata = view.document.get("metadata") or {}
    name = (metadata.get("annotations") or {}).get(view.secret_annotation or "-")
    if isinstance(name, str):
        secret = Reference("v1", "Secret", view.reference.namespace, name)
        yield secret, Place(f'metadata.annotations["{view.secret_annotation}"]')


def _way(view: ServiceView, reference: Reference) -> str:
    """Return what to write; people join namespace and name by a slash."""
    home = view.reference.namespace
    namespace, slash, name = reference.name.partition("/")
    if not slash or check_namespace(namespace) or check_dns_subdomain(name):
        return "correct it"
    if namespace == home:
        return f"write {name}: the {reference.kind} is looked for in the service's namespace"
    if reference.kind in _WITH_NAMESPACE:
        return f"write name: {name} and namespace: {namespace}"
    return f"write {name}, and create it in {home}: a service only uses objects of its own namespace here"
