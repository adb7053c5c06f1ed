# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows the services of a cluster and their children for as long as it is let, and tells what is worth an event."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.errors import Forbidden
from ..cluster.kinds import facts
from ..engine import FLEET_LABEL, METADATA_ONLY
from ..engine.informer import TEMPORARY, Watched
from ..engine.watch_loop import wait
from ..kinds.registry import KINDS
from ..kube.manifest import Json
from ..kube.problem import Complaint, InputError, Problem
from ..kube.redact import redact_text
from ..kube.reference import Reference
from ..task import arguments
from .changes import ChangeTracker, Notice
from .debounce import Debounce

#: Seconds after which everything is listed anew: kinds whose CRD came meanwhile are seen, too.
SPELL_S = 600.0
#: Seconds until it is tried again where the server is lost.
AGAIN_S = 5.0
ARGUMENT_SPEC: arguments.Spec = {
    "namespaces": {"type": "list", "elements": "str", "default": []},
    "fleet": {"type": "str"},
    **arguments.AUTH,
    "request_timeout": arguments.REQUESTS["request_timeout"],
}


def follow(
    params: Mapping[str, Any],
    environment: Mapping[str, str],
    emit: Callable[[Json], None],
    over: threading.Event,
) -> None:
    """Emit an event for each notice until `over` is set. Raises InputError for bad options, ClusterError where kinds may not be seen."""
    watched = _watched(params)
    options = {**params, "concurrency": len(watched) + 2, "deadline": None}
    tracker, debounce = ChangeTracker(list(KINDS)), Debounce(time.monotonic)
    fleet = params.get("fleet") or arguments.DEFAULT_FLEET
    with arguments.connection(options, environment) as cluster:
        _find_namespaces(cluster, params.get("namespaces") or ())
        threading.Thread(target=_stop, args=(cluster, over), daemon=True).start()
        while not over.is_set():
            tracker.begin()
            observer = _Observer(
                tracker, debounce, lambda notice: emit(_event(notice, fleet)), over
            )
            try:
                wait(cluster, watched, observer, SPELL_S, time.monotonic)
            except TEMPORARY:
                over.wait(AGAIN_S)


def _stop(cluster: Cluster, over: threading.Event) -> None:
    over.wait()
    cluster.stop()


class _Observer:
    """Passes on what is noticed; never content before it is over."""

    def __init__(
        self,
        tracker: ChangeTracker,
        debounce: Debounce,
        tell: Callable[[Notice], None],
        over: threading.Event,
    ) -> None:
        self._tracker = tracker
        self._debounce = debounce
        self._tell = tell
        self._over = over
        self._listed = False

    def see(self, reference: Reference, live: Json | None) -> None:
        """Take note of an object."""
        self._pass_on(self._tracker.see(reference, live))

    def content(self) -> bool:
        """Tell whether it is over. Asked for the first time when everything was listed."""
        if not self._listed:
            self._listed = True
            self._pass_on(self._tracker.listed())
        for notice in self._debounce.due():
            self._tell(notice)
        return self._over.is_set()

    def _pass_on(self, notices: Iterable[Notice]) -> None:
        for notice in notices:
            for told in self._debounce.pass_on(notice):
                self._tell(told)


def _watched(params: Mapping[str, Any]) -> list[Watched]:
    """Return every kind: services whoever made them, children of the fleet. Secrets are left out: a watch would fetch their content."""
    places = tuple(params.get("namespaces") or ())
    selector = f"{FLEET_LABEL}={params.get('fleet') or arguments.DEFAULT_FLEET}"
    services = [Watched(*key, places, whole=True) for key in KINDS]
    children = dict.fromkeys(pair for kind in KINDS.values() for pair in kind.child_kinds)
    return services + [
        Watched(*pair, places if _namespaced(pair) else (), selector, optional=True, whole=True)
        for pair in children
        if pair not in METADATA_ONLY
    ]


def _namespaced(pair: tuple[str, str]) -> bool:
    known = facts(*pair)
    return known is None or known.namespaced


def _find_namespaces(cluster: Cluster, names: Sequence[str]) -> None:
    problems = []
    for number, name in enumerate(names):
        try:
            found = cluster.get(Reference("v1", "Namespace", "", name), metadata_only=True)
        except Forbidden:
            continue
        if found is None:
            problems.append(Problem(f"namespaces[{number}]", f'"{name}" does not exist'))
    if problems:
        raise InputError([Complaint("event source", tuple(problems))])


def _event(notice: Notice, fleet: str) -> Json:
    kind, namespace, name = notice.service.split("/", 2)
    about = notice.about
    return {
        "type": notice.type,
        "fleet": fleet,
        "service": {"kind": kind, "namespace": namespace, "name": name},
        "object": {"kind": about.kind, "namespace": about.namespace, "name": about.name},
        "reason": notice.reason,
        "message": redact_text(notice.message),
    }
