# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the proxy notes of a request: the same words that Kubernetes uses for it. Pure."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

WRITE_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})

_VERBS = {
    "GET": "get",
    "HEAD": "get",
    "POST": "create",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}


@dataclass(frozen=True)
class Resource:
    """Which object or collection a URL path names."""

    group: str = ""
    version: str = ""
    plural: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""


@dataclass
class Record:
    """One request as it arrived; `status` is set once the server has answered, 0 means that no answer came."""

    number: int
    method: str
    path: str
    query: dict[str, str]
    resource: Resource
    verb: str
    user_agent: str
    content_type: str
    body: bytes = field(repr=False, default=b"")
    status: int = 0
    #: Seconds until the answer's first byte.
    seconds: float = 0.0
    #: Port of the caller, which tells its connections apart.
    port: int = 0
    #: When it arrived, on the monotonic clock.
    moment: float = field(default_factory=time.monotonic)

    @property
    def dry_run(self) -> bool:
        return "dryRun" in self.query

    @property
    def is_write(self) -> bool:
        """Whether it may change what is stored. Questions put by POST (access reviews) and dry runs do not."""
        reviews = self.resource.plural.endswith("reviews")
        return self.method in WRITE_METHODS and not self.dry_run and not reviews

    @property
    def json(self) -> Any:
        """The body as data; None where there is none or it is no JSON."""
        try:
            return json.loads(self.body) if self.body else None
        except ValueError:
            return None


def record(number: int, method: str, target: str, headers: Any, body: bytes) -> Record:
    """Describe a request from its method, its path with query, its headers and its body."""
    split = urlsplit(target)
    query = dict(parse_qsl(split.query, keep_blank_values=True))
    resource = resource_of(split.path)
    content_type = headers.get("Content-Type", "")
    return Record(
        number=number,
        method=method,
        path=split.path,
        query=query,
        resource=resource,
        verb=verb_of(method, resource, query, content_type),
        user_agent=headers.get("User-Agent", ""),
        content_type=content_type,
        body=body,
    )


def resource_of(path: str) -> Resource:
    """Read `/apis/apps/v1/namespaces/team-a/deployments/web/status` apart; an empty one for paths of no resource."""
    parts = [unquote(part) for part in path.strip("/").split("/")]
    if parts[0] == "api" and len(parts) > 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return Resource()
    namespace = ""
    # `namespaces/x` and its subresources are the Namespace itself, `namespaces/x/pods` are objects in it.
    inside = len(rest) > 2 and not (len(rest) == 3 and rest[2] in ("status", "finalize"))
    if rest[0] == "namespaces" and inside:
        namespace, rest = rest[1], rest[2:]
    padded = [*rest, "", ""]
    return Resource(group, version, padded[0], namespace, padded[1], "/".join(rest[2:]))


def verb_of(method: str, resource: Resource, query: dict[str, str], content_type: str) -> str:
    """The verb as RBAC and audit know it, with `apply` told apart from `patch`."""
    verb = _VERBS.get(method, method.lower())
    if verb == "patch" and content_type.startswith("application/apply-patch"):
        return "apply"
    if verb == "get" and query.get("watch", "") in ("true", "1"):
        return "watch"
    if not resource.plural or resource.name:
        return verb
    return {"get": "list", "delete": "deletecollection"}.get(verb, verb)
