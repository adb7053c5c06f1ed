# SPDX-License-Identifier: GPL-3.0-or-later
"""Proving children while they are listed, so that of a settled fleet little is held in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..kube.manifest import Json
from ..kube.reference import Reference
from . import OWNER_ANNOTATION, SETTLED_ANNOTATION
from .desired import Desired
from .noop_proof import doubt

_KEPT_METADATA = ("uid", "resourceVersion", "generation", "deletionTimestamp")
_KEPT_OF_ENTRY = ("manager", "operation", "subresource")


class Prover:
    """Looks at each object as its page arrives.

    children: with what they are compared. uids: of the parents that are there and stay; of other services nothing is proved.
    """

    def __init__(self, children: Iterable[Desired], uids: Mapping[Reference, str]) -> None:
        self._children = {child.reference: child for child in children if child.service in uids}
        self._uids = uids
        #: Children that an apply would not change.
        self.proved: set[Reference] = set()
        self._alike: dict[Any, Any] = {}

    def keep(self, live: Json) -> Json:
        """Return what has to be kept of an object: all of it, unless it is proved."""
        child = self._children.get(Reference.of(live))
        if child is None:
            return live
        # A LIST that has to begin again shows an object twice.
        self.proved.discard(child.reference)
        # What the server keeps otherwise than it was sent is reported in each run, and needed whole for that.
        if SETTLED_ANNOTATION in (live["metadata"].get("annotations") or {}):
            return live
        if doubt(child, live, self._uids[child.service] if child.parent else "") is not None:
            return live
        self.proved.add(child.reference)
        return self._reduced(live, child.reference)

    def _reduced(self, live: Json, name: Reference) -> Json:
        """Return of an object that stays what is still asked of it: whose it is, who wrote it, which one it is, and how it does.

        Names, owner and writers are the same as of others, and kept once.
        """
        metadata = live["metadata"]
        kept = {field: metadata[field] for field in _KEPT_METADATA if field in metadata}
        kept["name"] = name.name
        if name.namespace:
            kept["namespace"] = name.namespace
        owner = metadata["annotations"][OWNER_ANNOTATION]
        kept["annotations"] = self._alike.setdefault(owner, {OWNER_ANNOTATION: owner})
        writers = tuple(
            tuple((field, entry[field]) for field in _KEPT_OF_ENTRY if field in entry)
            for entry in metadata.get("managedFields") or []
        )
        if writers not in self._alike:
            self._alike[writers] = [dict(entry) for entry in writers]
        kept["managedFields"] = self._alike[writers]
        reduced = {"apiVersion": live["apiVersion"], "kind": live["kind"], "metadata": kept}
        if "spec" in live:
            reduced["spec"] = {n: value for n, value in live["spec"].items() if n != "template"}
        if "status" in live:
            reduced["status"] = live["status"]
        return reduced
