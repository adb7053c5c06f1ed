# SPDX-License-Identifier: GPL-3.0-or-later
"""What one decision costs: `python -m tests.bench.decide`. CPU time for an object as it was listed, parsed already.

The objects are those that the unit tests recorded from an API server.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from ansible_collections.modelops.inference.plugins.module_utils.engine.decide import doubt
from tests.unit.engine.recorded import Case, case

#: What is measured: name, recorded object, target and best hope in microseconds.
OBJECTS = (
    ("Deployment", "Deployment recorded/chat-decode", 250, 100),
    ("InferencePool", "InferencePool recorded/chat", 100, 40),
)
TRIES = 30
CALLS = 200


def microseconds(call: Callable[[], object]) -> float:
    """Return the CPU time of a call: the least of many tries, since whatever disturbs only adds to it."""
    best = float("inf")
    for dummy in range(TRIES):
        began = time.process_time()
        for dummy_call in range(CALLS):
            call()
        best = min(best, (time.process_time() - began) / CALLS)
    return best * 1e6


def main() -> None:
    """Print a line for each object."""
    for title, name, target, hope in OBJECTS:
        known = case("service", name)
        size = len(json.dumps(known.live, separators=(",", ":")))
        print(
            f"{title:15} {size / 1000:4.1f} kB  {microseconds(lambda known=known: _decide(known)):6.1f} us  "
            f"(target {target}, hope {hope})"
        )


def _decide(known: Case) -> None:
    if doubt(known.desired, known.live, known.uid) is not None:
        raise AssertionError(f"{known} is not proved")


if __name__ == "__main__":
    main()
