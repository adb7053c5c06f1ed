# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where models come from: an S3 server, a hub, a volume on the node, and the image that fetches them with KServe's own package."""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..lab import paths
from ..lab.client import wait_until
from ..lab.errors import LabError
from . import bucket, images, mounts, network, wheels
from .place import Place
from .programs import S3_WHEELS
from .stand_ins.hub import Hub

Json = dict[str, Any]
_BUCKET_PORT = 9000
_SERVED_WITHIN = 90.0
#: What a model on the node's volume says.
_ON_VOLUME = {"architectures": ["FromVolume"]}


@dataclass(frozen=True)
class Sources:
    """keys: of a user who may read one bucket."""

    keys: dict[str, str]

    def credentials(self, name: str, namespace: str) -> tuple[Json, Json]:
        """A Secret as KServe reads it, and an account that has it."""
        metadata: Json = {"name": name, "namespace": namespace}
        said = {
            "s3-endpoint": f"{network.NODE}:{_BUCKET_PORT}",
            "s3-usehttps": "0",
            "s3-region": bucket.REGION,
        }
        annotations = {f"serving.kserve.io/{key}": value for key, value in said.items()}
        secret: Json = {"apiVersion": "v1", "kind": "Secret"}
        account: Json = {"apiVersion": "v1", "kind": "ServiceAccount"}
        return (
            {
                **secret,
                "metadata": {**metadata, "annotations": annotations},
                "stringData": self.keys,
            },
            {**account, "metadata": metadata, "secrets": [{"name": name}]},
        )

    @staticmethod
    def volume(name: str, namespace: str) -> tuple[Json, Json]:
        """A volume with a model in the folder `chat`, and a claim that has it."""
        folder = mounts.RUN / "volumes" / namespace
        (folder / "chat").mkdir(parents=True, exist_ok=True)
        file = folder / "chat" / "config.json"
        file.write_text(json.dumps(_ON_VOLUME), encoding="utf-8")
        size, modes = {"storage": "1Gi"}, ["ReadOnlyMany"]
        both: Json = {"accessModes": modes, "storageClassName": ""}
        return (
            {
                "apiVersion": "v1",
                "kind": "PersistentVolume",
                "metadata": {"name": f"{namespace}-{name}"},
                "spec": {**both, "capacity": size, "hostPath": {"path": str(folder)}},
            },
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {"name": name, "namespace": namespace},
                "spec": {
                    **both,
                    "volumeName": f"{namespace}-{name}",
                    "resources": {"requests": size},
                },
            },
        )


@contextlib.contextmanager
def served(place: Place) -> Iterator[Sources]:
    """The S3 server and the hub. Raises LabError where the packages of the server cannot be had."""
    hub = http.server.ThreadingHTTPServer((network.NODE, images.HUB_PORT), Hub)
    threading.Thread(target=hub.serve_forever, daemon=True, name="hub").start()
    try:
        with _bucket(place) as keys:
            yield Sources(keys)
    finally:
        hub.shutdown()
        hub.server_close()


@contextlib.contextmanager
def _bucket(place: Place) -> Iterator[dict[str, str]]:
    site = wheels.there(S3_WHEELS)
    file = place.root / bucket.KEYS
    file.unlink(missing_ok=True)
    words = [network.NODE, str(_BUCKET_PORT), str(place.root)]
    path = os.pathsep.join((str(site), os.environ.get("PYTHONPATH", "")))
    with place.log("bucket").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", bucket.__name__, *words],
            cwd=paths.CHECKOUT,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )

    def look() -> tuple[bool, str]:
        if process.poll() is not None:
            raise LabError(f"the S3 server ended with {process.returncode}: {_tail(place)}")
        return file.is_file(), ""

    try:
        wait_until(look, "the S3 server to be filled", _SERVED_WITHIN)
        yield json.loads(file.read_text("utf-8"))
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def cut_off() -> Iterator[None]:
    """Let nobody reach the S3 server, from a pod or from here."""
    rule = f"INPUT --protocol tcp --dport {_BUCKET_PORT} --jump DROP"
    subprocess.run(["iptables", "--wait", "--insert", *rule.split()], check=True)
    try:
        yield
    finally:
        subprocess.run(["iptables", "--wait", "--delete", *rule.split()], check=True)


def is_reached() -> bool:
    """Tell whether the S3 server can be reached."""
    try:
        socket.create_connection((network.NODE, _BUCKET_PORT), timeout=5).close()
    except OSError:
        return False
    return True


def _tail(place: Place) -> str:
    return place.log("bucket").read_text("utf-8")[-500:]
