# SPDX-License-Identifier: GPL-3.0-or-later
"""LISTs in pages: each bounded in size, at most a few at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ..kube.manifest import Json
from .call import Call
from .requests import Requests


@dataclass(frozen=True, slots=True)
class Listing:
    """Objects of one kind, each with its apiVersion and kind, and the resourceVersion from which to watch on."""

    items: list[Json]
    resource_version: str


def pages(
    requests: Requests, call: Call, keep: Callable[[Json], Json] | None = None
) -> Iterator[Listing]:
    """Give page after page of a LIST. Raises Gone where the server does not know the place to continue any more.

    keep: makes of an object, as soon as it is read, what is held of it.
    """
    facts = call.facts
    if facts is None:
        raise ValueError("a LIST needs the facts of its kind")

    def named(item: Json) -> Json:
        item["apiVersion"], item["kind"] = facts.api_version, facts.kind
        return keep(item) if keep else item

    token = ""
    while True:
        query = {**call.query, "continue": token} if token else call.query
        with requests.list_slots:
            answer, items = requests.send_for_list(replace(call, query=query), named)
        meta = answer.get("metadata") or {}
        yield Listing(items, str(meta.get("resourceVersion") or ""))
        token = str(meta.get("continue") or "")
        if not token:
            return
