# SPDX-License-Identifier: GPL-3.0-or-later
"""Where rounds take place: a namespace with a parent for its objects, and controllers that are off."""

from __future__ import annotations

import contextlib
import os
import signal
import uuid
from collections.abc import Iterator
from typing import Any, Self

from module_utils.kinds.model_service.kind import MODEL_SERVICE
from tests.lab.client import Client
from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE as MODEL_SERVICE_KINDS

from .judge import apply, sent, settle
from .kinds import ODDITY
from .rounds import Case, Round
from .subjects import parent_of, subjects, wanted

Json = dict[str, Any]
#: Programs that write by themselves.
WRITERS = ("kube-controller-manager", "kube-scheduler", "kwok")


class Stage:
    """A namespace for rounds; removed at the end."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._namespace = f"fuzz-{uuid.uuid4().hex[:6]}"
        self._uid = ""

    def __enter__(self) -> Self:
        self._client.create(self._place)
        parent = self._client.create(parent_of(self._namespace).to_manifest())
        self._uid = parent["metadata"]["uid"]
        return self

    def __exit__(self, *dummy: object) -> None:
        self._client.delete(self._place)

    @property
    def _place(self) -> Json:
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self._namespace}}

    def versions(self, number: int) -> tuple[str, str]:
        """Apply one of the subjects as the engine does, and once more; return both resourceVersions."""
        dummy, manifest, unclaimed = subjects()[number]
        made = wanted(manifest, self._namespace, f"twice-{number}", unclaimed)
        first = settle(self._client, made, self._uid)
        again = apply(self._client, sent(made, first, self._uid), dry_run=False)
        self._client.delete(made.reference.to_manifest())
        return first["metadata"]["resourceVersion"], again["metadata"]["resourceVersion"]

    def round(self, seed: int) -> list[Case]:
        """Do one round."""
        return list(Round(self._client, self._namespace, self._uid, seed).cases())


@contextlib.contextmanager
def fuzz_stage() -> Iterator[Stage]:
    """A stage on a control plane of its own, on which nobody else writes."""
    kinds = [*MODEL_SERVICE_KINDS, MODEL_SERVICE.crd(), ODDITY]
    with (
        ControlPlane(nodes="none", crds=kinds) as plane,
        standing_still(plane),
        Stage(plane.client) as stage,
    ):
        yield stage


@contextlib.contextmanager
def standing_still(plane: ControlPlane) -> Iterator[None]:
    """Halt everything of a control plane that writes by itself."""
    found = plane.state
    pids = [pid for name, pid in found.pids.items() if name in WRITERS] if found else []
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
