# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measures scenarios and writes build/bench.json: `make bench`, `make bench ARGS='medium large'`, `make bench ARGS=all`.

Without arguments those that together take ten minutes. Scenarios that are not run keep their last results. With `all`
docs/performance.md is written anew.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.lab.control_plane import ControlPlane
from tests.lab.crd_sources import MODEL_SERVICE

from . import bundles, clusters, decide, figures, fit, fleets, library, memory, picker, ready
from .plane import BUILD, Bench
from .runs import Json
from .workload import custom_resource_definition

RESULTS = BUILD / "bench.json"
PAGE = BUILD.parent / "docs" / "performance.md"

Scenario = Callable[[Bench], list[Json]]
SHORT: dict[str, Scenario] = {
    "loading": library.loading,
    "compiling": library.compiling,
    "deciding": decide.deciding,
    "epp-check": picker.checking,
    "small": fleets.noop_small,
    "medium": fleets.medium,
    "ready": ready.ready_delay,
}
LONG: dict[str, Scenario] = {
    "bundle": bundles.bundle,
    "large": fleets.settled_large,
    "create-large": fleets.create_large,
    "huge": memory.noop_huge,
    "clusters": clusters.many_clusters,
    "fit-1000": fit.fit_thousand,
}


def main(words: Sequence[str]) -> int:
    """Run the scenarios that are named."""
    known = SHORT | LONG
    everything = list(words) == ["all"]
    wanted = list(known) if everything else list(words) or list(SHORT)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"bench: no scenario {', '.join(unknown)}; there are {', '.join(known)} and all")
        return 2
    results: list[Json] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        ControlPlane(nodes="gpu", crds=[*MODEL_SERVICE, custom_resource_definition()]) as plane,
    ):
        bench = Bench(plane, Path(folder))
        for name in wanted:
            began = time.monotonic()
            print(f"bench: {name} …", flush=True)
            results += known[name](bench)
            document = _written(results)
            print(f"bench: {name} took {time.monotonic() - began:.0f} s", flush=True)
    if everything:
        PAGE.write_text(figures.page(document))
    print(figures.page(document))
    return 0


def _written(results: list[Json]) -> Json:
    """Write the results, beside those that earlier runs left, and return all."""
    found = {(result["id"], result["rtt_ms"]): result for result in _earlier() + results}
    document = {
        "machine": {
            "cpus": os.cpu_count(),
            "python": platform.python_version(),
            "system": platform.platform(),
        },
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "results": list(found.values()),
    }
    BUILD.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(document, indent=1) + "\n")
    return document


def _earlier() -> list[Json]:
    return list(json.loads(RESULTS.read_text())["results"]) if RESULTS.exists() else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
