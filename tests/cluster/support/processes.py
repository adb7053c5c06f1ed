# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in processes of their own, which can be signalled and killed: forked from one that has imported everything."""

from __future__ import annotations

import multiprocessing
import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from module_utils.cluster.lease import Lease, lease_reference
from module_utils.kube.manifest import Json

from .entries import Entries

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])
#: Seconds that one run may take on a machine that does much else.
PATIENCE_S = 180.0


class Running:
    """One run of a module, begun. lease: seconds that its Leases last, where it is not the usual time. task: as `Entries` calls it."""

    def __init__(
        self,
        kubeconfig: Path,
        *services: Json,
        lease: float | None = None,
        task: str = "run",
        **options: Any,
    ) -> None:
        self._answers, sender = FORKS.Pipe(duplex=False)
        given = (sender, kubeconfig, services, lease, task, options)
        self._process = FORKS.Process(target=_work, args=given, daemon=True)
        self._process.start()
        sender.close()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal; none where the run has ended."""
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, number)

    def result(self) -> Json | None:
        """Wait for the end and return the result, None where the run was killed before it could tell."""
        found: Json | None = None
        try:
            if self._answers.poll(PATIENCE_S):
                found = self._answers.recv()
        except EOFError:
            pass
        self._process.join(PATIENCE_S)
        killed = self._process.exitcode == -signal.SIGKILL
        assert killed or found is not None, f"the run ended with {self._process.exitcode}"
        return found


def _work(
    sender: Connection,
    kubeconfig: Path,
    services: tuple[Json, ...],
    lease: float | None,
    task: str,
    options: Json,
) -> None:
    # Whoever starts the tests in the background has interrupts ignored, and those of their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if lease is not None:
        shorten_leases(lease)
    sender.send(getattr(Entries(kubeconfig), task)(*services, **options))


def shorten_leases(seconds: float) -> None:
    """Let Leases of this process run out sooner, so that a test need not wait for those of a killed run."""
    defaults = dict(Lease.__init__.__kwdefaults__ or {})
    Lease.__init__.__kwdefaults__ = {**defaults, "duration": seconds}  # type: ignore[attr-defined]


def lease_of(namespace: str) -> Json:
    """Return the Lease of the default fleet, as a manifest without content."""
    return lease_reference("default", namespace).to_manifest()
