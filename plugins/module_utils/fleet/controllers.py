# SPDX-License-Identifier: GPL-3.0-or-later
"""The controllers of a cluster, as far as a run asks for them: which are there, and which of them run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden
from ..engine.controller import Controller, find
from ..kinds.kind import ServiceKind
from ..kube.labels import selector_text


class Controllers:
    """Looks once per run and kind for its controller. not_looked: the kinds of which that is not allowed."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        #: By what selects their Deployments: kinds may have a controller in common.
        self._found: dict[str, Sequence[Controller] | None] = {}
        self.not_looked: set[str] = set()

    def of(self, kind: ServiceKind[Any, Any]) -> Sequence[Controller]:
        """Return the controllers of a kind, stopped ones too; none where looking is not allowed."""
        selector = selector_text(kind.controller)
        if selector not in self._found:
            try:
                self._found[selector] = find(self._cluster, kind.controller)
            except Forbidden:
                self._found[selector] = None
        found = self._found[selector]
        if found is None:
            self.not_looked.add(kind.kind)
        return found or ()

    def seen(self, kind: ServiceKind[Any, Any]) -> str | None:
        """Return what runs the controller, None where nothing does or where looking is not allowed."""
        for controller in self.of(kind):
            if controller.runs:
                return str(controller.reference)
        return None
