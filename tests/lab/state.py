# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a control plane's supervisor tells others: its phase, its programs' process ids, and why it ended."""

from __future__ import annotations

import json
import signal
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from . import paths
from .files import is_locked, write_atomically
from .layout import Layout

#: The signal that asks a supervisor to restart the API server.
RESTART = signal.SIGUSR1
Phase = Literal["starting", "ready", "stopping", "failed", "dead"]


@dataclass
class State:
    """One control plane as its supervisor last described it."""

    phase: Phase
    supervisor: int
    server: str
    #: Process that it lives for; 0 means that it lives until `down`.
    owner: int = 0
    pids: dict[str, int] = field(default_factory=dict)
    message: str = ""
    #: Bundles and node profile put in at its start.
    contents: str = ""
    started_in: float = 0.0


def write(layout: Layout, state: State) -> None:
    write_atomically(layout.state, json.dumps(asdict(state), indent=1) + "\n")


def read(layout: Layout) -> State | None:
    """Return the state, `dead` if its supervisor was ended without a chance to say so; None where there is none."""
    try:
        state = State(**json.loads(layout.state.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    if state.phase != "failed" and not is_locked(layout.lock):
        state.phase = "dead"
        state.message = state.message or "its supervisor is gone"
    return state


def everyone() -> list[tuple[Layout, State]]:
    """All control planes of this user that left a state, by name."""
    if not paths.state().is_dir():
        return []
    layouts = [Layout(folder) for folder in sorted(paths.state().iterdir()) if folder.is_dir()]
    return [(layout, found) for layout in layouts if (found := read(layout))]


def tail(path: Path, lines: int = 8) -> str:
    """The last lines of a log."""
    try:
        with path.open("rb") as stream:
            stream.seek(0, 2)
            stream.seek(max(0, stream.tell() - 65536))
            return "\n".join(stream.read().decode(errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""
