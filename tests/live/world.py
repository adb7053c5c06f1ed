# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inside of the live lab: `python -m tests.live.world FOLDER` is the first process of its namespaces and ends with them.

It takes in processes whose parents ended, while a child of its own starts everything and watches it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

from ansible_collections.modelops.inference.plugins.module_utils.kinds.inference_service.crd import (
    crd as inference_service_crd,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.crd import (
    config_crd,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.llm_inference_service.crd import (
    crd as llm_inference_service_crd,
)
from ansible_collections.modelops.inference.plugins.module_utils.kinds.model_service.kind import (
    MODEL_SERVICE,
)

from ..lab import crds, nodes, paths, state
from ..lab.client import UNREACHABLE, wait_until
from ..lab.control_plane import ControlPlane
from ..lab.errors import LabError
from . import build, cgroups, crd_sources, dns, gateway, images, mounts, network
from .node import KUBELET_GROUPS, KUBELET_USER, NAME, PROXY_USER, Node, load
from .place import PLANE, Place, State

_BUNDLES = ("gateway-api", "inference-extension-old", "lws", "prometheus")
_NODE_WITHIN = 120.0
_LOOK_EVERY = 0.5


class World:
    """The programs of one live lab."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.programs: dict[str, subprocess.Popen[bytes]] = {}
        self.began = time.monotonic()

    def run(self) -> None:
        """Start everything and watch it. Raises LabError when a program ends by itself."""
        mounts.set_up(build.packages())
        network.set_up()
        cgroups.make(self.place.cgroup)
        pinned = images.archives(mounts.RUN / "images")
        self._note("images are made")
        with ControlPlane(
            PLANE,
            crds=[*_BUNDLES, *self._kinds()],
            address=network.NODE,
            played=False,
        ) as plane:
            self._note("the control plane is ready")
            self._start_node(plane)
            self._start_gateway(plane)
            self.place.write(State("ready", "", pinned, time.monotonic() - self.began))
            self._watch(plane)

    def _kinds(self) -> list[dict[str, object]]:
        served = [each for bundle in crd_sources.BUNDLES for each in crds.documents(bundle)]
        llm = [llm_inference_service_crd(), config_crd()]
        return [*served, MODEL_SERVICE.crd(), inference_service_crd(), *llm]

    def _start_node(self, plane: ControlPlane) -> None:
        node = Node(
            mounts.RUN,
            self.place.cgroup,
            plane.user_kubeconfig(KUBELET_USER, KUBELET_GROUPS),
            plane.user_kubeconfig(PROXY_USER),
            plane.layout.authority,
        )
        node.prepare()
        search = os.pathsep.join((str(build.program("containerd").parent), os.environ["PATH"]))
        self._launch("containerd", node.containerd(), {"PATH": search})
        self._until("containerd", node.socket.exists, "containerd to listen")
        for archive in sorted((mounts.RUN / "images").glob("*.tar")):
            load(archive, node.socket)
            archive.unlink()
        self._note("images are loaded")
        self._launch("kubelet", node.kubelet())
        self._launch("kube-proxy", node.kube_proxy())
        self._launch("dns", dns.command(plane.kubeconfig, network.NODE))

        def is_ready() -> bool:
            found = plane.client.get("v1", "Node", NAME)
            return found is not None and nodes.is_ready(found)

        self._until("kubelet", is_ready, "the node to be ready")
        self._note("the node is ready")

    def _start_gateway(self, plane: ControlPlane) -> None:
        plane.client.apply_all(gateway.namespaces())
        plane.client.apply_all(gateway.manifests())
        self._launch("istio", gateway.istio(plane.kubeconfig), gateway.ISTIO_ENVIRONMENT)
        gateway.give_address(plane.client)
        self._note("the gateway is programmed")

    def _launch(
        self, name: str, command: list[str], environment: dict[str, str] | None = None
    ) -> None:
        with self.place.log(name).open("ab") as log:
            self.programs[name] = subprocess.Popen(
                command,
                cwd=paths.CHECKOUT,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _until(self, program: str, holds: object, what: str) -> None:
        """Wait for a condition that a program brings about. Raises LabError with the end of its log."""
        assert callable(holds)

        def look() -> tuple[bool, str]:
            self._demand_all()
            try:
                return bool(holds()), ""
            except UNREACHABLE as error:
                return False, str(error)

        try:
            wait_until(look, what, _NODE_WITHIN)
        except TimeoutError as error:
            raise LabError(f"{error}\n{state.tail(self.place.log(program), 15)}") from error

    def _demand_all(self) -> None:
        for name, program in self.programs.items():
            if program.poll() is not None:
                log = state.tail(self.place.log(name), 15)
                raise LabError(f"{name} ended by itself with code {program.returncode}:\n{log}")

    def _watch(self, plane: ControlPlane) -> None:
        pause = threading.Event()
        while True:
            self._demand_all()
            found = plane.state
            if found is None or found.phase != "ready":
                raise LabError(f"the control plane ended: {found.message if found else ''}")
            pause.wait(_LOOK_EVERY)

    def _note(self, text: str) -> None:
        # Goes to the log: where a slow start spent its time.
        print(f"{time.monotonic() - self.began:5.1f} s  {text}", flush=True)


def _live(place: Place) -> int:
    try:
        World(place).run()
    # Whatever it is, its text must reach the user: nobody sees this process.
    except Exception as error:  # noqa: BLE001
        traceback.print_exc()
        text = str(error) if isinstance(error, LabError) else f"{type(error).__name__}: {error}"
        place.write(State("failed", text))
    return 1


def main() -> int:
    """Be the first process; TERM ends it, and the kernel ends the rest."""
    place = Place(Path(sys.argv[1]))
    watcher = os.fork()
    if not watcher:
        os._exit(_live(place))
    signal.signal(signal.SIGTERM, lambda *dummy: sys.exit(0))
    while True:
        ended, dummy = os.wait()
        if ended == watcher:
            return 1


if __name__ == "__main__":
    sys.exit(main())
