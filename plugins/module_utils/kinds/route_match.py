# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests an HTTPRoute takes to a service, and by which listener of a gateway: the plainest that does.

Source: Gateway API v1.5.1, HTTPRouteMatch and Listener.hostname.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..kube.manifest import Json
from .protocols import Protocol

#: What a request is called for where a host name is a pattern.
_ANY = "*."
_PLAIN = re.compile(r"[\w/.:~-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Match:
    """What a request has to look like. path: what comes before the protocol's own paths; empty for nothing."""

    path: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


def plainest_match(route: Json, targets: Collection[str], protocol: Protocol, model: str) -> Match:
    """Return the match with the fewest headers and then the shortest path, among rules that lead to one of `targets` if any does."""
    rules = [
        rule for rule in (route.get("spec") or {}).get("rules") or () if rule.get("backendRefs")
    ]
    own = [rule for rule in rules if any(one.get("name") in targets for one in rule["backendRefs"])]
    paths = protocol.call_path(model), protocol.check_path(model)
    anything: Sequence[Json] = ({},)
    found = [
        Match(_before(match.get("path") or {}, paths), _headers(match))
        for rule in own or rules
        for match in rule.get("matches") or anything
        if not match.get("queryParams")
    ]
    return min(found, key=_effort, default=Match())


def _effort(match: Match) -> tuple[int, int, int]:
    return len(match.headers), match.path.count("/"), len(match.path)


def _headers(match: Json) -> dict[str, str]:
    return {one["name"]: one.get("value", "") for one in match.get("headers") or ()}


def _before(path: Json, called: Sequence[str]) -> str:
    """Return what of a match's path is not the protocol's own."""
    value = path.get("value") or "/"
    if path.get("type") == "RegularExpression":
        if any(re.match(value, one) for one in called if _is_pattern(value)):
            return ""
        plain = _PLAIN.match(value.removeprefix("^"))
        value = plain[0] if plain else ""
    return min((_cut(value.rstrip("/"), one) for one in called), key=len)


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


def _cut(value: str, called: str) -> str:
    """Return a path without the longest end that is the beginning of a protocol's path."""
    steps = called.split("/")[1:]
    for count in range(len(steps), 0, -1):
        ending = "/" + "/".join(steps[:count])
        if value.endswith(ending):
            return value.removesuffix(ending)
    return value


def common_host(hosts: Sequence[str], listener: Json) -> str | None:
    """Return a host name that route and listener take, which may be a pattern; empty for any, None where they have none in common."""
    own = listener.get("hostname") or ""
    if not hosts:
        return own
    return next(_common(hosts, own), None)


def _common(hosts: Sequence[str], own: str) -> Iterator[str]:
    for host in hosts:
        if not own or host == own or _fits(host, own):
            yield host
        elif _fits(own, host):
            yield own


def _fits(host: str, pattern: str) -> bool:
    return pattern.startswith(_ANY) and host.endswith(pattern[1:])


def concrete(host: str, service: str) -> str:
    """Return a host name that a pattern takes: the service's name stands for the `*`."""
    return f"{service}{host[1:]}" if host.startswith(_ANY) else host
