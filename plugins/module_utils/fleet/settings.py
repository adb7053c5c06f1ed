# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a task and the releases of its services."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..kinds.kind import ServiceKind
from ..kinds.registry import WRITTEN
from ..kube.reference import Reference
from ..kube.release import AUTO, ChosenRelease, newest_proved
from ..task.manifest_loader import Document

#: Returns the release of a service.
Find = Callable[[ServiceKind[Any, Any], Reference], ChosenRelease]


class Settings:
    """The task's settings, typed once for each kind and release that is used.

    find: returns the release of a service where the task leaves it to the cluster, None where none is looked at.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        releases: Mapping[str, str | None],
        find: Find | None = None,
    ) -> None:
        self._options = options
        self._releases = {name: release for name, release in releases.items() if release}
        self._find = find
        self._typed: dict[tuple[str, str], Any] = {}

    def of(
        self, kind: ServiceKind[Any, Any], reference: Reference | None
    ) -> tuple[Any, ChosenRelease]:
        """Return the settings of a service, and which release it has. reference: None of one that has no name. Raises InputError."""
        line = kind.releases
        written = self._releases.get(line.option)
        if written is not None and (line.installed is None or written != AUTO):
            typed = self.typed(kind, str(written))
            return typed, ChosenRelease(typed.release, "option", f"{typed.release.option} says so")
        typed = self.typed(kind, "")
        if line.installed is None:
            text = f"{typed.release.option} names none, and this is the default"
            return typed, ChosenRelease(typed.release, "default", text)
        if self._find is None or reference is None:
            return typed, newest(kind, "no cluster is looked at")
        chosen = self._find(kind, reference)
        return self.typed(kind, str(chosen.release)), chosen

    def typed(self, kind: ServiceKind[Any, Any], release: str) -> Any:
        """Return the settings of a kind. release: empty for the one of a service of which nothing is known. Raises InputError."""
        key = (kind.kind, release)
        if key not in self._typed:
            releases = {kind.releases.option: release} if release else {}
            self._typed[key] = kind.settings(self._options, releases)
        return self._typed[key]


def asks_cluster(documents: Iterable[Document], releases: Mapping[str, str | None]) -> bool:
    """Tell whether a cluster has to say which release some of the services have. releases: the option of the task."""
    values = [each.value for each in documents if isinstance(each.value, dict)]
    keys = {(str(value.get("apiVersion")), str(value.get("kind"))) for value in values}
    lines = [WRITTEN[key].releases for key in keys if key in WRITTEN]
    return any(
        line.installed is not None and (releases.get(line.option) or AUTO) == AUTO for line in lines
    )


def newest(
    kind: ServiceKind[Any, Any], why: str, declared: frozenset[str] | None = None
) -> ChosenRelease:
    """Return the release of a service of which nothing else is known.

    why: in words. declared: what the CRD in the cluster declares of the status, empty where it may not be read, None where there is none.
    """
    line = kind.releases
    backing = line.backing if declared is None else line.that_fit(declared)
    release = newest_proved(backing)
    what = (
        "it is the newest one that is proved"
        if backing[release] == "proved"
        else "none is proved, so it is the newest one that is reproduced"
    )
    if len(backing) < len(line.backing):
        what += (
            " of those whose status the CRD in the cluster declares"
            if declared
            else " of those whose status every CRD declares, and that of the cluster cannot be read"
        )
    return ChosenRelease(release, "newest", f"{why}, and {what}")
