# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A lab control plane on which the examples can run: the kinds of the examples and their gateways are there.

`python -m tests.tools.example_cluster up NAME FOLDER` leaves `kubeconfig` and `kubectl` in the folder; `down NAME` ends it.
With LAB_KUBECONFIG that cluster is used, and left running; with LAB_FAKE_NODES it gets
nodes with devices. LAB_OWNER is the process with which the control plane ends.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import yaml

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.crd import (
    crd as inference_service_crd,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.crd import (
    crd as llm_inference_service_crd,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.model_service.kind import (
    MODEL_SERVICE,
)

from ..lab import build, crds
from ..lab.client import Client, Manifest
from ..lab.control_plane import ControlPlane, end
from ..lab.crd_sources import LLM_INFERENCE_SERVICE
from ..lab.crd_sources import MODEL_SERVICE as FOR_MODEL_SERVICES
from ..lab.errors import LabError
from .fake_nodes import play
from .tree import CHECKOUT

Say = Callable[[str], None]

OBJECTS = CHECKOUT / "examples" / "cluster"
NODES = "gpu"
BUNDLES = (*FOR_MODEL_SERVICES, *LLM_INFERENCE_SERVICE)


def control_plane(name: str, owner: int, say: Say) -> ControlPlane:
    """Return the control plane of that name, not started. owner: the process it lives for, 0 for none."""
    return ControlPlane(name, nodes=NODES, crds=[*BUNDLES, *_own_kinds()], owner=owner, say=say)


def _own_kinds() -> list[Manifest]:
    return [MODEL_SERVICE.crd(), inference_service_crd(), llm_inference_service_crd()]


def add_gateway(client: Client) -> list[str]:
    """Apply the objects of examples/cluster and return their names. The lab plays the gateway's controller."""
    manifests = [yaml.safe_load(file.read_text()) for file in OBJECTS.glob("*.yaml")]
    manifests.sort(key=lambda manifest: manifest["kind"] != "Namespace")
    for manifest in manifests:
        client.apply(manifest)
    return [f"{manifest['kind']} {manifest['metadata']['name']}" for manifest in manifests]


def up(name: str, folder: Path) -> None:
    """Start it, or prepare the cluster of LAB_KUBECONFIG."""
    given = os.environ.get("LAB_KUBECONFIG")
    if given:
        client = Client.of(Path(given))
        definitions = [*crds.load(*BUNDLES), *_own_kinds()]
        crds.install(client, definitions)
        kubeconfig = Path(given)
        if os.environ.get("LAB_FAKE_NODES"):
            play(kubeconfig, folder, definitions)
    else:
        plane = control_plane(name, int(os.environ.get("LAB_OWNER", "0")), _say)
        if plane.state and plane.state.phase == "ready":
            end(plane.layout)
        plane.start()
        client, kubeconfig = plane.client, plane.kubeconfig
    add_gateway(client)
    shutil.copyfile(kubeconfig, folder / "kubeconfig")
    (folder / "kubectl").unlink(missing_ok=True)
    (folder / "kubectl").symlink_to(build.program("kubectl"))


def down(name: str) -> None:
    """End it; nothing happens where it does not run."""
    end(control_plane(name, 0, _say).layout)


def _say(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    """Run one command."""
    try:
        match sys.argv[1:]:
            case ["up", name, folder]:
                up(name, Path(folder))
            case ["down", name]:
                down(name)
            case _:
                sys.exit(__doc__)
    except LabError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
