# SPDX-License-Identifier: GPL-3.0-or-later
"""What marks a set of objects and its members, so that kubectl and other tools understand it.

Source: KEP-3659 (ApplySet); k8s.io/kubectl v0.36.3, pkg/cmd/apply.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from .manifest import Json
from .reference import Reference

_PREFIX = "applyset.kubernetes.io/"
#: Label of the parent: the id of its set.
ID_LABEL = f"{_PREFIX}id"
#: Label of each member: the id of the set that it belongs to.
PART_OF_LABEL = f"{_PREFIX}part-of"
#: Annotations of the parent: who keeps the set, of which kinds its members are, and in which other namespaces they are.
TOOLING_ANNOTATION = f"{_PREFIX}tooling"
GROUP_KINDS_ANNOTATION = f"{_PREFIX}contains-group-kinds"
NAMESPACES_ANNOTATION = f"{_PREFIX}additional-namespaces"

#: This tool as the KEP wants it, `<name>/<version>`; another version of it may continue with a set.
TOOL = "modelops.inference"
TOOLING = f"{TOOL}/v1.0.0"


class GroupKind(NamedTuple):
    """A kind whatever its version."""

    group: str
    kind: str

    @classmethod
    def of(cls, reference: Reference) -> GroupKind:
        """Return the kind of an object."""
        return cls(reference.group, reference.kind)

    @classmethod
    def parse(cls, text: str) -> GroupKind:
        """Return the kind that a text such as `Deployment.apps` names."""
        kind, _dot, group = text.partition(".")
        return cls(group, kind)

    def __str__(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind


class MemberKey(NamedTuple):
    """One object, whatever the version in which it is written."""

    group: str
    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, reference: Reference) -> MemberKey:
        """Return the key of an object."""
        return cls(reference.group, reference.kind, reference.namespace, reference.name)


def set_id(parent: Reference) -> str:
    """Return the id of the set that an object is the parent of: a label value, the same wherever it is computed."""
    text = ".".join((parent.name, parent.namespace, parent.kind, parent.group))
    hashed = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
    return f"applyset-{hashed.decode()}-v1"


def part_of(live: Json) -> str:
    """Return the id of the set that an object says it belongs to, empty where it names none."""
    return str((live["metadata"].get("labels") or {}).get(PART_OF_LABEL) or "")


def group_kinds_text(kinds: Iterable[GroupKind]) -> str:
    """Return the annotation's value."""
    return ",".join(sorted({str(kind) for kind in kinds}))


def group_kinds_of(parent: Json | None) -> frozenset[GroupKind]:
    """Return the kinds that a parent says its members are of."""
    return frozenset(GroupKind.parse(text) for text in _listed(parent, GROUP_KINDS_ANNOTATION))


def namespaces_text(namespaces: Iterable[str], parent: Reference) -> str:
    """Return the annotation's value: the members' namespaces beside the parent's own."""
    return ",".join(sorted(set(namespaces) - {"", parent.namespace}))


def namespaces_of(parent: Json | None) -> frozenset[str]:
    """Return the namespaces that a parent says its members are in, beside its own."""
    return frozenset(_listed(parent, NAMESPACES_ANNOTATION))


def tooling_of(parent: Json) -> str:
    """Return who keeps a set, empty where nobody says so."""
    return str((parent["metadata"].get("annotations") or {}).get(TOOLING_ANNOTATION) or "")


def _listed(parent: Json | None, annotation: str) -> list[str]:
    annotations = (parent or {}).get("metadata", {}).get("annotations") or {}
    return [text.strip() for text in (annotations.get(annotation) or "").split(",") if text.strip()]
