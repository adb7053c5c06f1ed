# SPDX-License-Identifier: GPL-3.0-or-later
"""What one decision costs: CPU time for an object as it was listed, parsed already.

The objects are those that the unit tests recorded from an API server.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from module_utils.engine.noop_proof import doubt
from tests.unit.engine.recorded import Case, case

from .plane import Bench, entry
from .runs import Json

#: What is measured: a Deployment of 9 kB, and an object of 3 kB.
OBJECTS = {
    "deployment_us": "Deployment recorded/chat-decode",
    "small_us": "InferencePool recorded/chat",
}
TRIES = 30
CALLS = 200


def deciding(_bench: Bench) -> list[Json]:
    """Return decide: microseconds of CPU for one decision."""
    ours = {figure: _cost(case("service", name)) for figure, name in OBJECTS.items()}
    return [entry("decide", 0, {"ours": ours})]


def _cost(known: Case) -> float:
    return round(_microseconds(lambda: _decide(known)), 1)


def _microseconds(call: Callable[[], object]) -> float:
    """Return the CPU time of a call: the least of many tries, since whatever disturbs only adds to it."""
    best = float("inf")
    for dummy in range(TRIES):
        began = time.process_time()
        for dummy_call in range(CALLS):
            call()
        best = min(best, (time.process_time() - began) / CALLS)
    return best * 1e6


def _decide(known: Case) -> None:
    if doubt(known.desired, known.live, known.uid) is not None:
        raise AssertionError(f"{known} is not proved")
