# SPDX-License-Identifier: GPL-3.0-or-later
"""A lab control plane on which KServe's bundle can be installed, its certificates, webhooks and leaders played.

`python -m tests.tools.controllers_cluster up NAME FOLDER` leaves `kubeconfig`, `kubectl` and bundles in the folder; `down NAME` ends it.
`play FOLDER` is the process that plays; it ends with the control plane. LAB_OWNER is the process with which that ends.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import urllib3
import yaml

from tests.cluster.support.played_controllers import (
    CertManager,
    answered_here,
    keep_lease,
    names_of,
    webhook_server,
)

from ..lab import build
from ..lab.client import ApiError, Client
from ..lab.control_plane import ControlPlane, end
from ..lab.ports import LOOPBACK
from .tree import CHECKOUT

Json = dict[str, Any]
#: In the copy of the collection in which molecule runs there are no recordings.
_ROOTS = (CHECKOUT, *CHECKOUT.parents)
_RECORDED = Path("tests") / "parity" / "recordings" / "install"
LEASES = ("kserve-controller-manager-leader-lock", "llminferenceservice-kserve-controller-manager")
#: Failed looks at the control plane after which it is taken to be gone.
GONE_AFTER = 20


def recorded(name: str) -> list[Json]:
    """Return the objects of a recorded bundle."""
    root = next(each for each in _ROOTS if (each / _RECORDED).is_dir())
    text = (root / _RECORDED / f"{name}.yaml").read_text(encoding="utf-8")
    return [each for each in yaml.safe_load_all(text) if each]


def later(bundle: list[Json]) -> list[Json]:
    """Return what a next release of the bundle may be: other images, an object less, an object more."""
    changed = [
        each
        for each in deepcopy(bundle)
        if each["metadata"]["name"] != "kserve-webhook-server-secret"
    ]
    for each in changed:
        pod = each.get("spec", {}).get("template", {}).get("spec", {})
        for container in pod.get("containers", []):
            container["image"] = f"{container['image'].rpartition(':')[0]}:v0.18.0"
    notes = {"name": "release-notes", "namespace": "kserve"}
    return [
        _namespace_caches(changed),
        *changed,
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": notes, "data": {"a": "b"}},
    ]


def _namespace_caches(bundle: list[Json]) -> Json:
    """Return the CRD that came with KServe 0.18, in the form of its neighbour."""
    crds = [each for each in bundle if each["metadata"]["name"].startswith("localmodelcaches.")]
    made = deepcopy(crds[0])
    made["metadata"]["name"] = "localmodelnamespacecaches.serving.kserve.io"
    kind = "LocalModelNamespaceCache"
    names = {"kind": kind, "listKind": f"{kind}List", "plural": "localmodelnamespacecaches"}
    made["spec"] |= {"scope": "Namespaced", "names": {**names, "singular": kind.lower()}}
    return made


def up(name: str, folder: Path) -> None:
    """Start everything, and write the bundles."""
    plane = _plane(name)
    if plane.state and plane.state.phase == "ready":
        end(plane.layout)
    plane.start()
    shutil.copyfile(plane.kubeconfig, folder / "kubeconfig")
    (folder / "kubectl").unlink(missing_ok=True)
    (folder / "kubectl").symlink_to(build.program("kubectl"))
    with socket.create_server((LOOPBACK, 0)) as free:
        port = free.getsockname()[1]
    bundle = answered_here(recorded("bundle-synthetic"), port)
    _write(folder / "kserve.yaml", bundle)
    _write(folder / "kserve-next.yaml", later(bundle))
    _write(folder / "cert-manager.yaml", recorded("cert-manager-crds-synthetic"))
    (folder / "port").write_text(str(port))
    with (folder / "play.log").open("wb") as log:
        command = [sys.executable, "-m", "tests.tools.controllers_cluster", "play", str(folder)]
        subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)


def play(folder: Path) -> None:
    """Play cert-manager, the webhooks and the leaders, until the control plane is gone."""
    client = Client.of(folder / "kubeconfig")
    bundle = yaml.safe_load_all((folder / "kserve.yaml").read_text(encoding="utf-8"))
    manager = CertManager(client)
    port = int((folder / "port").read_text())
    failures = 0
    with webhook_server(manager.authority, names_of(list(bundle)), folder, port):
        while failures < GONE_AFTER:
            try:
                manager.act()
                for lease in LEASES:
                    keep_lease(client, lease, "kserve")
                failures = 0
            except (ApiError, LookupError, OSError, urllib3.exceptions.HTTPError):
                failures += 1
            time.sleep(0.2)


def _plane(name: str) -> ControlPlane:
    owner = int(os.environ.get("LAB_OWNER", "0"))
    return ControlPlane(name, nodes="cpu", owner=owner, say=lambda line: print(line, flush=True))


def _write(path: Path, objects: list[Json]) -> None:
    path.write_text(yaml.safe_dump_all(objects), encoding="utf-8")


def main() -> int:
    """Run one command."""
    match sys.argv[1:]:
        case ["up", name, folder]:
            up(name, Path(folder))
        case ["play", folder]:
            play(Path(folder))
        case ["down", name]:
            end(_plane(name).layout)
        case _:
            sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
