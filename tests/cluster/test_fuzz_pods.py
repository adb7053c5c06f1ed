# SPDX-License-Identifier: GPL-3.0-or-later
"""The short form of `make fuzz-pods`, the same cases each time: what the API refuses, and nothing else, is refused by us."""

from __future__ import annotations

from collections import Counter

from tests.fuzz.pods.rounds import cases
from tests.lab.cluster import Cluster

CASES = 240


def test_we_refuse_what_the_server_refuses_and_nothing_else(
    control_plane: Cluster, namespace: str
) -> None:
    found = list(cases(control_plane.client, namespace, range(CASES)))
    faults = [case for case in found if case.verdict in ("missed", "wrong")]
    assert [(case.seed, case.verdict, case.ours or case.theirs) for case in faults] == []
    counts = Counter(case.verdict for case in found)
    assert min(counts["refused"], counts["taken"]) > len(found) / 5, "the cases show little"
