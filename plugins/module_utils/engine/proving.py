# SPDX-License-Identifier: GPL-3.0-or-later
"""Proving children while they are listed, so that of a settled fleet little is held in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..kube.manifest import Json
from ..kube.reference import Reference
from . import SETTLED_ANNOTATION
from .decide import doubt
from .desired import Desired


class Prover:
    """Looks at each object as its page arrives.

    children: with what they are compared. uids: of the parents that are there and stay; of other services nothing is proved.
    """

    def __init__(self, children: Iterable[Desired], uids: Mapping[Reference, str]) -> None:
        self._children = {child.reference: child for child in children if child.service in uids}
        self._uids = uids
        #: Children that an apply would not change.
        self.proved: set[Reference] = set()

    def keep(self, live: Json) -> Json:
        """Return what has to be kept of an object: all of it, unless it is proved."""
        child = self._children.get(Reference.of(live))
        if child is None:
            return live
        # A LIST that has to begin again shows an object twice.
        self.proved.discard(child.reference)
        # What the server keeps otherwise than it was sent is told in each run, and needed whole for that.
        if SETTLED_ANNOTATION in (live["metadata"].get("annotations") or {}):
            return live
        if doubt(child, live, self._uids[child.service] if child.parent else "") is not None:
            return live
        self.proved.add(child.reference)
        return _reduced(live)


def _reduced(live: Json) -> Json:
    """Return an object without what is bulky and not asked of one that stays: whose its fields are, its pod template, its data."""
    metadata = dict(live["metadata"])
    metadata["managedFields"] = [
        {name: value for name, value in entry.items() if name != "fieldsV1"}
        for entry in metadata.get("managedFields") or []
    ]
    kept = {name: value for name, value in live.items() if name != "data"}
    if "spec" in live:
        kept["spec"] = {name: value for name, value in live["spec"].items() if name != "template"}
    return {**kept, "metadata": metadata}
