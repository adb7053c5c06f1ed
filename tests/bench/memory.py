# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""noop-XL: time and memory of one task over 1,000 settled services, 16,000 objects.

Creating them would take longer than everything else. So one settled service is created and then copied within etcd, key by
key: its name, its uids and the hashes of its intents have one length each, so that the stored bytes can be changed in place. The
API server reads the copies like any other object, and a run over them has to find nothing to do.
"""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import urllib3

from module_utils.engine.desired import desired
from module_utils.engine.owner_object import custom_resource
from module_utils.fleet.load import load_fleet
from module_utils.fleet.settings import Settings
from module_utils.kube.reader import GivenObjects
from module_utils.task.manifest_loader import given
from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE

from .plane import Bench, entry, median, settled
from .runs import Json
from .workload import custom_resource_definition, services

XL = 1000
_UID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_KINDS_OF_OTHERS = ("/pods/", "/replicasets/", "/endpointslices/", "/endpoints/", "/events/")


def noop_huge(bench: Bench) -> list[Json]:
    """Return noop-XL."""
    crds: list[str | Json] = [*MODEL_SERVICE, custom_resource_definition()]
    with ControlPlane(nodes="none", crds=crds) as plane:
        place = Bench(plane, bench.scratch)
        namespace = place.namespace()
        first = _document(0)
        settled(lambda: place.ours([first], namespace))
        with _controllers_asleep(plane):
            copied = _copy(plane, first, namespace)
            documents = [_document(number) for number in range(XL)]
            timing = place.ours(documents, namespace)
    if not timing.stats or timing.stats["writes"]:
        raise RuntimeError(f"the copies are not as they should be: {timing.stats}")
    return [entry("noop-XL", copied, {"ours": median([timing]) | timing.stats})]


def _document(number: int) -> Json:
    """Return a service without pods, whose name is as long as any other's."""
    (made,) = services(1, pods=0)
    document: Json = json.loads(json.dumps(made).replace("chat-0", f"chat-{number:04}"))
    return document


@contextmanager
def _controllers_asleep(plane: ControlPlane) -> Iterator[None]:
    """Keep the controllers from the copies: they would make thousands of objects of their own."""
    state = plane.state
    pids = [state.pids[name] for name in ("kube-controller-manager", "kwok")] if state else []
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def _copy(plane: ControlPlane, first: Json, namespace: str) -> int:
    """Copy everything that belongs to the first service, and return how many objects there are then."""
    etcd = _Etcd(plane)
    name = first["metadata"]["name"].encode()
    ours = [
        (key, value)
        for key, value in etcd.everything()
        if name in key and not any(kind.encode() in key for kind in _KINDS_OF_OTHERS)
    ]
    digests = _digests(first, namespace)
    uids = sorted({uid for dummy, value in ours for uid in _UID.findall(value)})

    def copy(number: int) -> None:
        document = _document(number)
        changes = dict(zip(digests, _digests(document, namespace), strict=True))
        changes |= {uid: str(uuid.uuid4()).encode() for uid in uids}
        changes[name] = document["metadata"]["name"].encode()
        pattern = re.compile(b"|".join(map(re.escape, changes)))
        for key, value in ours:
            put = [pattern.sub(lambda found: changes[found[0]], part) for part in (key, value)]
            etcd.put(*put)

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(copy, range(1, XL)))
    return XL * len(ours)


def _digests(document: Json, namespace: str) -> list[bytes]:
    """Return the hashes of a service's intents, in a fixed order."""
    settings = Settings({"gateway_name": ""}, {})
    (service,), _none = load_fleet(
        given("services", [document]), settings, namespace, skip_invalid=False
    )
    intent = service.compile(GivenObjects())
    parent = custom_resource(intent.parent, "default")
    children = (desired(child, service.reference, "default") for child in intent.children)
    return [each.digest.encode() for each in (parent, *children)]


class _Etcd:
    """The store of a control plane, by etcd's JSON gateway."""

    def __init__(self, plane: ControlPlane) -> None:
        state = plane.state
        if state is None:
            raise RuntimeError("the control plane does not run")
        line = Path(f"/proc/{state.pids['kube-apiserver']}/cmdline").read_bytes().split(b"\0")
        option = b"--etcd-servers="
        (self._url,) = (part[len(option) :].decode() for part in line if part.startswith(option))
        self._pool = urllib3.PoolManager(maxsize=16)

    def everything(self) -> list[tuple[bytes, bytes]]:
        """Return all keys and values of the API server."""
        answer = self._ask(
            "range", {"key": _coded(b"/registry/"), "range_end": _coded(b"/registry0")}
        )
        return [
            (base64.b64decode(each["key"]), base64.b64decode(each["value"]))
            for each in answer["kvs"]
        ]

    def put(self, key: bytes, value: bytes) -> None:
        """Store a value."""
        self._ask("put", {"key": _coded(key), "value": _coded(value)})

    def _ask(self, what: str, body: Json) -> Json:
        answer = self._pool.request("POST", f"{self._url}/v3/kv/{what}", body=json.dumps(body))
        if answer.status != 200:
            raise RuntimeError(f"etcd: {answer.data[:200]!r}")
        found: Json = json.loads(answer.data)
        return found


def _coded(value: bytes) -> str:
    return base64.b64encode(value).decode()
