# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The very same writes from a bare loop over 8 connections: as fast as the API server takes them from Python.

What ours writes is recorded once at the proxy, custom resources and statuses included, and sent again into another namespace.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import urllib3

from tests.lab.kubeconfig import Access
from tests.lab.proxy_record import Record

from .runs import Failed, Json, Timing

CONNECTIONS = 8


@dataclass(frozen=True, slots=True)
class Write:
    """One apply: where to, what, and whether it is of a status."""

    target: str
    body: Json
    status: bool


def recorded(records: Sequence[Record], old: str, new: str) -> list[Write]:
    """Return the applies among the records, moved from one namespace to another."""
    writes = []
    for each in records:
        if each.is_write and each.method == "PATCH" and each.resource.plural != "leases":
            body = json.loads(each.body.replace(old.encode(), new.encode()))
            target = f"{each.path}?{urlencode(each.query)}".replace(old, new)
            writes.append(Write(target, body, each.resource.subresource == "status"))
    return writes


def replay(writes: Sequence[Write], access: Access) -> Timing:
    """Send them: custom resources, their children, their statuses. What is done between these is not timed."""
    context = ssl.create_default_context(cadata=access.authority)
    context.set_alpn_protocols(["http/1.1"])
    context.set_alpn_protocols = lambda dummy: None  # type: ignore[method-assign]  # see cluster/tls.py
    pool = urllib3.PoolManager(num_pools=1, maxsize=CONNECTIONS, block=True, ssl_context=context)
    headers = {
        "Authorization": f"Bearer {access.token}",
        "Content-Type": "application/apply-patch+yaml",
    }

    def send(call: tuple[str, bytes]) -> Json:
        answer = pool.request("PATCH", access.server + call[0], body=call[1], headers=headers)
        if answer.status not in (200, 201):
            raise Failed(answer.data.decode()[:500])
        found: Json = json.loads(answer.data)
        return found

    seconds = 0.0
    uids: dict[str, str] = {}
    for part in _split(writes):
        calls = [(write.target, _owned(write.body, uids)) for write in part]
        took, answers = _timed(send, calls)
        seconds += took
        uids |= {answer["metadata"]["name"]: answer["metadata"]["uid"] for answer in answers}
    return Timing(seconds, seconds)


def _split(writes: Sequence[Write]) -> tuple[list[Write], list[Write], list[Write]]:
    """Return custom resources, children, statuses; the kinds of the first are those whose status is written."""
    statuses = [write for write in writes if write.status]
    kinds = {write.body["kind"] for write in statuses}
    others = [write for write in writes if not write.status]
    parents = [write for write in others if write.body["kind"] in kinds]
    return parents, [write for write in others if write.body["kind"] not in kinds], statuses


def _owned(body: Json, uids: dict[str, str]) -> bytes:
    # Of the object that was recorded; the copy has another.
    body["metadata"].pop("resourceVersion", None)
    for owner in body["metadata"].get("ownerReferences", []):
        owner["uid"] = uids[owner["name"]]
    return json.dumps(body).encode()


def _timed(
    send: Callable[[tuple[str, bytes]], Json], calls: Sequence[tuple[str, bytes]]
) -> tuple[float, list[Any]]:
    started = time.monotonic()
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        answers = list(threads.map(send, calls))
    return time.monotonic() - started, answers
