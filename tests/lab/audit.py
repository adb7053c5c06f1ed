# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The API server's audit log as records: who asked for what, when, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})


@dataclass(frozen=True)
class AuditEvent:
    """One finished request. `request` is the object sent, after defaulting for built-in kinds; None for reads."""

    verb: str
    user: str
    user_agent: str
    uri: str
    group: str
    resource: str
    namespace: str
    name: str
    subresource: str
    code: int
    request: Any = None
    response: Any = None

    @property
    def is_write(self) -> bool:
        return self.verb in _WRITES and "dryRun=" not in self.uri


def parse(line: str) -> AuditEvent | None:
    """Read one line; None for what is no finished request (a watch that has only begun)."""
    event = json.loads(line)
    if event.get("stage") != "ResponseComplete":
        return None
    reference = event.get("objectRef") or {}
    return AuditEvent(
        verb=event["verb"],
        user=(event.get("user") or {}).get("username", ""),
        user_agent=event.get("userAgent", ""),
        uri=event.get("requestURI", ""),
        group=reference.get("apiGroup", ""),
        resource=reference.get("resource", ""),
        namespace=reference.get("namespace", ""),
        name=reference.get("name", ""),
        subresource=reference.get("subresource", ""),
        code=(event.get("responseStatus") or {}).get("code", 0),
        request=event.get("requestObject"),
        response=event.get("responseObject"),
    )


def events(log: Path, start: int = 0) -> Iterator[AuditEvent]:
    """The events from a byte offset on (`log.stat().st_size` before the action); a line being written is left out."""
    with log.open("rb") as stream:
        stream.seek(start)
        for line in stream:
            if not line.endswith(b"\n"):
                return
            event = parse(line.decode())
            if event:
                yield event
