# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Nodes with devices for a cluster that somebody else made, played by the lab's kwok; the cluster's own nodes take no pods.

`python -m tests.tools.fake_nodes end FOLDER` ends the kwok that was started for a folder.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..lab import build, crd_sources, crds, nodes
from ..lab.client import Client
from ..lab.commands import NODE_ANNOTATION
from ..lab.own_stages import await_descriptions, stages_for

TAINT = {"key": "modelops.io/real-node", "value": "true", "effect": "NoSchedule"}


def play(kubeconfig: Path, folder: Path, definitions: Iterable[dict[str, Any]]) -> None:
    """Start kwok and add the nodes. definitions: the CRDs whose controllers kwok plays, too."""
    client = Client.of(kubeconfig)
    for node in client.list_all("v1", "Node"):
        if (node["metadata"].get("annotations") or {}).get(NODE_ANNOTATION) != "fake":
            client.patch(
                {**node, "apiVersion": "v1", "kind": "Node"}, {"spec": {"taints": [TAINT]}}
            )
    crds.install(client, crds.documents(crd_sources.KWOK_CRD))
    with (folder / "kwok.log").open("ab") as log:
        process = subprocess.Popen(
            [
                str(build.program("kwok")),
                f"--kubeconfig={kubeconfig}",
                f"--manage-nodes-with-annotation-selector={NODE_ANNOTATION}=fake",
                "--enable-crds=Stage",
                "--node-lease-duration-seconds=40",
            ],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    (folder / "kwok.pid").write_text(str(process.pid))
    own = stages_for(definitions)
    await_descriptions(client, own)
    client.apply_all([*crds.documents(crd_sources.KWOK_STAGES), *own])
    client.apply_all(nodes.profile("gpu"))


def end(folder: Path) -> None:
    """End the kwok of a folder; nothing happens where none was started."""
    file = folder / "kwok.pid"
    if file.is_file():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(file.read_text()), signal.SIGTERM)
        file.unlink()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["end", place]:
            end(Path(place))
        case _:
            sys.exit(__doc__)
