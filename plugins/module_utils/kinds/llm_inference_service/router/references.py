# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the Gateways and routes that a service names are there. Where they are not, KServe does nothing about its router.

Source: KServe pkg/controller/v1alpha2/llmisvc/router_validation.go@v0.17.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ....kube.reader import Reader
from ....kube.reference import Reference
from ..resolved import Resolved
from . import kinds

REFS_INVALID = "RefsInvalid"


@dataclass(frozen=True, slots=True)
class InvalidReferences:
    """What is not there, as the controller says it. condition: under which. missing: the objects themselves."""

    condition: Literal["GatewaysReady", "HTTPRoutesReady"]
    message: str
    missing: tuple[Reference, ...]


def invalid_references(resolved: Resolved, reader: Reader) -> InvalidReferences | None:
    """Return the first kind of reference that leads nowhere, None where all are right or cannot be judged."""
    if not kinds.tells_of_gateways(reader):
        return None
    return (
        _gateways(resolved, reader)
        or _routes(resolved, reader)
        or _managed_parents(resolved, reader)
        or _parents_of_routes(resolved, reader)
    )


def named_gateways(resolved: Resolved) -> tuple[Reference, ...]:
    """Return the Gateways that `gateway.refs` names."""
    refs = resolved.at("router", "gateway", "refs") or ()
    return tuple(
        kinds.gateway(ref.get("namespace") or resolved.namespace, ref.get("name") or "")
        for ref in refs
    )


def named_routes(resolved: Resolved) -> tuple[Reference, ...]:
    """Return the HTTPRoutes that `http.refs` names."""
    refs = resolved.at("router", "route", "http", "refs") or ()
    return tuple(kinds.route(resolved.namespace, ref.get("name") or "") for ref in refs)


def _gateways(resolved: Resolved, reader: Reader) -> InvalidReferences | None:
    missing = _absent(named_gateways(resolved), reader)
    text = "; ".join(f"Gateway {kinds.shown(one)} does not exist" for one in missing)
    return InvalidReferences("GatewaysReady", text, missing) if missing else None


def _routes(resolved: Resolved, reader: Reader) -> InvalidReferences | None:
    missing = _absent(named_routes(resolved), reader)
    text = "; ".join(f"HTTPRoute {kinds.shown(one)} does not exist" for one in missing)
    return InvalidReferences("HTTPRoutesReady", text, missing) if missing else None


def _managed_parents(resolved: Resolved, reader: Reader) -> InvalidReferences | None:
    parents = resolved.at("router", "route", "http", "spec", "parentRefs") or ()
    named = tuple(kinds.parent_gateway(parent, resolved.namespace) for parent in parents)
    missing = _absent(named, reader)
    if not missing:
        return None
    text = "; ".join(
        f"Managed HTTPRoute references non-existent Gateway {kinds.shown(one)}" for one in missing
    )
    return InvalidReferences("HTTPRoutesReady", text, missing)


def _parents_of_routes(resolved: Resolved, reader: Reader) -> InvalidReferences | None:
    texts: list[str] = []
    missing: list[Reference] = []
    for reference in named_routes(resolved):
        for text, gateway in _wrong_parents(reference, reader):
            texts.append(f"HTTPRoute {kinds.shown(reference)} {text}")
            missing.append(gateway or reference)
    if not texts:
        return None
    told = f"HTTPRoute target validation failed: {'; '.join(texts)}"
    return InvalidReferences("HTTPRoutesReady", told, tuple(missing))


def _wrong_parents(route: Reference, reader: Reader) -> Iterator[tuple[str, Reference | None]]:
    live = reader.get(route) or {}
    parents = (live.get("spec") or {}).get("parentRefs") or ()
    if not parents:
        yield "has no parent gateway references", None
    for gateway in _absent(
        tuple(kinds.parent_gateway(parent, route.namespace) for parent in parents), reader
    ):
        yield f"references non-existent Gateway {kinds.shown(gateway)}", gateway


def _absent(references: tuple[Reference, ...], reader: Reader) -> tuple[Reference, ...]:
    return tuple(reference for reference in references if reader.get(reference) is None)
