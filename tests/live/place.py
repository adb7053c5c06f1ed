# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where one live lab keeps its files outside its namespaces, and what it says of itself there."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ..lab import paths
from ..lab.files import write_atomically

#: The control plane's name below the folder of its live lab.
PLANE = "live"
#: The variable that tells scenarios when the start began: seconds since 1970.
STARTED = "LIVE_STARTED"


@dataclass
class State:
    """The last that the live lab said. images: by name, pinned by digest; seconds: that its start took."""

    phase: str = "starting"
    message: str = ""
    images: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True)
class Place:
    """The folder of one live lab."""

    root: Path

    @classmethod
    def named(cls, name: str) -> Place:
        return cls(paths.state().parent / "modelops-live" / name)

    @property
    def name(self) -> str:
        return self.root.name

    @property
    def cgroup(self) -> str:
        """Below which the node's pods are counted."""
        return f"modelops-live-{self.name}"

    @property
    def kubeconfig(self) -> Path:
        return self.root / "modelops-lab" / PLANE / "kubeconfig"

    @property
    def started(self) -> Path:
        """The process that holds the namespaces, written by whoever started it."""
        return self.root / "started"

    def log(self, program: str) -> Path:
        return self.root / "logs" / f"{program}.log"

    def environment(self) -> dict[str, str]:
        """The environment of everything inside: the lab's state is in this folder, apart from that of the machine."""
        return {**os.environ, "XDG_STATE_HOME": str(self.root), "LIVE_PLACE": str(self.root)}

    def write(self, state: State) -> None:
        write_atomically(self.root / "state.json", json.dumps(asdict(state)))

    def read(self) -> State:
        """Return what it said; nothing yet where there is no file."""
        file = self.root / "state.json"
        return State(**json.loads(file.read_text("utf-8"))) if file.is_file() else State()
