# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for the cluster's DNS: `python -m tests.live.dns KUBECONFIG ADDRESS` answers for Services and for pods behind headless ones.

The names are those of Kubernetes' DNS specification, the messages those of RFC 1035. Each question is looked up at the API server.
"""

from __future__ import annotations

import ipaddress
import socketserver
import struct
import sys
from pathlib import Path

from ..lab.client import UNREACHABLE, ApiError, Client

DOMAIN = ("svc", "cluster", "local")
_SLICES = "discovery.k8s.io/v1"
_A, _IN = 1, 1
_NO_SUCH_NAME, _FAILED = 3, 2
#: An answer with the question behind it: response, authoritative, recursion asked for and there.
_FLAGS = 0x8580
_SECONDS = 1


class Unknown(Exception):
    """The cluster has no such name."""


def addresses(client: Client, name: str) -> list[str]:
    """The addresses of `service.namespace.svc.cluster.local`, or of a pod's host name in front of it. Raises Unknown."""
    labels = tuple(name.rstrip(".").lower().split("."))
    if labels[-3:] != DOMAIN or len(labels) not in (5, 6):
        raise Unknown(name)
    *host, service, namespace = labels[:-3]
    found = client.get("v1", "Service", service, namespace)
    if found is None:
        raise Unknown(name)
    address = str(found["spec"].get("clusterIP") or "None")
    if address != "None" and not host:
        return [address]
    chosen = _endpoints(client, service, namespace, host[0] if host else "")
    if not chosen:
        raise Unknown(name)
    return chosen


def _endpoints(client: Client, service: str, namespace: str, host: str) -> list[str]:
    chosen = {"labelSelector": f"kubernetes.io/service-name={service}"}
    slices = client.list_all(_SLICES, "EndpointSlice", namespace, **chosen)
    return [
        address
        for each in slices
        for endpoint in each.get("endpoints") or ()
        if (endpoint.get("conditions") or {}).get("ready") is not False
        and (not host or endpoint.get("hostname") == host)
        for address in endpoint["addresses"]
    ]


def answer(client: Client, message: bytes) -> bytes:
    """Answer one message with one question."""
    (identity,) = struct.unpack_from("!H", message)
    name, end = _name(message, 12)
    kind, dummy = struct.unpack_from("!HH", message, end)
    question = message[12 : end + 4]
    code, found = 0, []
    try:
        found = addresses(client, name)
    except Unknown:
        code = _NO_SUCH_NAME
    except (ApiError, *UNREACHABLE):
        code = _FAILED
    records = [_record(each) for each in found] if kind == _A else []
    head = struct.pack("!6H", identity, _FLAGS | code, 1, len(records), 0, 0)
    return head + question + b"".join(records)


def _name(message: bytes, position: int) -> tuple[str, int]:
    labels = []
    while length := message[position]:
        labels.append(message[position + 1 : position + 1 + length].decode("ascii", "replace"))
        position += 1 + length
    return ".".join(labels), position + 1


def _record(address: str) -> bytes:
    # The name is the one that begins at byte 12.
    value = ipaddress.IPv4Address(address).packed
    return struct.pack("!3HIH", 0xC00C, _A, _IN, _SECONDS, len(value)) + value


def command(kubeconfig: Path, address: str) -> list[str]:
    """The command line that starts it."""
    return [sys.executable, "-m", "tests.live.dns", str(kubeconfig), address]


def main() -> None:
    """Serve until ended."""
    client = Client.of(Path(sys.argv[1]))

    class Question(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            message, socket = self.request
            socket.sendto(answer(client, message), self.client_address)

    with socketserver.ThreadingUDPServer((sys.argv[2], 53), Question) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
