# SPDX-License-Identifier: GPL-3.0-or-later
"""The costs in docs/scale.md, from which `python -m tests.scale` works out fleets of any size, made from what was measured."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from module_utils.cluster.calls import PAGE
from module_utils.cluster.requests import LISTS

from .figures import Results, by_id
from .runs import Json

HEAD = "| name | value | where from |\n|---|---|---|\n"
_TABLE = re.compile(re.escape(HEAD) + r"(?:\|.*\n)+")


class Cost(NamedTuple):
    """One row of the table."""

    name: str
    value: float
    source: str


def page(text: str, document: Json) -> str:
    """Return docs/scale.md with the costs that were measured. Raises KeyError for a scenario that was not."""
    rows = [
        f"| `{each.name}` | {_plain(each.value)} | {each.source} |\n" for each in costs(document)
    ]
    table = HEAD + "".join(rows)
    if not _TABLE.search(text):
        raise ValueError("docs/scale.md has no table of costs")
    return _TABLE.sub(lambda dummy: table, text)


def costs(document: Json) -> list[Cost]:
    """Return what a settled run costs: per process, per cluster and per object. Raises KeyError for what was not measured."""
    results = by_id(document)
    small, large, huge = (_settled(results, name) for name in ("noop-S", "noop-L", "noop-XL"))
    empty: Json = results["noop-S", 0]["peers"]["empty play"]
    objects = large["objects"] - small["objects"]
    object_cpu = (large["client_cpu_s"] - small["client_cpu_s"]) / objects
    cluster_cpu = small["client_cpu_s"] - empty["client_cpu_s"] - small["objects"] * object_cpu
    object_mb = (huge["peak_rss_mb"] - large["peak_rss_mb"]) / (huge["objects"] - large["objects"])
    fork_mb = large["peak_rss_mb"] - large["objects"] * object_mb
    return [
        Cost("start_cpu_s", empty["client_cpu_s"], "an empty play, once for all clusters"),
        Cost(
            "cluster_cpu_s",
            cluster_cpu,
            "noop-S less the empty play and its objects: fork, login, TLS, LISTs, result",
        ),
        Cost("object_cpu_s", object_cpu, "noop-L less noop-S, by object"),
        Cost("cluster_requests", large["requests"], "one LIST for each kind; counted at a proxy"),
        Cost("page_objects", int(PAGE), "objects of one page of a LIST, a constant of ours"),
        Cost("lists_at_a_time", LISTS, "a constant of ours"),
        Cost(
            "server_object_s",
            large["server_cpu_s"] / large["objects"],
            "CPU of the API server in noop-L, by object",
        ),
        Cost("parent_mb", empty["peak_rss_mb"], "peak of an empty play"),
        Cost(
            "fork_mb",
            fork_mb,
            "peak of noop-L less its objects: an upper bound, since a fork shares much of it with its parent",
        ),
        Cost("object_mb", object_mb, "peak of noop-XL less that of noop-L, by object"),
    ]


def _plain(value: float) -> str:
    """Return a value as people write it, without an exponent."""
    return format(Decimal(f"{value:.2g}"), "f")


def _settled(results: Results, name: str) -> Json:
    found = results[name, 0]
    return {**found["ours"], "objects": found["objects"]}
