# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The live lab as its tests hold it, and services that fit on its node."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any

from ansible_collections.modelops.inference.plugins.module_utils.kube.manifest import Json
from tests.cluster.support.services import small

from ..lab.client import Client, wait_until
from . import build, images, mounts, node
from .place import Place

#: The picker asks for four processors where nobody says less.
PICKER = {"resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "1Gi"}}}


class Live:
    """A running live lab, from inside."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.images = place.read().images

    @property
    def kubeconfig(self) -> Path:
        return self.place.kubeconfig

    @cached_property
    def client(self) -> Client:
        return Client.of(self.kubeconfig)

    def model_service(self, name: str, namespace: str, **spec: Any) -> Json:
        """A service whose engine is the stand-in, by digest. spec: blocks added or replaced."""
        own: dict[str, Any] = {
            "engine": {"image": self.images[images.ENGINE]},
            "decode": {"replicas": 1},
            "inferencePool": {"endpointPicker": PICKER},
        }
        return small(name, namespace, **{**own, **spec})

    def bring(self, recipe: images.Recipe) -> str:
        """Give the node an image that is not made at the start, and return its name by digest. Raises LabError."""
        with tempfile.TemporaryDirectory(dir=mounts.RUN) as folder:
            pinned = images.archives(Path(folder), [recipe])
            for archive in Path(folder).glob("*.tar"):
                node.load(archive, mounts.RUN / "containerd.sock")
        return pinned[recipe.names[0]]

    def containers(self, namespace: str) -> list[str]:
        """What the node's runtime holds of a namespace's pods, running or not."""
        ctr = [str(build.program("ctr")), f"--address={mounts.RUN / 'containerd.sock'}"]
        chosen = f'labels."io.kubernetes.pod.namespace"=={namespace}'
        listed = subprocess.run(
            [*ctr, "--namespace=k8s.io", "containers", "list", "--quiet", chosen],
            check=True,
            capture_output=True,
            text=True,
        )
        return listed.stdout.split()

    def await_gone(self, namespace: str, within: float = 120.0) -> None:
        """Wait until the node has nothing of a namespace's pods any more."""

        def look() -> tuple[bool, list[str]]:
            left = self.containers(namespace)
            return not left, left

        wait_until(look, f"the node to forget the pods of {namespace}", within)
